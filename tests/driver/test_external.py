# SPDX-License-Identifier: Apache-2.0
"""Programs of somebody else's as engines: run, timed, checked and limited like any other."""

import ast
import csv
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from driver_bench import ROOT, statuses

PEER = ROOT / "tests/driver/peer.py"
TIME = {"pattern": "^time: ([0-9.]+) ms$", "unit": "ms", "scope": "traversal"}
ARGUMENTS = ["--graph", "{graph}", "--source", "{source}", "--levels", "{output}"]


@pytest.fixture
def external(bench):
    """A spec of the peer, called as `behave` says, beside one of our own engines."""

    def make(behave="well", more=(), trial_s=20, spec=None, **keys):
        peer = {
            "program": str(PEER),
            "arguments": [*ARGUMENTS, "--behave", behave, *more],
            "graph": "el",
            "time": TIME,
            "levels": {"format": "list"},
        }
        peer.update(keys)
        keys = {
            "external": {"peer": {k: v for k, v in peer.items() if v is not None}},
            "cases": {"Peer": {"engine": "external:peer"}, "Ours": {"engine": "sequential"}},
            "limits": {"trial_s": trial_s},
            "base": {},
            "repeats": 2,
        }
        return bench.spec(**keys | (spec or {}))

    return make


def of(rows, case="Peer"):
    return [row for row in rows if row["case"] == case]


def processes():
    """Command lines of all processes that run the peer."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [words] if any(word.endswith(b"/peer.py") for word in words) else []
    return found


def test_a_peer_runs_beside_our_engines_and_is_checked(bench, external):
    bench.run(external())
    rows = bench.rows()
    peer, ours = of(rows), of(rows, "Ours")
    assert statuses(rows, "Peer") == statuses(rows, "Ours") == ["ok"] * 4
    for row in peer:
        assert row["engine"] == "external:peer" and row["setup_ms"] == "" == row["queue_bytes"]
        program, timer = row["toggles"].split(";")
        assert timer == "timer=traversal" and program.startswith("program=")
    # The interpreter starts and reads the graph outside of the time that counts.
    lived = {r["trial"]: float(r["value"]) for r in bench.rows("measures")
             if r["metric"] == "process_time"}  # fmt: skip
    assert all(0 < float(row["time_ms"]) < lived[row["trial"]] for row in peer)
    assert [row["validated"] for row in peer].count("1") == 2  # the first of each source
    for column in ("levels", "reached_vertices", "level_sum", "component_edges"):
        assert {(r["source"], r[column]) for r in peer} == {(r["source"], r[column]) for r in ours}
    assert {row["position_in_round"] for row in rows} == {"0", "1"}  # they take turns
    assert sorted(p.name for p in (bench.folder / "cache/external/running").iterdir()) == []


@pytest.mark.parametrize("graph", ["el", "mtx", "snap", "sg", "csr", "dfq", "arrays32", "arrays64"])
def test_each_format_holds_the_graph(bench, external, graph):
    if graph == "csr":  # ours: the peer cannot read it, and bfslab can
        bench.run(external(graph=graph))
        (file,) = (bench.folder / "cache/external").glob("*.csr")
        bench.run(bench.spec("again", graphs=[f"file:{file}"], cases={"x": {"engine": "top-down"}}))
        assert statuses(bench.rows(), "Peer")[0] == "crash"  # no text
        assert bench.rows(name="again")[0]["graph_hash"] == bench.rows()[0]["graph_hash"]
        return
    source, form = ("{source+1}", "pairs") if graph == "mtx" else ("{source}", "list")
    arguments = [source if word == "{source}" else word for word in ARGUMENTS]
    levels = {"format": form} | ({"first_vertex": 1} if graph == "mtx" else {})
    bench.run(external(graph=graph, arguments=[*arguments, "--form", form], levels=levels))
    assert statuses(bench.rows(), "Peer") == ["ok"] * 4


@pytest.mark.parametrize(
    ("levels", "more"),
    [
        ({"format": "int32"}, ["--form", "int32"]),
        ({"format": "pairs"}, ["--form", "pairs"]),
        ({"format": "list", "from": "stdout"}, ["--levels", "-"]),
        ({"format": "list", "unreached": 255}, ["--unreached", "255"]),
    ],
    ids=["int32", "pairs", "stdout", "unreached"],
)
def test_each_form_of_levels_is_read(bench, external, levels, more):
    # Two components, and a vertex without edges at the end.
    bench.run(external(more=more, levels=levels, spec={"sources": [1]}))
    assert statuses(bench.rows(), "Peer") == ["ok"] * 2
    assert of(bench.rows())[0]["validated"] == "1"


def absent(bench, kind):
    """A program that cannot be run, and what mends it."""
    program = bench.folder / "peer.py"

    def copy():
        if program.is_dir():
            program.rmdir()
        program.unlink(missing_ok=True)
        shutil.copy(PEER, program)

    if kind == "folder":
        program.mkdir()
    elif kind == "dangling":
        program.symlink_to("nothing")
    elif kind == "not executable":
        shutil.copy(PEER, program)
        program.chmod(0o644)
        return program, lambda: program.chmod(0o755)
    return program, copy


@pytest.mark.parametrize("kind", ["missing", "folder", "dangling", "not executable"])
def test_a_program_that_is_absent_is_said_and_tried_again(bench, external, kind):
    program, mend = absent(bench, kind)
    spec = external(program=str(program))
    checked = bench.ask("check", spec)
    why = "Permission denied" if kind == "not executable" else "there is no such file"
    said = f"CANNOT RUN HERE: external:peer: {program}: no program that can be run ({why}); build"
    assert said in checked.stdout
    for _ in range(2):
        done = bench.run(spec)
        rows = bench.rows()
        assert statuses(rows, "Ours") == ["ok"] * 4
        assert set(statuses(rows, "Peer")) == {"unsupported"}
        assert f"{program}: no program that can be run ({why})" in done.stderr
    mend()
    assert "CANNOT RUN HERE" not in bench.ask("check", spec).stdout
    bench.run(spec)
    assert [r["status"] for r in of(bench.rows()) if r["source"]] == ["ok"] * 4
    assert statuses(bench.rows(), "Ours") == ["ok"] * 4  # the same rows as before


FAULTS = {
    "crash": ("crash", "killed by signal 11 (SIGSEGV): about to crash"),
    "exit": ("crash", "exited with code 1: no such graph"),
    "lie": ("wrong", ""),
    "lose": ("wrong", ""),
    "garbage": ("wrong", 'stands "7x", which is no integer'),
    "no-levels": ("wrong", "it wrote no levels to {output}"),
    "link": ("wrong", "it wrote no levels to {output}"),
    "no-time": ("crash", "it reported no time on its standard output: no lines match"),
    "two-times": ("crash", "it reported several times on its standard output: 2 lines match"),
    "boast": ("crash", "check `unit`"),
    "flood": ("crash", "MiB to its standard output"),
    "flood-error": ("crash", "MiB to its standard error"),
    "big-file": ("crash", "File too large"),
}


@pytest.mark.parametrize("behave", FAULTS)
def test_a_fault_is_a_row_and_the_rest_goes_on(bench, external, behave):
    status, words = FAULTS[behave]
    done = bench.run(external(behave), code=1 if status == "wrong" else 0)
    rows = bench.rows()
    assert statuses(rows, "Ours") == ["ok"] * 4
    assert statuses(rows, "Peer") == [status] + ["skipped"] * 3
    (culprit,) = [row for row in rows if row["status"] == status]
    assert words in culprit["reason"] and culprit["time_ms"] == "" and culprit["reason"]
    assert culprit["reason"] in done.stderr
    assert not any(b"--behave" in words for words in processes())


def test_a_peer_that_hangs_is_ended_at_the_limit(bench, external):
    bench.run(external("hang", trial_s=1))
    rows = bench.rows()
    assert statuses(rows, "Peer") == ["timeout"] + ["skipped"] * 3
    assert "limits.trial_s is 1" in next(r["reason"] for r in rows if r["status"] == "timeout")
    assert statuses(rows, "Ours") == ["ok"] * 4
    assert not any(b"hang" in words for words in processes())
    bench.run(external("well", spec={"name": "u"}))  # what the killed worker left is removed
    assert list((bench.folder / "cache/external/running").iterdir()) == []


def test_memory_of_a_peer_counts(bench, external):
    limits = {"trial_s": 30, "memory_mib": 400}
    bench.run(external("hungry", spec={"limits": limits}))
    assert statuses(bench.rows(), "Peer") == ["oom"] + ["skipped"] * 3


def test_what_a_peer_leaves_running_is_ended(bench, external):
    bench.run(external("orphan"))
    assert statuses(bench.rows(), "Peer") == ["ok"] * 4
    assert not any(b"orphan" in words for words in processes())


def test_a_slow_peer_is_slow(bench, external):
    bench.run(external("slow", spec={"sources": [1], "repeats": 1}))
    (row,) = of(bench.rows())
    assert row["status"] == "ok" and float(row["time_ms"]) >= 300


def test_without_levels_nothing_is_checked_and_rows_say_so(bench, external):
    bench.run(external("lose", levels=None))
    rows = bench.rows()
    assert statuses(rows, "Peer") == ["ok"] * 4
    for row in of(rows):
        assert (row["validated"], row["answer"]) == ("0", "")
        assert (row["levels"], row["level_sum"]) == ("", "")
    assert {row["validated"] for row in of(rows, "Ours")} == {"0", "1"}


def test_rows_without_an_answer_do_not_hide_a_wrong_one(bench, external):
    cases = {"Peer": {"engine": "external:peer"}, "Ours": {"engine": "sequential"},
             "Bad": {"engine": "faulty", "fault": "wrong_levels"}}  # fmt: skip
    sources = {"count": 4, "seed": 1, "rule": "degree>=1"}
    spec = {"cases": cases, "check": "none", "sources": sources, "repeats": 1}
    bench.run(external("lose", levels=None, spec=spec), code=1)
    assert "wrong" in statuses(bench.rows(), "Bad")
    assert statuses(bench.rows(), "Peer") == statuses(bench.rows(), "Ours") == ["ok"] * 4


PASSED = {"pattern": "^errors: 0$"}


def test_a_program_without_levels_may_check_itself(bench, external):
    bench.run(external(levels=None, passed=PASSED))
    rows = of(bench.rows())
    assert [row["status"] for row in rows] == ["ok"] * 4
    assert {(row["validated"], row["answer"]) for row in rows} == {("0", "")}


@pytest.mark.parametrize("levels", [None, {"format": "list"}], ids=["no levels", "levels"])
def test_a_fault_that_a_program_finds_itself_is_a_wrong_answer(bench, external, levels):
    done = bench.run(external("find-fault", levels=levels, passed=PASSED), code=1)
    rows = bench.rows()
    assert statuses(rows, "Peer") == ["wrong"] + ["skipped"] * 3
    words = "its own check did not pass: no line of its standard output matches `^errors: 0$`"
    assert words in next(row["reason"] for row in rows if row["status"] == "wrong")
    assert words in done.stderr
    assert statuses(rows, "Ours") == ["ok"] * 4


def test_output_in_pieces_is_read_to_its_end(bench, external):
    """Long lines, and a last line without a line end."""
    bench.run(external("pieces", levels=None, passed=PASSED))
    assert statuses(bench.rows(), "Peer") == ["ok"] * 4


def test_the_row_of_a_check_that_fails_quotes_the_last_lines(bench, external):
    bench.run(external("pieces-fault", levels=None, passed=PASSED), code=1)
    (culprit,) = [row for row in bench.rows() if row["status"] == "wrong"]
    long_line = ("distances[:40] = " + "2147483647 " * 45)[:80]
    words = f'the stream ends with "{long_line}...", "the CPU: 1 ms", "errors: 3"'
    assert culprit["reason"].endswith(f"its key `passed`; {words}")


def test_one_of_several_times_counts_where_the_spec_says_which(bench, external):
    for take in ("last", "mean", "min"):
        bench.run(external("two-times", time=TIME | {"take": take}, spec={"name": take}))
        assert statuses(bench.rows(name=take), "Peer") == ["ok"] * 4


def test_a_source_may_be_counted_among_the_vertices_with_edges(bench, external):
    """For programs that leave out the others."""
    graph = bench.folder / "gaps.mtx"  # 0 and 3 have no edges; 2 has only an edge into it
    graph.write_text("%%MatrixMarket matrix coordinate pattern general\n6 6 3\n2 3\n5 6\n6 5\n")
    note = bench.folder / "note"
    more = ["--note", str(note), "--rank", "{source_rank}"]
    spec = {"graphs": [f"file:{graph},symmetrize=false"], "sources": [1, 2, 4, 5], "repeats": 1}
    bench.run(external(more=more, spec=spec))
    calls = [ast.literal_eval(line)[:2] for line in note.read_text().splitlines()]
    found = {int(words[words.index("--source") + 1]): int(rest[-1]) for words, rest in calls}
    assert found == {1: 0, 2: 1, 4: 2, 5: 3}


def test_the_specs_of_public_codes_are_checked_without_them(bench):
    """Their programs are not here: check names them, and finds no other fault."""
    specs = sorted((ROOT / "experiments/peers").glob("*.json"))
    assert len(specs) >= 7
    for spec in specs:
        checked = subprocess.run(
            [bench.program, "check", str(spec)], capture_output=True, text=True, check=True
        )
        assert f"CANNOT RUN HERE: external:{spec.stem}: " in checked.stdout


def test_without_a_timer_the_process_is_timed(bench, external):
    bench.run(external(time=None))
    for row in of(bench.rows()):
        assert row["status"] == "ok" and "timer=process" in row["toggles"]
        assert float(row["time_ms"]) > 5  # an interpreter alone takes longer to start


def test_a_template_is_one_argument_whatever_is_in_it(bench, external):
    note = bench.folder / "note"
    odd = ["$(touch owned)", "; touch owned", "a b", "{{source}}", "--x={source}{source}", ""]
    bench.run(
        external(
            more=["--note", str(note), *odd],
            environment={"THREADS": "{threads}"},
            spec={"sources": [3], "repeats": 1},
        )
    )
    words, rest, threads, folder = ast.literal_eval(note.read_text().splitlines()[0])
    assert rest == ["$(touch owned)", "; touch owned", "a b", "{source}", "--x=33", ""]
    assert len(words) == 8 + 2 + len(odd) and int(threads) == len(os.sched_getaffinity(0))
    assert not list(bench.folder.rglob("owned"))
    assert not Path(folder).exists()  # its own, and gone


def test_threads_are_a_setting_where_a_template_has_them(bench, external):
    spec = json.loads(external(environment={"THREADS": "{threads}"}).read_text())
    spec |= {"sources": [3], "repeats": 1}
    spec["cases"] = {"Peer": {"engine": "external:peer", "sweep": {"threads": [1, 2]}}}
    path = bench.folder / "t.json"
    path.write_text(json.dumps(spec))
    bench.run(path)
    assert sorted(row["threads"] for row in bench.rows()) == ["1", "2"]


def test_another_build_of_the_program_is_another_configuration(bench, external):
    program = bench.folder / "peer.py"
    shutil.copy(PEER, program)
    spec = external(program="peer.py", spec={"sources": [3], "repeats": 1})
    bench.run(spec)
    bench.run(spec)
    assert statuses(bench.rows(), "Peer") == ["ok"]
    program.write_text(program.read_text() + "# changed\n")
    bench.run(spec)
    assert statuses(bench.rows(), "Peer") == ["ok", "ok"]
    assert len({row["toggles"] for row in of(bench.rows())}) == 2
    assert statuses(bench.rows(), "Ours") == ["ok"]


def test_a_program_that_is_not_here_is_unsupported(bench, external):
    bench.run(external(program="no/such/program"))
    rows = bench.rows()
    assert statuses(rows, "Peer") == ["unsupported"]  # one row: nothing began
    assert "--set external.peer.program=FILE" in of(rows)[0]["reason"]
    assert statuses(rows, "Ours") == ["ok"] * 4


@pytest.mark.parametrize("program", ["/dev/zero", "/"])
def test_a_program_that_is_no_file_is_unsupported(bench, external, program):
    bench.run(external(program=program, spec={"sources": [3], "repeats": 1}))
    assert statuses(bench.rows(), "Peer") == ["unsupported"]


def test_a_converted_graph_is_kept_and_a_damaged_one_made_anew(bench, external):
    def again(name):
        bench.run(external(spec={"name": name, "sources": [3], "repeats": 1}))
        assert statuses(bench.rows(name=name), "Peer") == ["ok"]

    again("t")
    (file,) = (bench.folder / "cache/external").glob("*.el")
    whole, first = file.read_bytes(), file.stat().st_mtime_ns
    again("u")
    assert file.stat().st_mtime_ns == first
    file.write_bytes(whole[: len(whole) // 2])
    again("v")
    assert file.read_bytes() == whole


def test_levels_of_an_instrumented_trial_are_unsupported(bench, external):
    bench.run(external(spec={"record": ["time", "levels"], "sources": [3], "repeats": 1}))
    assert sorted(statuses(bench.rows(), "Peer")) == ["ok", "unsupported"]
    bench.run(external(spec={"record": ["time", "levels"], "sources": [3], "repeats": 1}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arguments": [*ARGUMENTS, "{grpah}"]}, "unknown placeholder {grpah}"),
        ({"arguments": [*ARGUMENTS, "{graph"]}, "'{' without its partner"),
        ({"arguments": [*ARGUMENTS, 3]}, "each is one argument"),
        ({"arguments": ["{graph}"]}, "no argument with {source}"),
        ({"arguments": ["{graph}", "{source}"]}, "no argument with {output}"),
        ({"time": {"pattern": "(", "unit": "ms", "scope": "traversal"}}, "with one group"),
        ({"time": {"pattern": "time", "unit": "ms", "scope": "traversal"}}, "has 0 groups"),
        ({"time": {"pattern": "(1)"}}, 'no key "unit"'),
        ({"time": TIME | {"take": "max"}}, '"only", "last", "mean" or "min"'),
        ({"passed": {"pattern": "(ok)"}}, "has 1 groups, expected a regular expression without"),
        ({"passed": {"stream": "stderr"}}, 'no key "pattern"'),
        ({"graph": "metis"}, '"snap", "el", "mtx", "sg", "csr", "dfq", "arrays32" or'),
        ({"program": ""}, "the name of a file"),
        ({"program": 7}, "expected text"),
        ({"environment": {"A B": ""}}, "a variable's name"),
        ({"trial_s": 0}, '"limits": {"trial_s": ...}'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_description_is_refused_in_words(bench, external, change, words):
    done = bench.run(external(**change), code=2)
    assert words in done.stderr and "t.json:1:" in done.stderr
    assert not bench.results.exists()


def test_a_program_of_an_extended_spec_is_relative_to_that(bench, external):
    below = bench.folder / "below"
    below.mkdir()
    shutil.copy(PEER, below / "peer.py")
    base = json.loads(external(program="peer.py").read_text())
    (below / "base.json").write_text(json.dumps(base))
    path = bench.folder / "over.json"
    path.write_text(json.dumps({"extends": "below/base.json", "name": "over", "sources": [3]}))
    bench.run(path)
    assert statuses(bench.rows(name="over"), "Peer") == ["ok"] * 2


def test_the_example_runs(bench):
    few = ["--set", "sources.count=1", "--set", "repeats=1", "--set", "invocations=1"]
    few += ["--set", "pollution.attempts=1"]
    bench.run(ROOT / "experiments/beyond/external_example.json", *few)
    rows = bench.rows(name="external-example")
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["engine"] for row in rows} == {"external:peer", "sequential", "top-down"}
    done = subprocess.run(
        [bench.program, "check", str(ROOT / "experiments/beyond/external_example.json")],
        capture_output=True, text=True, env=bench.env,
    )  # fmt: skip
    assert done.returncode == 0 and list(csv.reader(io.StringIO(done.stdout)))


@pytest.fixture
def asked(external):
    """The peer as one process that answers every search."""

    def make(behave="well", **keys):
        arguments = ["--graph", "{graph}", "--levels", "{output}", "--serve", "--behave", behave]
        time = TIME | {"pattern": "time: ([0-9.]+) ms$"}
        return external(**{"arguments": arguments, "ask": "bfs {source}", "time": time} | keys)

    return make


def test_one_process_answers_all_searches(bench, asked):
    note = bench.folder / "note"
    arguments = ["--graph", "{graph}", "--levels", "{output}", "--serve", "--note", str(note)]
    bench.run(asked(arguments=arguments, spec={"warmup": 1}))
    rows = bench.rows()
    assert statuses(rows, "Peer") == statuses(rows, "Ours") == ["ok"] * 4
    assert len(note.read_text().splitlines()) == 1  # started once
    assert {row["validated"] for row in of(rows)} == {"0", "1"}
    assert {(r["source"], r["level_sum"]) for r in of(rows)} == {
        (r["source"], r["level_sum"]) for r in of(rows, "Ours")
    }
    assert all("timer=traversal" in row["toggles"] for row in of(rows))
    assert processes() == []


def test_processes_of_both_kinds_share_a_worker(bench, asked):
    path = asked()
    spec = json.loads(path.read_text())
    once = spec["external"]["peer"] | {"arguments": ARGUMENTS}
    del once["ask"]
    spec["external"]["once"] = once
    spec["external"]["more"] = spec["external"]["peer"]
    spec["cases"] |= {"Once": {"engine": "external:once"}, "More": {"engine": "external:more"}}
    path.write_text(json.dumps(spec))
    bench.run(path)
    assert {row["status"] for row in bench.rows()} == {"ok"}
    assert len(bench.rows()) == 16


def test_without_its_own_clock_the_time_until_its_answer_counts(bench, asked):
    bench.run(asked("busy", time=None))
    assert statuses(bench.rows(), "Peer") == ["ok"] * 4
    assert all(float(row["time_ms"]) >= 50 for row in of(bench.rows()))
    assert all("timer=answer" in row["toggles"] for row in of(bench.rows()))


@pytest.mark.parametrize(
    ("behave", "status", "reason"),
    [
        ("third-crashes", "crash", "SIGSEGV"),
        ("third-ends", "crash", "ended before it answered"),
        ("third-forgets", "wrong", "it wrote no levels to {output}"),
        ("third-hangs", "timeout", ""),
    ],
)
def test_a_failed_answer_is_a_row(bench, asked, behave, status, reason):
    code = 1 if status == "wrong" else 0
    bench.run(asked(behave, trial_s=5), code=code)
    assert statuses(bench.rows(), "Peer") == ["ok", "ok", status, "skipped"]
    assert statuses(bench.rows(), "Ours") == ["ok"] * 4
    assert reason in of(bench.rows())[2]["reason"]
    assert processes() == []


@pytest.mark.parametrize(
    ("behave", "status", "reason"),
    [("talk", "crash", "answered by more than one line: searching"), ("lose", "wrong", "level")],
)
def test_each_answer_is_one_line_and_right(bench, asked, behave, status, reason):
    bench.run(asked(behave), code=1 if status == "wrong" else 0)
    assert statuses(bench.rows(), "Peer") == [status] + ["skipped"] * 3
    assert reason in of(bench.rows())[0]["reason"]


def test_its_own_check_is_read_in_its_answer(bench, asked):
    bench.run(asked("find-fault", passed={"pattern": "^errors: 0 "}), code=1)
    assert statuses(bench.rows(), "Peer") == ["wrong"] + ["skipped"] * 3


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"arguments": [*ARGUMENTS, "--serve"]}, "{source} in an argument or a variable"),
        ({"ask": "bfs"}, "no argument with {source}"),
        ({"ask": "bfs {source}\n"}, "a line of 1 to 200 characters"),
        ({"time": TIME | {"stream": "stderr"}}, "external.peer.time.stream"),
        ({"levels": {"format": "list", "from": "stdout"}}, "external.peer.levels.from"),
    ],
)
def test_what_cannot_be_asked_is_refused(bench, asked, keys, message):
    assert message in bench.run(asked(**keys), code=2).stderr
