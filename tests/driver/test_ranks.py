# SPDX-License-Identifier: Apache-2.0
"""`ranks` and `gpus_per_rank`, from the spec to the engine and to the rows, over processes that a
launcher starts; what becomes of ranks that fail; and combinations that a sweep leaves out."""

import csv
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from driver_bench import count_rows, statuses, wait_for, wait_until

from scripts.run_tests import gpus_listed


def ranks_spec(bench, name="t", **keys):
    return bench.spec(name, **{"base": {"engine": "faulty-ranks", "ranks": 2}, **keys})


@pytest.fixture
def own(bench):
    """A bench for several ranks, whose program is a file of its own, by which its processes are
    known: none is left."""
    if not json.loads(subprocess.check_output(bench.command("version", "--json")))["mpi"]:
        pytest.skip("this build has no MPI: apt-get install libopenmpi-dev, and build again")
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun here: apt-get install openmpi-bin")
    bench.take_own_program()
    yield bench
    assert bench.processes() == []


def asked(rows):
    """What the rows say was asked for, beside what all ranks were told (bytes of their queues)."""
    return sorted((int(r["ranks"]), int(r["gpus_per_rank"]), r["queue_bytes"]) for r in rows)


def test_ranks_reach_the_engine_and_the_rows(own):
    spec = ranks_spec(
        own,
        base={"engine": "faulty-ranks"},
        sources=[1],
        cases={"A": {"ranks": 2}, "B": {}},
        sweep={"gpus_per_rank": [1, 2]},
    )
    own.run(spec)
    rows = own.rows()
    assert {row["status"] for row in rows} == {"ok"}
    assert asked(rows) == [(1, 1, "1001"), (1, 2, "1002"), (2, 1, "2002"), (2, 2, "2004")]
    assert {row["toggles"].count("ranks") for row in rows} == {0}
    own.run(spec)  # resumes: each of them is known by its ranks, too
    assert own.rows() == rows


def test_two_and_three_ranks_interleaved_and_instrumented(own):
    spec = ranks_spec(
        own,
        cases={"a": {}, "b": {"twin": 1}, "c": {"ranks": 3}, "one": {"ranks": 1}},
        repeats=3,
        record=["time", "levels"],
        check="all",
    )
    plan = own.run(spec, "--dry-run").stdout
    assert "32 trials in 3 workers" in plan
    assert "worker 2: kronecker:scale=8, 2 ranks\n    a: faulty-ranks" in plan
    own.run(spec)
    rows = own.rows()
    assert len(rows) == 32 and {(r["status"], r["validated"]) for r in rows} == {("ok", "1")}
    for source in {row["source"] for row in rows}:  # all numbers of ranks agree
        same = [row for row in rows if row["source"] == source]
        assert len({(r["levels"], r["reached_vertices"], r["component_edges"]) for r in same}) == 1
    two = [row for row in rows if row["ranks"] == "2" and row["instrumented"] == "0"]
    assert {row["case"] for row in two} == {"a", "b"}
    assert {row["position_in_round"] for row in two} == {"0", "1"}
    assert [row["case"] for row in two] != sorted(row["case"] for row in two)
    levels = own.rows("levels")
    for row in rows:
        told = [level["level"] for level in levels if level["trial"] == row["trial"]]
        assert told == ([str(i) for i in range(int(row["levels"]))] * int(row["instrumented"]))
    memory = [m for m in own.rows("measures") if m["metric"] == "engine_memory"]
    assert {m["rank"] for m in memory} == {"0", "1", "2"}
    assert all(float(row["peak_bytes"]) > 1e6 and row["foreign_load_pct"] for row in rows)


def test_a_graph_in_parts_has_the_sources_of_the_whole(own):
    """Its rows say that it was never whole; if one configuration needs it whole, all have it so."""
    sources = {"count": 9, "seed": 3, "rule": "levels>=2"}
    keys = {"graphs": ["kronecker:scale=9,edge_factor=2"], "sources": sources}
    parts = {"p1": {"engine": "faulty-parts"}, "p2": {"engine": "faulty-parts", "ranks": 2}}
    own.run(own.spec("parts", base={}, cases=parts, **keys))
    own.run(own.spec("whole", base={}, cases={**parts, "w": {"engine": "faulty"}}, **keys))
    graphs = {}
    for name in ("parts", "whole"):
        rows = own.rows(name=name)
        assert {row["status"] for row in rows} == {"ok"}
        (graphs[name],) = own.rows("graphs", name)
        assert {row["graph_hash"] for row in rows} == {graphs[name]["graph_hash"]}
        assert graphs[name]["graph_hash"].startswith("recipe-") == (name == "parts")
        assert (graphs[name]["load_ms"] == "") == (name == "parts")
    for column in ("sources", "eligible_sources", "vertices", "input_edges", "source_rule"):
        assert graphs["parts"][column] == graphs["whole"][column], column
    own.run(own.results.parent / "parts.json", "--only", "p2/*")  # the same hash in any run
    assert len(own.rows(name="parts")) == 18


@pytest.mark.parametrize(
    "change", [{"sources": [1]}, {"graphs": ["path:vertices=9,relabel=shuffle"]}]
)
def test_what_decides_whether_a_graph_is_whole(own, change):
    spec = {"base": {"engine": "faulty-parts", "ranks": 2}, "cases": {"p": {}}, **change}
    own.run(own.spec(**spec))
    (graph,) = own.rows("graphs")
    assert graph["graph_hash"].startswith("recipe-") == ("sources" in change)
    assert {row["status"] for row in own.rows()} == {"ok"}


@pytest.mark.parametrize("others", [{}, {"one": {"engine": "sequential"}}])
def test_delegate_by_parts_and_by_scattering(own, others):
    """A real engine, from a recipe and, where another engine needs it, from a CSR on rank 0."""
    cases = {"p": {"ranks": 2, "gpus_per_rank": 2}, "q": {"ranks": 3, "threshold": 4}, **others}
    for case in cases.values():
        case.setdefault("engine", "delegate")
    keys = {"record": ["time", "levels"], "check": "all", "answer": "both"}
    own.run(own.spec(base={}, cases=cases, graphs=["kronecker:scale=9"], **keys))
    rows = own.rows()
    assert {(row["status"], row["reason"], row["validated"]) for row in rows} == {("ok", "", "1")}
    found = {(r["source"], r["levels"], r["reached_vertices"], r["component_edges"]) for r in rows}
    assert len(found) == 2  # sources
    told = {(x["rank"], x["gpu"]) for x in own.rows("levels")}
    assert told == {("0", "0"), ("0", "1"), ("1", "0"), ("1", "1"), ("2", "0")}
    assert rows[0]["graph_hash"].startswith("recipe-") == (not others)


REASONS = {
    "crash": ("crash", "rank 1 on ", "killed by signal 11 (SIGSEGV) while traversing"),
    "exit": ("crash", "rank 1: exited with code 7 while traversing", ""),
    "throw": ("crash", "rank 1: exception while traversing: faulty: thrown on purpose", ""),
    "bad_alloc": ("oom", "rank 1: std::bad_alloc while traversing", ""),
    "absent": ("unsupported", "rank 1: faulty: this host has no GPU", ""),
    "refuse": ("unsupported", "faulty: all ranks refuse this graph", ""),
}


@pytest.mark.parametrize("fault", REASONS)
def test_a_rank_that_fails_is_a_row_and_the_rest_goes_on(own, fault):
    cases = {"bad": {"fault": fault, "call": 1}, "good": {"twin": 1}}
    spec = ranks_spec(own, cases=cases, repeats=2)
    own.run(spec)
    status, begin, words = REASONS[fault]
    rows = own.rows()
    assert statuses(rows, "good") == ["ok"] * 4
    bad = statuses(rows, "bad")
    assert bad[:2] == ["ok", status] and len(bad) == 4
    culprit = next(row for row in rows if row["status"] == status)
    assert culprit["reason"].startswith(begin) and words in culprit["reason"]
    assert culprit["time_ms"] == ""
    own.run(spec)  # a failure is a result: nothing is run again
    assert own.rows() == rows


@pytest.mark.parametrize("fault", ["kill", "kill_late"])
def test_a_rank_that_is_killed_is_tried_again(own, fault):
    """Nobody learns by whom: the third time in a row it is the engine's fault. The connections that
    break by it, which the other rank may meet first, are not what is told."""
    cases = {"once": {"fault": fault, "call": 1}, "ever": {"fault": fault}, "good": {}}
    own.run(ranks_spec(own, cases=cases))
    rows = own.rows()
    assert statuses(rows, "ever") == ["interrupted", "interrupted", "crash", "skipped"]
    assert statuses(rows, "once").count("ok") == 2 and "crash" not in statuses(rows, "once")
    assert statuses(rows, "good") == ["ok"] * 2
    for row in rows:
        if row["status"] in ("interrupted", "crash"):
            assert row["reason"].startswith("rank 1 on ")
            assert "killed by signal 9 (SIGKILL) while traversing" in row["reason"]


@pytest.mark.parametrize(
    "engine", ["delegate", "grid2d", "delegate-cuda", "grid2d-cuda", "fused-gpus"]
)
def test_a_rank_of_an_engine_that_is_killed(own, engine):
    """Whatever the others do, as kernels that wait for it in their meeting: they end, its searches
    are tried again, and no other is lost."""
    base = {"engine": engine, "ranks": 2}
    if engine.endswith(("cuda", "gpus")):
        gpus = gpus_listed()
        if gpus < 2:
            pytest.skip(f"needs two GPUs, and `nvidia-smi -L` shows {gpus}")
        base["ranks"] = gpus
    if engine == "delegate-cuda":
        base |= {"launch": "persistent", "preset": "tuned", "threshold": 8}
    recipe = "kronecker:scale=12,self_loops=keep,duplicates=keep"
    spec = own.spec(graphs=[recipe], base=base, repeats=500)
    process = own.start(spec)
    wait_for(lambda: count_rows(own) >= 100, process)
    victims = [pid for pid in own.processes() if pid != process.pid]
    assert len(victims) == base["ranks"]
    os.kill(max(victims), signal.SIGKILL)
    _, err = process.communicate(timeout=600)  # ranks that spin are slow on busy processors
    assert process.returncode == 0, err
    assert "killed by signal 9 (SIGKILL)" in err
    ok = [row for row in own.rows() if row["status"] == "ok"]
    assert len(ok) == 1000 and {row["status"] for row in own.rows()} <= {"ok", "interrupted"}


def test_a_rank_that_fails_while_loading(own):
    cases = {"bad": {"fault": "bad_alloc", "where": "load", "rank": 0}, "good": {}}
    own.run(ranks_spec(own, cases=cases))
    reasons = [row["reason"] for row in own.rows() if row["status"] == "oom"]
    assert len(reasons) == 1
    assert reasons[0].startswith("rank 0: std::bad_alloc while loading the engine")
    assert statuses(own.rows(), "good") == ["ok"] * 2


def test_a_rank_that_hangs(own):
    own.run(ranks_spec(own, cases={"bad": {"fault": "hang"}, "good": {}}, limits={"trial_s": 1}))
    reason = next(row["reason"] for row in own.rows() if row["status"] == "timeout")
    assert reason == "1 s while traversing, limits.trial_s is 1"
    assert statuses(own.rows(), "good") == ["ok"] * 2


def test_memory_is_that_of_all_ranks(own):
    cases = {"bad": {"fault": "hungry", "rank": 1}, "good": {}}
    own.run(ranks_spec(own, cases=cases, limits={"memory_mib": 900, "trial_s": 60}))
    reason = next(row["reason"] for row in own.rows() if row["status"] == "oom")
    assert "MiB resident while traversing, limits.memory_mib is 900" in reason
    assert statuses(own.rows(), "good") == ["ok"] * 2


@pytest.mark.parametrize("rank", [0, 1])
def test_a_wrong_level_on_any_rank_is_found(own, rank):
    cases = {"bad": {"fault": "wrong_levels", "rank": rank}, "good": {}}
    own.run(ranks_spec(own, cases=cases), code=1)
    wrong = next(row for row in own.rows() if row["status"] == "wrong")
    assert wrong["time_ms"] == "" and wrong["reason"] and wrong["validated"] == "1"
    assert statuses(own.rows(), "good") == ["ok"] * 2


def test_what_ranks_print_is_in_the_log(own):
    own.run(
        ranks_spec(
            own, cases={"loud": {"fault": "chatter"}, "louder": {"fault": "chatter", "rank": 0}}
        )
    )
    assert statuses(own.rows(), "loud") == ["ok"] * 2
    log = (own.results / "t/worker.log").read_text()
    for rank in (0, 1):
        assert f"[1,{rank}]<stderr>:faulty: an engine must not print" in log


def launch_script(bench, text) -> str:
    script = bench.folder / "launch.sh"
    script.write_text(f"#!/bin/sh\nranks=$1\nshift\n{text}\n")
    script.chmod(0o755)
    return f"'{script}' {{ranks}} {{command}}"


def test_a_rank_of_another_build_is_named(own):
    other = own.folder / "bfslab-other"
    shutil.copy(own.program, other)
    with open(other, "ab") as file:
        file.write(b"another build")
    launcher = launch_script(own, f'exec mpirun -n 1 "$@" : -n 1 {other} worker --ranks 2')
    spec = ranks_spec(own, base={"engine": "faulty-ranks"}, cases={"two": {"ranks": 2}, "one": {}})
    own.run(spec, "--launcher", launcher)
    rows = own.rows()
    assert statuses(rows, "one") == ["ok"] * 2 and statuses(rows, "two") == ["crash"]
    reason = next(row["reason"] for row in rows if row["case"] == "two")
    own_build = next(row["build_hash"] for row in rows)
    assert reason.startswith("graph: rank 1 is of build ") and "install the same bfslab" in reason
    assert f"rank 0 of build {own_build}" in reason
    own.run(spec)  # corrected: this run tries again
    assert sorted(statuses(own.rows(), "two")) == ["ok"] * 2


def test_a_launcher_that_starts_too_few(own):
    for text, found in [('exec mpirun -n 1 "$@"', "1 started"), ('exec "$@"', "1 started")]:
        own.run(ranks_spec(own), "--launcher", launch_script(own, text), "--fresh")
        (row,) = own.rows()
        assert row["status"] == "crash" and "2 ranks were asked for" in row["reason"]
        assert found in row["reason"]


def test_a_launcher_that_talks_tags_and_wraps(own):
    """Banners on standard output, tags before lines, and a script that mpirun does not replace."""
    launcher = launch_script(
        own, 'echo "welcome to the cluster"\nmpirun --tag-output -n $ranks "$@"'
    )
    own.env["BFSLAB_LAUNCHER"] = launcher
    cases = {"bad": {"fault": "throw"}, "hang": {"fault": "hang"}, "good": {}}
    # 200 levels: a reply of several pieces
    spec = {"graphs": ["path:vertices=200"], "sources": [0], "record": ["time", "levels"]}
    own.run(ranks_spec(own, cases=cases, limits={"trial_s": 1}, **spec))
    assert statuses(own.rows(), "good") == ["ok"] * 2
    assert len(own.rows("levels")) == 200
    reasons = {row["status"]: row["reason"] for row in own.rows()}
    assert reasons["crash"].startswith("rank 1: exception while traversing")
    assert reasons["timeout"] == "1 s while traversing, limits.trial_s is 1"
    assert "welcome to the cluster" in (own.results / "t/worker.log").read_text()
    assert json.loads((own.results / "t/environment.json").read_text())["launcher"] == launcher


def test_templates_that_are_wrong(bench):
    spec = ranks_spec(bench)
    for launcher, words in {
        "mpirun {command}": "expected {ranks}",
        "mpirun -n {ranks} {command} {command}": "expected {command} once",
        "sh -c 'mpirun -n {ranks} {command}'": "must be a separate word",
        "mpirun -n {ranks} '{command}": "a quote is not closed",
        "{command} {ranks}": "expected a program before",
        " ": "expected the command that starts",
        "no-such-launcher -n {ranks}": 'no program "no-such-launcher" in PATH',
    }.items():
        refused = bench.run(spec, "--launcher", launcher, code=2).stderr
        assert words in refused and refused.count("\n") == 1, refused
    bench.env["BFSLAB_LAUNCHER"] = "srun {command}"
    assert "BFSLAB_LAUNCHER" in bench.run(spec, code=2).stderr
    assert not bench.results.exists()


def test_without_mpirun_ranks_are_rows_that_say_what_to_install(bench):
    bench.env["PATH"] = str(bench.folder)
    spec = ranks_spec(
        bench, base={"engine": "faulty-ranks"}, cases={"two": {"ranks": 2}, "one": {}}
    )
    bench.run(spec)
    assert statuses(bench.rows(), "one") == ["ok"] * 2
    (row,) = [row for row in bench.rows() if row["case"] == "two"]
    assert row["status"] == "unsupported" and "apt-get install" in row["reason"]


def test_kill_9_of_the_driver_then_resume(own):
    spec = ranks_spec(own, cases={"a": {"sleep_ms": 5}, "b": {"sleep_ms": 6}}, repeats=8)
    for _ in range(2):
        process = own.start(spec)
        rows = count_rows(own)
        wait_for(lambda n=rows: count_rows(own) >= max(n, 0) + 3, process)
        assert len(own.processes()) >= 3  # the driver and two ranks
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        wait_until(lambda: own.processes() == [])
    own.run(spec)
    assert len(own.keys()) == len(set(own.keys())) == 32


def test_ranks_that_hang_end_with_their_driver(own):
    process = own.start(ranks_spec(own, cases={"bad": {"fault": "hang"}}))
    wait_for(lambda: count_rows(own) >= 0 and len(own.processes()) == 3, process)
    process.kill()
    process.communicate()
    wait_until(lambda: own.processes() == [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_complete_rows_and_no_process(own, number):
    spec = ranks_spec(own, cases={"slow": {"sleep_ms": 40}}, repeats=4)
    process = own.start(spec)
    wait_for(lambda: count_rows(own) > 0, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert own.processes() == []
    assert 0 < len(own.rows()) < 8 and {row["status"] for row in own.rows()} == {"ok"}
    own.run(spec)
    assert len(own.keys()) == len(set(own.keys())) == 8


SENT = ["INT", "HUP", "QUIT", "TERM", "USR1", "XCPU"]


@pytest.mark.parametrize(
    ("number", "of_launcher"),
    [(name, False) for name in SENT] + [("INT", True), ("TERM", True)],
)
def test_a_signal_of_others_to_a_rank_or_to_the_launcher_interrupts(own, number, of_launcher):
    """docs/spec.md: the trial is tried again at once, and a crash only by a signal of its own."""
    number = signal.Signals[f"SIG{number}"]
    spec = ranks_spec(own, cases={"slow": {"sleep_ms": 300}}, repeats=3)
    process = own.start(spec)
    wait_for(lambda: count_rows(own) > 0, process)
    if of_launcher:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        target = int(children[0])
    else:
        target = next(one for one in own.processes() if one != process.pid)
    os.kill(target, number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "interrupted, and tried again" in err or "interrupted" in statuses(own.rows(), "slow")
    assert set(statuses(own.rows(), "slow")) <= {"ok", "interrupted"}
    assert statuses(own.rows(), "slow").count("ok") == 6


def test_ranks_whose_launcher_is_killed(own):
    """The launcher's death is a row, whatever its ranks are doing, and they end. It was somebody's
    deed, so that the trial is tried again."""
    cases = {"bad": {"fault": "hang"}, "good": {}}
    spec = ranks_spec(own, cases=cases, limits={"trial_s": 3})
    process = own.start(spec)
    wait_for(lambda: len(own.processes()) == 3, process)
    (launcher,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    wait_until(lambda: count_rows(own) >= 0)
    os.kill(int(launcher), signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    rows = own.rows()
    assert process.returncode == 0, err
    assert statuses(rows, "bad")[-2:] == ["timeout", "skipped"]
    assert "the launcher mpirun was killed by signal 9 (SIGKILL)" in err


def test_a_full_disk(own, small_disk):
    keys = {"graphs": ["path:vertices=300"], "sources": list(range(20)), "record": ["levels"]}
    spec = ranks_spec(own, **keys)
    own.results = small_disk
    done = own.run(spec, code=1)
    assert "No space left" in done.stderr and own.processes() == []
    assert 0 < len(own.rows()) < 20
    subprocess.run(["mount", "-o", "remount,size=8m", small_disk], check=True)
    own.run(spec)
    assert len(own.keys()) == len(set(own.keys())) == 20


@pytest.fixture
def two_hosts(own):
    """The launcher of two hosts: namespaces of network and host name, joined by a wire."""
    a, b = f"bfslab-a{os.getpid()}", f"bfslab-b{os.getpid()}"
    setup = [
        f"netns add {a}",
        f"netns add {b}",
        f"link add wire netns {a} type veth peer name wire netns {b}",
        *(f"-n {host} addr add 10.213.7.{i}/24 dev wire" for i, host in [(1, a), (2, b)]),
        *(f"-n {host} link set {link} up" for host in (a, b) for link in ("lo", "wire")),
    ]
    if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("unshare") is None:
        pytest.skip("two hosts on one need root, iproute2 and unshare")
    try:
        for words in setup:
            done = subprocess.run(["ip", *words.split()], capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"ip {words}: {done.stderr.strip()}")
        agent = own.folder / "agent.sh"  # instead of ssh: HOST COMMAND...
        inside = f'exec ip netns exec {b} unshare --uts sh -c "hostname host-b; $*"'
        agent.write_text(f"#!/bin/sh\nshift\n{inside}\n")
        agent.chmod(0o755)
        yield launch_script(
            own,
            f"exec ip netns exec {a} unshare --uts sh -c 'hostname host-a; exec \"$@\"' sh "
            f"mpirun -n $ranks --host 10.213.7.1:2,10.213.7.2:2 --map-by node "
            f'--mca plm_rsh_agent {agent} --mca btl tcp,self "$@"',
        )
    finally:
        for host in (a, b):
            subprocess.run(["ip", "netns", "del", host], capture_output=True)


def test_two_hosts(own, two_hosts):
    cases = {fault: {"fault": fault} for fault in ("kill", "hang", "throw")}
    cases["good"] = {"ranks": 3}
    spec = ranks_spec(own, cases=cases, limits={"trial_s": 1}, sources=[1], repeats=2)
    own.run(spec, "--launcher", two_hosts)
    rows = own.rows()
    assert statuses(rows, "good") == ["ok"] * 2
    reasons = {row["case"]: row["reason"] for row in rows if row["status"] in ("crash", "timeout")}
    assert reasons["kill"].startswith("rank 1 on 10.213.7.2: killed by signal 9")
    assert reasons["throw"].startswith("rank 1: exception while traversing")
    assert reasons["hang"] == "1 s while traversing, limits.trial_s is 1"


def test_isolate_and_shards(own):
    spec = ranks_spec(own, cases={"a": {}, "b": {"ranks": 1}, "c": {"ranks": 3}}, isolate=True)
    assert "in 3 workers" in own.run(spec, "--dry-run").stdout
    for shard in ("1/2", "2/2"):
        own.run(spec, "--shard", shard)
    assert sorted((row["case"], row["ranks"]) for row in own.rows()) == [
        ("a", "2"), ("a", "2"), ("b", "1"), ("b", "1"), ("c", "3"), ("c", "3"),
    ]  # fmt: skip


def test_what_the_machine_lacks_is_a_row_with_the_reason(own):
    cases = {"four": {"ranks": 2, "gpus_per_rank": 2}, "six": {"ranks": 2, "gpus_per_rank": 3}}
    own.run(own.spec(base={"engine": "faulty-ranks"}, sources=[1], cases=cases))
    status = {row["case"]: (row["status"], row["reason"]) for row in own.rows()}
    assert status["four"] == ("ok", "")
    assert status["six"] == ("unsupported", "faulty: 6 GPUs wanted, and there are 4")


@pytest.mark.parametrize("ranks", [1, 2])
def test_without_a_gpu_engines_of_many_are_rows_that_say_so(own, ranks):
    own.env |= {"CUDA_VISIBLE_DEVICES": ""}
    base = {"engine": "delegate-cuda", "ranks": ranks}
    # With calibrations, as specs have them: their kernel finds no GPU either.
    own.run(own.spec(base=base, graphs=["kronecker:scale=6"], pollution={}))
    rows = own.rows()
    assert rows and {row["status"] for row in rows} == {"unsupported"}
    assert all("GPU" in row["reason"] or "CUDA" in row["reason"] for row in rows)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor, so one thread")
def test_no_thread_that_checked_an_answer_runs_beside_the_next_search(bench):
    """OpenMP's threads look for work for milliseconds after a check, which made engines that bring
    their own threads several times as slow."""
    toggles = {"fault": "crowded", "rank": 0, "call": 1}
    bench.run(bench.spec(base={"engine": "faulty-ranks", **toggles}, sources=[1, 2], check="all"))
    assert [row["reason"] for row in bench.rows()] == ["", ""]


def test_an_engine_of_one_process_has_one_rank(bench):
    bench.run(bench.spec(base={"engine": "faulty-gpu", "ranks": 1}, sources=[1]))
    assert [(row["ranks"], row["gpus_per_rank"]) for row in bench.rows()] == [("1", "1")]
    refused = bench.run(bench.spec("u", base={"engine": "faulty-gpu", "ranks": 2}), code=2)
    assert "this engine runs as one process on one device" in refused.stderr
    assert not (bench.results / "u").exists()


def test_combinations_left_out_are_told_and_recorded(own):
    sweep = {"illegal": "skip", "engine": ["faulty", "faulty-ranks"], "ranks": [1, 2]}
    done = own.run(own.spec(base={}, cases={"A": {}}, sources=[1], sweep=sweep))
    reason = "ranks = 2 with engine = faulty: this engine runs as one process on one device"
    assert "refuse them: 1 of 4 combinations" in done.stderr and f"1 x {reason}" in done.stderr
    assert len(own.rows()) == 3
    with open(own.results / "t/left_out.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [(row["case"], row["engine"], row["reason"]) for row in table] == [
        ("A", "faulty", reason)
    ]
