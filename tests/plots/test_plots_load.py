# SPDX-License-Identifier: Apache-2.0
"""Which rows a figure sees: torn files, attempts, instrumented rows, folders that are found."""

import gzip

import pandas as pd
import pytest
from results_builder import RUNS, Results

from plots.__main__ import main
from plots.caveats import samples
from plots.load import COLUMNS, ResultsError, find_experiments, load_experiment, toggles
from plots.rows import OLD_NAMES
from tests.sealing import unseal_tables

SPEC = {"name": "demo", "graphs": ["kronecker:scale=16"], "cases": {"A": {}, "B": {}}}


def times(frame):
    return sorted(frame["time_ms"].tolist())


def test_the_first_clean_attempt_counts(tmp_path):
    results = Results(SPEC)
    results.run("A", 9.0, attempt=0, polluted=1, foreign_load_pct=40)
    results.run("A", 5.0, attempt=1, polluted=0, foreign_load_pct=3)
    results.run("A", 4.0, attempt=2, polluted=0, foreign_load_pct=1)
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert times(experiment.timed) == [5.0]


def test_without_a_clean_attempt_the_least_loaded_counts(tmp_path):
    results = Results(SPEC)
    results.run("A", 9.0, attempt=0, polluted=1, foreign_load_pct=40)
    results.run("A", 7.0, attempt=1, polluted=1, foreign_load_pct=12)
    results.run("A", 3.0, attempt=2, polluted=1, foreign_load_pct=30)
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert times(experiment.timed) == [7.0]


@pytest.mark.parametrize(
    "attempts,counted",
    [
        ([("interrupted", 0), ("ok", 5)], ["ok"]),  # tried again
        ([("oom", 0), ("interrupted", 0), ("ok", 5)], ["ok"]),  # --retry oom
        ([("ok", 5), ("wrong", 0)], ["wrong"]),  # found out later
        ([("ok", 5), ("interrupted", 0)], ["interrupted"]),
        ([("crash", 0), ("ok", 5), ("crash", 0)], ["crash"]),
    ],
)
def test_attempts_before_a_failure_do_not_count(tmp_path, attempts, counted):
    results = Results(SPEC)
    for number, (status, ms) in enumerate(attempts):
        results.run("A", ms or "", attempt=number, status=status)
    results.run("B", 7.0)
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert experiment.timed["status"].tolist() == [*counted, "ok"]


def test_repeats_and_sources_are_trials_of_their_own(tmp_path):
    results = Results(SPEC)
    for source in (1, 2):
        for repeat in (0, 1):
            results.run("A", source * 10 + repeat, source=source, repeat=repeat)
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert times(experiment.timed) == [10, 11, 20, 21]


def test_instrumented_rows_never_enter_timing(tmp_path):
    results = Results(SPEC)
    results.run("A", 1.0)
    results.run("A", 50.0, instrumented=1)
    results.run("A", 900.0, repeat=1, profiler="attached")
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert times(experiment.timed) == [1.0]
    assert times(experiment.instrumented) == [50.0]


def test_a_folder_of_several_gpus_says_so(tmp_path):
    results = Results(SPEC)
    results.run("A", 1.0, environment="0123abcd")
    one = load_experiment(results.write(tmp_path / "one"))
    results.run("A", 1.0, repeat=1, environment="4567abcd")
    two = load_experiment(results.write(tmp_path / "two"))
    assert "sets of" not in one.environment_line()
    assert "2 sets of processors or GPUs" in two.environment_line()


@pytest.mark.parametrize(
    ("used", "named"),
    [({}, False), ({"gpu": "GPU-0123abcd"}, True), ({"gpu_ms": 0.5}, True)],
    ids=["CPU", "GPU", "GPU of an early version"],
)
def test_a_gpu_is_named_only_where_rows_used_it(tmp_path, used, named):
    environment = {"cpu": {"model": "Xeon", "allowed": 16},
                   "gpu": {"devices": [{"name": "NVIDIA H200"}]}}  # fmt: skip
    results = Results(SPEC, environment)
    results.run("A", 1.0)
    results.run("A", 1.0, repeat=1, **used)
    experiment = load_experiment(results.write(tmp_path / "box" / "demo"))
    hardware = "Xeon, 16 processors" + ", NVIDIA H200" * named
    assert experiment.machine_line() == f"box ({hardware})"
    assert ("NVIDIA H200" in experiment.environment_line()) is named


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"repeats": 6, "invocations": 3}, "4 sources x 3 invocations x 2 repeats per graph"),
        ({"repeats": 6, "invocations": 6}, "4 sources x 6 invocations per graph"),
        ({"repeats": 6}, "4 sources x 6 repeats per graph"),
        ({"repeats": {"minimum": 2, "maximum": 9}}, "4 sources x up to 6 repeats per graph"),
    ],
)
def test_how_many_searches_rows_are_of(tmp_path, spec, said):
    results = Results(SPEC | spec)
    for source in range(4):
        for repeat in range(6):
            results.run("A", 1.0, source=source, repeat=repeat)
        results.run("A", 9.0, source=source, repeat=0, instrumented=1)
    results.run("A", None, source=9, status="timeout")
    assert samples(load_experiment(results.write(tmp_path / "one"))) == said


def test_how_many_searches_were_counted_and_on_which_graphs(tmp_path):
    results = Results(SPEC)
    for graph, sources in (("a", 1), ("b", 16)):
        for source in range(sources):
            results.run("A", 9.0, graph=graph, source=source, instrumented=1)
    experiment = load_experiment(results.write(tmp_path / "some"))
    assert samples(experiment) == "1 to 16 sources per graph"
    counter = Results(SPEC)
    counter.run("A", None, source="", instrumented=1)
    assert samples(load_experiment(counter.write(tmp_path / "none"))) == ""


def test_a_torn_last_line_is_left_out_with_a_warning(tmp_path):
    results = Results(SPEC)
    results.run("A", 1.0)
    results.run("A", 2.0, repeat=1)
    folder = results.write(tmp_path / "demo")
    whole = (folder / "runs.csv").read_bytes()
    for cut in (2, 3, 20, 79):
        (folder / "runs.csv").write_bytes(whole[:-cut])
        experiment = load_experiment(folder)
        assert times(experiment.timed) == [1.0]
        assert "torn" in experiment.warnings[0]


def test_a_file_cut_inside_a_quoted_field_keeps_the_rows_before_it(tmp_path):
    results = Results(SPEC)
    results.run("A", 1.0)
    results.run("A", status="crash", reason='said "no",\nthen died')
    folder = results.write(tmp_path / "demo")
    whole = (folder / "runs.csv").read_bytes()
    reason = load_experiment(folder).runs.iloc[1]["reason"]
    assert reason == 'said "no",\nthen died'
    (folder / "runs.csv").write_bytes(whole[: whole.index(b"then died") + 4])
    experiment = load_experiment(folder)
    assert times(experiment.runs.dropna(subset="time_ms")) == [1.0]
    assert len(experiment.runs) == 1


@pytest.mark.parametrize("content", [None, "", RUNS + ",seal\n", RUNS])
def test_missing_and_empty_files_give_no_rows(tmp_path, content):
    folder = Results(SPEC).write(tmp_path / "demo")
    (folder / "levels.csv").unlink()
    if content is None:
        (folder / "runs.csv").unlink()
    else:
        (folder / "runs.csv").write_text(content)
    experiment = load_experiment(folder)
    assert experiment.runs.empty and experiment.levels.empty and experiment.timed.empty


def test_a_foreign_csv_is_refused_by_name(tmp_path):
    folder = Results(SPEC).write(tmp_path / "demo")
    unseal_tables(folder)
    (folder / "runs.csv").write_text("apples,pears\n1,2\n")
    with pytest.raises(ResultsError, match=r"runs\.csv: no column trial"):
        load_experiment(folder)


def test_another_systems_method_is_called_reimplemented(tmp_path):
    results = Results({**SPEC, "cases": {"A": {}, "gunrock": {}, "Tigr (reimplemented)": {}}})
    results.run("A", 1.0)
    results.run("gunrock", 1.0, engine="gunrock")
    results.run("Tigr (reimplemented)", 1.0, engine="tigr")
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert experiment.series_order == ["A", "gunrock (reimplemented)", "Tigr (reimplemented)"]


def test_swept_values_ascend_as_numbers(tmp_path):
    results = Results(SPEC)
    for value in ("16", "256", "4", "0.5"):
        results.run("A", 1.0, toggles=f"threshold={value};ctas=8")
    experiment = load_experiment(results.write(tmp_path / "demo"))
    expected = [f"A, threshold={value}" for value in ("0.5", "4", "16", "256")]
    assert experiment.series_order == expected


def test_threads_and_swept_toggles_come_from_the_toggles_column(tmp_path):
    results = Results(SPEC, {"host": "x", "cpu": {"logical": 64, "allowed": 6}})
    results.run("A", 1.0, toggles="alpha=15;threads=2")
    results.run("A", 1.0, toggles="alpha=20;threads=2")
    results.run("B", 1.0, toggles="threads=0")
    results.run("sequential", 1.0, toggles="")
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert experiment.runs["threads"].tolist() == [2, 2, 6, 1]
    assert experiment.runs["series"].tolist() == ["A, alpha=15", "A, alpha=20", "B", "sequential"]
    assert toggles("a=b=c;d=") == {"a": "b=c", "d": ""}


def pack(path):
    """As `bfslab pack` does."""
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    return packed


def test_packed_tables_are_read_as_plain_ones(tmp_path):
    results = Results(SPEC)
    results.level(results.run("A", 1.5), 0, 10)
    results.measure(results.run("B", 2.5, reason='a,\n"b"'), "a", "m", 0.25)
    results.graph("kronecker:scale=16", 4, 5)
    folder = results.write(tmp_path / "box" / "demo")
    before = load_experiment(folder)
    for table in COLUMNS:
        pack(folder / f"{table}.csv")
        (folder / f"{table}.csv").unlink()
    assert find_experiments([tmp_path]) == [folder.resolve()]
    after = load_experiment(folder)
    for table in COLUMNS:
        pd.testing.assert_frame_equal(getattr(after, table), getattr(before, table))


@pytest.mark.parametrize(
    ("plain", "packed", "mend"),
    [
        (slice(None), slice(None), "delete {packed}, whose rows all are in {plain}"),
        (slice(None), slice(-9), "delete {packed}, whose rows all are in {plain}"),
        (slice(-9), slice(None), "delete {plain}, whose rows all are in {packed}"),
        (slice(None), slice(3, None), "delete the one whose rows are not those of spec.json"),
    ],
)
def test_both_forms_of_a_table_are_refused(tmp_path, capsys, plain, packed, mend):
    results = Results(SPEC)
    results.run("A", 1.0)
    path = results.write(tmp_path / "box" / "demo") / "runs.csv"
    rows = path.read_bytes()
    path.write_bytes(rows[packed])
    other = pack(path)
    path.write_bytes(rows[plain])
    with pytest.raises(ResultsError, match="both there") as refused:
        load_experiment(path.parent)
    assert mend.format(plain=path, packed=other) in str(refused.value)
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    assert mend.format(plain=path.resolve(), packed=other.resolve()) in capsys.readouterr().err


@pytest.mark.parametrize("damaged", [lambda data: b"", lambda data: data[:1],
    lambda data: data[:15], lambda data: data[:-1], lambda data: b"trial,experiment\n",
    lambda data: data[:30] + b"x" + data[31:]])  # fmt: skip
def test_a_damaged_packed_table_is_one_message(tmp_path, capsys, damaged):
    results = Results(SPEC)
    results.run("A", 1.0)
    path = results.write(tmp_path / "box" / "demo") / "runs.csv"
    packed = pack(path)
    path.unlink()
    packed.write_bytes(damaged(packed.read_bytes()))
    with pytest.raises(ResultsError, match="copy it again") as refused:
        load_experiment(path.parent)
    assert str(packed) in str(refused.value)
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert str(packed) in told and told.count("\n") == 1


def test_experiments_are_found_below_but_not_in_hidden_folders(tmp_path):
    for place in ("box/one", "box/two", "box/.previous/one-2026"):
        Results(SPEC).write(tmp_path / place)
    (tmp_path / "box/two/spec.json").unlink()
    assert find_experiments([tmp_path, tmp_path / "box"]) == [(tmp_path / "box/one").resolve()]


def test_a_stand_in_is_known_from_spec_or_rows(tmp_path):
    spec = SPEC | {"graphs": [{"name": "snap:a", "stand_in_for": "big"}, "snap:b"]}
    results = Results(spec)
    results.run("A", 1.0, graph="snap:c", stand_in_for="other")
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert [experiment.stand_in_for(f"snap:{g}") for g in "abc"] == ["big", "", "other"]
    assert experiment.graph_order == ["snap:a", "snap:b", "snap:c"]


def test_groups_and_stand_ins_are_shown_under_the_names_of_their_rows(tmp_path):
    spec = SPEC | {"graphs": ["cs406-section1", "wiki-Vote"], "allow_stand_ins": True}
    results = Results(spec)
    results.run("A", 1.0, graph="wiki-Vote")
    results.run("A", 1.0, graph="rmat-er")
    results.run("A", 1.0, graph="coPapersDBLP-standin", stand_in_for="coPapersDBLP")
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert experiment.graph_order == [
        "coPapersDBLP-standin",
        "wiki-topcats",
        "europe_osm",
        "rmat-er",
        "rmat-b",
        "wiki-Vote",
    ]
    assert experiment.stand_in_for("coPapersDBLP-standin") == "coPapersDBLP"


def test_command_and_environment_are_shown_as_recorded(tmp_path):
    environment = {
        "host": "box",
        "arguments": ["build/release/bfslab", "run", "a b.json"],
        "cpu": {"model": "Some CPU", "logical": 4, "allowed": None},
        "commit": "abc",
        "dirty": True,
        "gpu": {"driver": None, "devices": []},
        "os": None,
    }
    experiment = load_experiment(Results(SPEC, environment).write(tmp_path / "xeon" / "demo"))
    assert experiment.command() == "bfslab run 'a b.json'"
    for folders in (["--results", "/tmp/x y"], ["--results=/tmp/x", "--data", "d", "--cache=c"]):
        experiment.environment["arguments"] = ["bfslab", "run", *folders, "a.json", "--quiet"]
        assert experiment.command() == "bfslab run a.json --quiet"
    experiment.environment["arguments"] = []
    assert experiment.command() == "bfslab run <spec of demo>"
    assert experiment.environment_line() == "Some CPU; 4 processors; commit abc (modified)"
    assert experiment.machine == "xeon"  # the results folder, whatever the host


def test_a_file_of_an_older_version_lacks_columns_that_may_be_empty(tmp_path):
    results = Results(SPEC)
    results.run("A", 1.0, reason="none")
    folder = results.write(tmp_path / "demo")
    unseal_tables(folder)
    runs = pd.read_csv(folder / "runs.csv")
    runs.drop(columns=["sm_clock_mhz", "reason"]).to_csv(folder / "runs.csv", index=False)
    experiment = load_experiment(folder)
    assert times(experiment.timed) == [1.0]
    assert experiment.runs["sm_clock_mhz"].isna().all()
    assert experiment.runs["reason"].tolist() == [""]
    runs.drop(columns="status").to_csv(folder / "runs.csv", index=False)
    with pytest.raises(ResultsError, match=r"no column status"):
        load_experiment(folder)


def test_former_names_of_columns_are_read(tmp_path):
    results = Results(SPEC)
    results.run("A", 1.0, validated=1, searches_per_trial=8, position_in_round=3)
    results.run("A", 9.0, repeat=1, profiler="profiler")
    folder = results.write(tmp_path / "demo")
    before = load_experiment(folder)
    unseal_tables(folder)
    path = folder / "runs.csv"
    header, rows = path.read_text().split("\n", 1)
    for old, new in OLD_NAMES.items():
        header = header.replace(f",{new},", f",{old},")
    assert ",order," in header and ",checked," in header
    path.write_text(header + "\n" + rows)
    after = load_experiment(folder)
    pd.testing.assert_frame_equal(after.runs, before.runs)
    assert times(after.timed) == [1.0]
    path.write_text(header.replace("setup_ms", "validated") + "\n" + rows)
    with pytest.raises(ResultsError, match="the column validated stands twice"):
        load_experiment(folder)


def test_texts_and_numbers_are_what_the_tables_say(tmp_path):
    results = Results(SPEC)
    trial = results.run("A", 1.0, toggles="", source=7)
    results.level(trial, 0, 5)
    experiment = load_experiment(results.write(tmp_path / "demo"))
    for table, columns in COLUMNS.items():
        frame = getattr(experiment, table)
        for name, column in columns.items():
            expected = object if column["type"] in ("text", "list") else float
            assert frame[name].dtype == expected, f"{table}.{name}"


def test_sources_that_reach_little_are_left_out_and_told(tmp_path):
    """Timed or instrumented, of each graph alone; a spec that lists its sources keeps them."""
    from plots.caveats import caveats

    def made(name, **spec):
        results = Results({"name": name, "graphs": [], **spec})
        for graph, reach in (("a", (100, 50, 49)), ("b", (2, 2, 2))):
            for source, reached in enumerate(reach):
                for instrumented in (0, 1):
                    results.run("A", 1.0, graph=graph, graph_hash=graph, source=source,
                                reached_vertices=reached, instrumented=instrumented)  # fmt: skip
        return load_experiment(results.write(tmp_path / name))

    experiment = made("drawn")
    assert experiment.small_sources == {("a", "a", 2)}
    for rows in (experiment.timed, experiment.instrumented):
        assert rows["source"].to_list() == [0, 1, 0, 1, 2] and set(rows["graph"]) == {"a", "b"}
    (said,) = [line for line in caveats(experiment) if "left out" in line]
    assert said == (
        "Sources that reach fewer than half as many vertices as another one of their graph are "
        "left out: 1 of a."
    )
    for name, sources in (("listed", [0, 1, 2]), ("named", {"ids": [7, 8, 9]})):
        assert len(made(name, sources=sources).timed) == 6


def test_trials_of_energy_are_neither_timed_nor_counted(tmp_path):
    results = Results({"name": "demo", "graphs": []})
    results.run("A", 1.0)
    counted = results.run("A", 9.0, instrumented=1)
    for level in range(6):
        results.level(counted, level, 10)
    energy = {"instrumented": 1, "recorded": "energy", "searches_per_trial": 500}
    results.run("A", energy_j=7.0, polluted=1, foreign_load_pct=90, **energy)
    results.run("A", energy_j=0.25, attempt=1, **energy)
    experiment = load_experiment(results.write(tmp_path / "demo"))
    assert experiment.timed["time_ms"].to_list() == [1.0]
    assert experiment.instrumented["time_ms"].to_list() == [9.0]
    assert experiment.energy["energy_j"].to_list() == [0.25]


def test_cold_caches_are_a_caveat_of_times(tmp_path):
    from plots.caveats import caveats

    said = "Caches were overwritten before each search or row of searches."
    for caches in ("", "cold"):
        results = Results({"name": "demo", "graphs": []})
        results.run("A", 1.0, caches=caches)
        found = caveats(load_experiment(results.write(tmp_path / f"demo{caches}")))
        assert (said in found) == (caches == "cold")
