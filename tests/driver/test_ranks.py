"""`ranks` and `gpus_per_rank`, from the spec to the engine and to the rows, with a made-up cluster
of four GPUs; and combinations that a sweep leaves out."""

import csv


def asked(rows):
    """What the rows say was asked for, beside what the engine was told (bytes of its queues)."""
    return sorted((int(r["ranks"]), int(r["gpus_per_rank"]), r["queue_bytes"]) for r in rows)


def test_ranks_reach_the_engine_and_the_rows(bench):
    spec = bench.spec(
        base={"engine": "faulty-ranks"},
        sources=[1],
        cases={"A": {"ranks": 2}, "B": {}},
        sweep={"gpus_per_rank": [1, 2]},
    )
    bench.run(spec)
    rows = bench.rows()
    assert {row["status"] for row in rows} == {"ok"}
    assert asked(rows) == [(1, 1, "1001"), (1, 2, "1002"), (2, 1, "2001"), (2, 2, "2002")]
    assert {row["toggles"].count("ranks") for row in rows} == {0}
    bench.run(spec)  # resumes: each of them is known by its ranks, too
    assert bench.rows() == rows


def test_what_the_machine_lacks_is_a_row_with_the_reason(bench):
    cases = {"four": {"ranks": 4}, "eight": {"ranks": 4, "gpus_per_rank": 2}}
    bench.run(bench.spec(base={"engine": "faulty-ranks"}, sources=[1], cases=cases))
    status = {row["case"]: (row["status"], row["reason"]) for row in bench.rows()}
    assert status["four"] == ("ok", "")
    assert status["eight"] == ("unsupported", "faulty: 8 GPUs wanted, and there are 4")


def test_an_engine_of_one_process_has_one_rank(bench):
    bench.run(bench.spec(base={"engine": "faulty-gpu", "ranks": 1}, sources=[1]))
    assert [(row["ranks"], row["gpus_per_rank"]) for row in bench.rows()] == [("1", "1")]
    refused = bench.run(bench.spec("u", base={"engine": "faulty-gpu", "ranks": 2}), code=2)
    assert "this engine runs as one process on one device" in refused.stderr
    assert not (bench.results / "u").exists()


def test_combinations_left_out_are_told_and_recorded(bench):
    sweep = {"illegal": "skip", "engine": ["faulty", "faulty-ranks"], "ranks": [1, 2]}
    done = bench.run(bench.spec(base={}, cases={"A": {}}, sources=[1], sweep=sweep))
    reason = "ranks = 2 with engine = faulty: this engine runs as one process on one device"
    assert "refuse them: 1 of 4 combinations" in done.stderr and f"1 x {reason}" in done.stderr
    assert len(bench.rows()) == 3
    with open(bench.results / "t/left_out.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [(row["case"], row["engine"], row["reason"]) for row in table] == [
        ("A", "faulty", reason)
    ]
