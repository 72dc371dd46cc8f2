# SPDX-License-Identifier: Apache-2.0
"""`bfslab list` and `bfslab check`: what goes to stdout, what to stderr, and the exit code."""

import itertools
import json
import os
import re
import subprocess
from array import array
from pathlib import Path

import pytest
from test_schema import refusals

from plots.figures import frontier_expansion_map as heat_map
from plots.load import REIMPLEMENTED

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "data" / "specs"
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
WIDTH = 100


@pytest.fixture
def bfslab(tmp_path):
    if not BFSLAB.exists():
        pytest.skip(f"{BFSLAB} is not built")

    def run(*arguments):
        environment = {**os.environ, "BFSLAB_CACHE": str(tmp_path / "cache"), "BFSLAB_DATA": ""}
        return subprocess.run(
            [str(BFSLAB), *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
        )

    return run


def test_every_engine_is_listed_with_its_toggles(bfslab):
    listed = {
        engine["name"]: engine for engine in json.loads(bfslab("list", "engines", "--json").stdout)
    }
    assert {"sequential", "top-down", "bottom-up", "hybrid", "ligra"} <= set(listed)
    toggles = {toggle["name"]: toggle for toggle in listed["hybrid"]["toggles"]}
    assert toggles["threads"]["default"] == 0
    assert toggles["alpha"]["legal_with"][0]["toggle"] == "rule"
    assert toggles["rule"]["default"] in toggles["rule"]["choices"]
    ours = {name for name, engine in listed.items() if engine["reimplemented"]}
    assert ours == REIMPLEMENTED  # what figures call so


@pytest.mark.parametrize("what", ["engines", "graphs"])
def test_lists_fit_the_terminal(bfslab, what):
    done = bfslab("list", what)
    assert done.returncode == 0
    assert done.stderr == ""
    assert max(map(len, done.stdout.splitlines())) <= WIDTH


def test_one_engine(bfslab):
    done = bfslab("list", "engines", "ligra")
    assert done.stdout.startswith("ligra")
    assert "dense_divisor" in done.stdout
    wrong = bfslab("list", "engines", "lirga")
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert 'did you mean "ligra"?' in wrong.stderr


def test_graphs_name_the_files_at_hand(bfslab, tmp_path):
    (tmp_path / "mine.txt").write_text("0 1\n")
    (tmp_path / "notes.md").write_text("no graph\n")
    listed = json.loads(bfslab("list", "graphs", "--json", "--data", tmp_path).stdout)
    assert [file["name"] for file in listed["files"]] == ["snap:mine"]
    assert all(entry["here"] in (None, "generated") for entry in listed["catalogue"])
    kinds = {kind["name"]: kind for kind in listed["kinds"]}
    assert "default" not in kinds["kronecker"]["parameters"][0]  # scale is required
    assert listed["built"] == []


def test_the_catalogue_says_what_is_here(bfslab, tmp_path):
    (tmp_path / "local").mkdir()
    file = tmp_path / "local" / "wave.graph"
    file.write_text("2 1\n2\n1\n")
    entry = json.loads(bfslab("list", "graphs", "wave", "--json", "--data", tmp_path).stdout)
    assert entry["here"] == str(file)
    assert entry["graph"] == "dimacs10:wave"
    group = bfslab("list", "graphs", "small-real", "--data", tmp_path).stdout
    here = [line.split()[0] for line in group.splitlines() if " yes " in line]
    assert here == ["wave"]
    wrong = bfslab("list", "graphs", "wawe")
    assert wrong.returncode == 2
    assert 'did you mean "wave"' in wrong.stderr


def test_missing_sets_get_their_stand_ins_where_allowed(bfslab, tmp_path):
    spec = {"name": "n", "graphs": ["amazon0302", "wiki-Vote"], "base": {"engine": "hybrid"}}
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(spec))
    (tmp_path / "wiki-Vote.txt").write_text("0 1\n")
    data = ["--data", tmp_path]
    allowed = bfslab("check", file, *data, "--allow-stand-ins")
    assert allowed.returncode == 0
    for seed in ("", ",seed=2", ",seed=3"):
        assert f"amazon0302-standin{seed} stands in for amazon0302" in allowed.stdout
    assert "wiki-Vote-standin" not in allowed.stdout
    # A file that is present is used, allowed or not; the option is the key of the same name.
    (tmp_path / "amazon0302.txt").write_text("0 1\n")
    assert "standin" not in bfslab("check", file, *data, "--allow-stand-ins").stdout
    by_key = bfslab("check", file, *data, "--set", "allow_stand_ins=true").stdout
    assert by_key == bfslab("check", file, *data, "--allow-stand-ins").stdout
    (tmp_path / "amazon0302.txt").unlink()
    spec |= {"graphs": ["amazon0302", "amazon0302-standin"], "allow_stand_ins": True}
    file.write_text(json.dumps(spec))
    twice = bfslab("check", file, *data)
    assert twice.returncode == 2
    assert "its stand-in is in the list already" in twice.stderr


def test_experiments_are_listed(bfslab, tmp_path):
    (tmp_path / "deep").mkdir()
    spec = {"name": "n", "paper": "p", "item": "Table 1", "title": "t", "graphs": []}
    (tmp_path / "deep" / "a.json").write_text(json.dumps(spec))
    (tmp_path / "other.json").write_text("[]")
    (tmp_path / "torn.json").write_text('{"graphs"')
    listed = json.loads(bfslab("list", "experiments", "--dir", tmp_path, "--json").stdout)
    assert [each["name"] for each in listed] == ["n"]
    assert bfslab("list", "experiments", "--dir", tmp_path / "none").returncode == 2


def test_a_spec_that_extends_another_is_listed_and_printed_as_resolved(bfslab, tmp_path):
    twins = sorted((ROOT / "experiments").glob("*/*_standins.json"))
    assert len(twins) == 22
    done = bfslab("list", "experiments", "--dir", ROOT / "experiments/xbfs", "--json")
    items = {each["name"]: each["item"] for each in json.loads(done.stdout)}
    assert items["xbfs-fig11-standins"] == items["xbfs-fig11"] == "Figure 11"
    for twin in twins:
        own = json.loads(twin.read_text())
        parent = json.loads((twin.parent / own.pop("extends")).read_text())
        expected = {k: v for k, v in (parent | own).items() if k != "$schema"}
        done = bfslab("check", "--resolved", twin)
        assert json.loads(done.stdout) == expected
        assert list(json.loads(done.stdout).get("cases", {})) == list(parent.get("cases", {}))
    # The output is a spec with the same meaning.
    (tmp_path / "alone.json").write_text(done.stdout)
    assert bfslab("check", "--resolved", tmp_path / "alone.json").stdout == done.stdout


def spec_expansions(path: str) -> list[str]:
    """The expansions that the sweeps of a spec name."""
    cases = json.loads((ROOT / path).read_text())["cases"].values()
    return [name for case in cases for name in case.get("sweep", {}).get("expand", [])]


def test_the_heat_map_holds_every_sound_pair_once_and_the_figure_has_a_place_for_it(bfslab):
    dfq = json.loads(bfslab("list", "engines", "dfq", "--json").stdout)[0]
    choices = {t["name"]: t["choices"] for t in dfq["toggles"] if t["kind"] == "choice"}
    names = ("queue", "collect", "memory", "expand")
    products = itertools.product(*(choices[name] for name in names))
    named = set(spec_expansions("experiments/dfq/heat_map.json"))
    sound = [
        p for p in products
        if p[-1] in named and not refusals(dfq, dict(zip(names, p, strict=True)))
    ]  # fmt: skip
    plan = bfslab("run", "experiments/dfq/heat_map.json", "--dry-run", "--offline").stdout
    pairs = []
    for line in plan.split("  worker 2:")[0].splitlines():
        if ": dfq " in line:
            toggles = dict(each.split("=") for each in line.split()[-1].split(";"))
            pairs.append(tuple(toggles[name] for name in names))
    assert sorted(pairs) == sorted(sound)
    rows = [dict(zip(names, pair, strict=True)) for pair in sound]
    assert {heat_map.frontier(row) for row in rows} == set(heat_map.FRONTIERS)
    assert {row["expand"] for row in rows} == named <= set(heat_map.EXPANSIONS)


def test_parts_are_listed_and_files_made_of_them_are_fresh(bfslab):
    listed = bfslab("list", "parts", "--json").stdout
    assert listed == (ROOT / "plots/parts.json").read_text(), "write it anew: make schema"
    page = bfslab("list", "parts", "--markdown").stdout
    assert page == (ROOT / "docs/parts.md").read_text(), "write it anew: make schema"
    parts = json.loads(listed)
    assert {part["kind"] for part in parts} == {"expansion", "frontier", "balance"}
    assert all(part["doc"].endswith(".") for part in parts)
    text = bfslab("list", "parts", "balance").stdout
    assert "donation" in text and "merge_path" not in text
    refused = bfslab("list", "parts", "balances")
    assert refused.returncode == 2
    assert '"balances"; there are expansion, frontier, balance' in refused.stderr


def test_engines_offer_the_parts_of_the_table(bfslab):
    """A row of the table and a header make an expansion of dfq and xbfs; nothing else names it."""
    parts = json.loads(bfslab("list", "parts", "--json").stdout)
    names = {
        kind: [p["name"] for p in parts if p["kind"] == kind] for kind in ("expansion", "balance")
    }
    engines = {e["name"]: e for e in json.loads(bfslab("list", "engines", "--json").stdout)}

    def choices(engine: str, toggle: str) -> list[str]:
        return next(t["choices"] for t in engines[engine]["toggles"] if t["name"] == toggle)

    assert choices("dfq", "expand") == names["expansion"]
    assert choices("xbfs", "balance") == names["balance"]
    vertices = [p["name"] for p in parts if p["kind"] == "expansion" and p["takes"] != "shares"]
    assert choices("xbfs", "expand") == vertices
    assert set(choices("gunrock", "advance")) < set(vertices)
    folder = ROOT / "kernels/cuda/expand"
    headers = {
        file.stem for file in folder.glob("*.cuh") if "static_assert(Expansion<" in file.read_text()
    }
    assert headers == set(vertices)


def test_every_frontier_of_the_table_is_legal_in_dfq_and_no_other_is(bfslab):
    dfq = json.loads(bfslab("list", "engines", "dfq", "--json").stdout)[0]
    parts = json.loads(bfslab("list", "parts", "frontier", "--json").stdout)
    choices = {t["name"]: t["choices"] for t in dfq["toggles"] if t["kind"] == "choice"}
    names = ("queue", "collect", "memory")
    legal = [
        p for p in itertools.product(*(choices[name] for name in names))
        if not refusals(dfq, dict(zip(names, p, strict=True)) | {"expand": "thread"})
    ]  # fmt: skip
    assert sorted(legal) == sorted(tuple(part["switches"][n] for n in names) for part in parts)


def test_check_counts_trials(bfslab):
    done = bfslab("check", CORPUS / "good" / "everything.json")
    assert done.returncode == 0
    assert done.stderr == ""
    # 6 configurations x 11 sources (4 of two graphs, 3 of one) x 2 to 9 repeats, and one
    # instrumented each
    assert "132 to 594 timed + 66 instrumented" in done.stdout
    assert "x 3 to 4 sources x" in done.stdout
    assert "stands in for europe_osm" in done.stdout


def test_check_applies_overrides(bfslab):
    done = bfslab("check", "--set", "repeats=5", CORPUS / "good" / "minimal.json")
    assert done.returncode == 0, done.stderr
    assert "x 5 repeats" in done.stdout


def test_check_reports_every_file_and_still_shows_the_good_ones(bfslab):
    bad = [CORPUS / "bad" / "unknown_key.json", CORPUS / "bad" / "every_case_has_its_fault.json"]
    done = bfslab("check", bad[0], CORPUS / "good" / "minimal.json", bad[1], "nowhere.json")
    assert done.returncode == 2
    assert done.stdout.count(", spec ") == 1
    expected = "".join(
        path.with_suffix(".expect").read_text().replace("FILE:", f"{path}:") for path in bad
    )
    assert done.stderr.startswith(expected)
    assert "nowhere.json: cannot be read: No such file or directory" in done.stderr


def test_check_notices_a_missing_graph_file(bfslab, tmp_path):
    spec = CORPUS / "good" / "graphs_named.json"
    done = bfslab("check", spec, "--data", tmp_path, "--offline")
    assert done.returncode == 2
    assert f"{spec}: graph snap:wiki-Vote: " in done.stderr


def test_check_says_what_would_be_fetched(bfslab, tmp_path):
    """Of a mirror that is a folder it knows the size; what the mirror lacks is an error."""
    spec = tmp_path / "spec.json"
    spec.write_text(
        json.dumps({"name": "s", "graphs": ["wiki-Vote"], "base": {"engine": "hybrid"}})
    )
    place = tmp_path / "mirror/snap.stanford.edu/data/wiki-Vote.txt.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"x" * 1234)
    done = bfslab("check", spec, "--mirror", tmp_path / "mirror")
    assert done.returncode == 0, done.stderr
    assert f"wiki-Vote is not here: `bfslab run` fetches {place}, 1234 bytes" in done.stdout
    assert "7115 vertices" in done.stdout
    place.unlink()
    assert bfslab("check", spec, "--mirror", tmp_path / "mirror").returncode == 2


def test_check_takes_the_size_of_a_built_graph_from_the_cache(bfslab, tmp_path):
    (tmp_path / "mine.txt").write_text("0 1\n1 2\n")
    spec = tmp_path / "spec.json"
    spec.write_text(
        json.dumps({"name": "s", "graphs": ["snap:mine"], "base": {"engine": "hybrid"}})
    )

    def row():
        lines = bfslab("check", spec, "--data", tmp_path).stdout.splitlines()
        return next(line for line in lines if line.split()[:1] == ["snap:mine"]).split()[1:3]

    assert row() == ["?", "?"]
    assert bfslab("graph", "info", "snap:mine", "--data", tmp_path).returncode == 0
    assert row() == ["3", "4"]


@pytest.mark.parametrize(
    ("sources", "outside"),
    [([0, 5], None), ([6], 6), ([0, 7, 5], 7), ([4294967294], 4294967294), ({"count": 9}, None)],
)
def test_check_refuses_sources_that_a_built_graph_does_not_have(bfslab, tmp_path, sources, outside):
    (tmp_path / "own.txt").write_text("".join(f"{v} {v + 1}\n" for v in range(5)))
    graph = "snap:own,symmetrize=false"
    spec = tmp_path / "s.json"
    spec.write_text(json.dumps({"name": "s", "graphs": [graph],
                                "sources": sources, "base": {"engine": "hybrid"}}))  # fmt: skip
    assert bfslab("check", spec, "--data", tmp_path).returncode == 0  # its size is not known yet
    assert bfslab("graph", "info", graph, "--data", tmp_path).returncode == 0
    done = bfslab("check", spec, "--data", tmp_path)
    assert done.returncode == (0 if outside is None else 2)
    said = f"graph {graph}: source {outside} is not in the graph, which has vertices 0 to 5\n"
    assert done.stderr == ("" if outside is None else f"{spec}: {said}")


EMPTY = [
    ["run", "experiments/quick/engines.json", "--results", ""],
    ["run", "--results", "", "experiments/quick/engines.json"],
    ["run", "experiments/quick/engines.json", "--cache", ""],
    ["run", "experiments/quick/engines.json", "--data", ""],
    ["run", "experiments/quick/engines.json", "--only", "", "--dry-run"],
    ["profile", "experiments/quick/engines.json", "--results", "", "--dry-run"],
    ["check", "experiments/quick/engines.json", "--data", "a", "--data", ""],
    ["check", "experiments/quick/engines.json", "--mirror", ""],
    ["list", "experiments", "--dir", ""],
    ["graph", "info", "kronecker:scale=4", "--cache", ""],
    ["graph", "convert", "kronecker:scale=4", "--to", ""],
    ["graph500", "--scale", "4", "--results", ""],
    ["traverse", "kronecker:scale=4", "--source", "1", "--out", ""],
    ["compare", "results/vm", "results/vm", "--allow", ""],
    ["doctor", "results/vm", "--known", ""],
]


@pytest.mark.parametrize("words", EMPTY, ids=lambda words: " ".join(w or "''" for w in words))
def test_an_empty_text_is_not_taken_for_the_default(bfslab, words):
    """`--results "$UNSET"` is a mistake."""
    done = bfslab(*words)
    option = words[words.index("") - 1]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"{option}: found an empty text" in done.stderr


@pytest.mark.parametrize("size", ["-1", "-5GB", "+1", "-0", "nan", "1e999GB", "8 gigs"])
@pytest.mark.parametrize(
    "words", [["list", "experiments", "--max-memory"], ["graph", "fetch", "gone", "--max-size"]]
)
def test_a_size_is_a_number_of_bytes(bfslab, words, size):
    done = bfslab(*words, size)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1 and f"{words[-1]}: " in done.stderr


def test_convert_names_every_ending_that_it_writes(bfslab):
    refused = bfslab("graph", "convert", "kronecker:scale=4", "--to", "x.unknown").stderr
    endings = set(re.findall(r"\.[a-z]+(?:\.gz)?(?= |,)", refused.partition("expected")[2]))
    assert {".sg", ".csr", ".mtx", ".txt.gz", ".adj", ".graph", ".gr"} <= endings
    shown = bfslab("graph", "convert", "--help").stdout
    assert [ending for ending in endings if ending not in shown] == []


def test_convert_writes_row_offsets_and_columns_as_two_files(bfslab, tmp_path):
    pair, text = tmp_path / "k.arrays32", tmp_path / "k.adj"
    command = ["graph", "convert", "kronecker:scale=6", "--to"]
    done = bfslab(*command, str(pair))
    assert done.returncode == 0, done.stderr
    files = [f"{pair}.offsets", f"{pair}.columns"]
    assert done.stdout.split() == files
    assert bfslab(*command, str(text)).returncode == 0
    kind, vertices, entries, *numbers = text.read_text().split()
    assert kind == "AdjacencyGraph" and len(numbers) == int(vertices) + int(entries)
    offsets = array("q", Path(files[0]).read_bytes())
    columns = array("I", Path(files[1]).read_bytes())
    assert offsets[-1] == int(entries) > 0
    assert [*offsets[:-1], *columns] == [int(number) for number in numbers]
    refused = bfslab(*command, str(pair))
    assert refused.returncode == 2 and f"{files[0]}: already exists" in refused.stderr


PLANS = {
    "engines": [],
    "engines, some": ["--only", "hybrid*/kronecker:scale=16"],
    "edges": [],
    "threads": ["--set", "sources.count=3", "--shard", "1/2"],
}


@pytest.mark.parametrize("which", PLANS)
def test_the_plan_as_json_is_the_plan_as_text(bfslab, which):
    words = [f"experiments/quick/{which.split(',')[0]}.json", *PLANS[which], "--dry-run"]
    text = bfslab("run", *words).stdout
    (plan,) = json.loads(bfslab("run", *words, "--json").stdout)
    head = f"{plan['experiment']} ({plan['file']}): {plan['trials']} trials"
    assert text.startswith(f"{head} in {len(plan['workers'])} worker")
    assert plan["trials"] == sum(worker["trials"] for worker in plan["workers"]) > 0
    graphs = re.findall(r"^  worker \d+: ([^,\n]+)", text, re.MULTILINE)
    assert [worker["graph"] for worker in plan["workers"]] == graphs
    cases = [each["case"] for worker in plan["workers"] for each in worker["configurations"]]
    assert re.findall(r"^    (.*?): ", text, re.MULTILINE) == cases
    refused = bfslab("run", *words, "--markdown")
    assert refused.returncode == 2 and "--markdown" in refused.stderr


def test_check_warns_where_memory_cannot_do(bfslab):
    spec = CORPUS / "good" / "minimal.json"
    done = bfslab("check", spec, "--set", 'graphs=["kronecker:scale=31,edge_factor=1024"]')
    assert done.returncode == 0
    assert "WARNING: " in done.stdout
    limited = bfslab(
        "check",
        spec,
        "--set",
        'graphs=["kronecker:scale=16"]',
        "--set",
        "limits.memory_mib=1",
    )
    assert "limits.memory_mib allows 1 MiB" in limited.stdout


def test_check_takes_published_counts_of_what_is_not_here(bfslab, monkeypatch):
    monkeypatch.setenv("BFSLAB_OFFLINE", "0")  # nothing is fetched
    done = bfslab("check", "experiments/cs406/table3.json", "--set", 'graphs=["snap:ca-HepPh"]')
    assert done.returncode == 0, done.stderr
    row = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["snap:ca-HepPh"])
    assert row.split()[1:3] == ["12,008", "474,020"]
    assert "snap:ca-HepPh: counts as published" in done.stdout
    words = " ".join(done.stdout.split())
    assert "unknown size" not in words and "without downloads" in words


def test_check_says_at_once_what_cannot_run_here(bfslab, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    done = bfslab("check", "experiments/quick/gpu_ablation.json")
    assert done.returncode == 0, done.stderr
    second = done.stdout.splitlines()[1]
    assert second.startswith("  CANNOT RUN HERE: xbfs: ") and "GPU" in second
    assert 'rows will read "unsupported"' in second
    assert done.stdout.splitlines()[3].split()[-3:] == ["-", "-", "-"]
    assert "  time    not known: none of its engines can run here" in done.stdout
    assert "CANNOT" not in bfslab("check", "experiments/quick/engines.json").stdout


def test_check_names_a_graph_that_cannot_be_made(bfslab, tmp_path):
    spec = {"name": "s", "graphs": ["kronecker:scale=33"], "base": {"engine": "hybrid"}}
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(spec))
    done = bfslab("check", path)
    assert done.returncode == 0, done.stderr
    second = done.stdout.splitlines()[1]
    assert second.startswith("  CANNOT BE MADE: kronecker:scale=33: a graph of 2^33 vertices ")
    assert "choose scale=31 or less" in second and second.endswith('rows will read "skipped"')
    assert "  time    not known: none of its engines can run here" in done.stdout
    path.write_text(json.dumps(spec | {"graphs": ["kronecker:scale=33", "kronecker:scale=10"]}))
    done = bfslab("check", path)
    assert "CANNOT BE MADE: kronecker:scale=33: " in done.stdout
    assert "  time    about " in done.stdout and "WARNING" not in done.stdout
    counter = {"engine": "degree-separation", "method": "expect"}
    path.write_text(json.dumps(spec | {"base": counter}))
    assert "CANNOT" not in bfslab("check", path).stdout


def test_check_refuses_a_file_that_could_be_two_things(bfslab, tmp_path):
    (tmp_path / "g.dat").write_text("3 3\n2 3\n1 3\n1 2\n")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"name": "s", "graphs": ["g.dat"], "base": {"engine": "hybrid"}}))
    done = bfslab("check", spec)  # the path is the spec's, not that of the folder it is run in
    assert done.returncode == 2
    assert "could be two things" in done.stderr and ",format=metis" in done.stderr
    spec.write_text(spec.read_text().replace("g.dat", "g.dat,format=metis"))
    assert bfslab("check", spec).returncode == 0


def test_graph_info_takes_a_path_and_says_what_it_assumed(bfslab, tmp_path):
    file = tmp_path / "pairs.edges"
    file.write_text("% a remark\n1,2\n2,3\n")
    told = bfslab("graph", "info", file, "--no-cache").stdout
    assert f"file:{file},format=auto" in told
    assert "2 columns between commas, % before comments" in told
    (tmp_path / "out.x").write_text("1 2\n2 3\n")
    told = bfslab("graph", "info", tmp_path / "out.x", "--no-cache", "--json").stdout
    facts = {k: v for fact in json.loads(told)["provenance"] for k, v in fact.items()}
    assert facts["format"] == "edges"
    assert "does not begin with" in facts["format_found"]


def test_experiments_say_what_they_need_and_are_chosen_by_it(bfslab, tmp_path, monkeypatch):
    monkeypatch.setenv("BFSLAB_OFFLINE", "0")  # nothing is fetched
    graphs = ["kronecker:scale=10"]
    base = {"engine": "hybrid"}
    specs = {
        "small": {},
        "gpu": {"base": {"engine": "xbfs"}},
        "fetched": {"graphs": ["soc-Epinions1"]},
        "large": {"graphs": ["kronecker:scale=26"]},
        "absent": {"graphs": ["dimacs10:nowhere"]},
    }
    for name, other in specs.items():
        spec = {"name": name, "graphs": graphs, "base": base} | other
        (tmp_path / f"{name}.json").write_text(json.dumps(spec))

    def named(*options):
        done = bfslab("list", "experiments", "--dir", tmp_path, "--json", *options)
        assert done.returncode == 0, done.stderr
        return {each["name"]: each["needs"] for each in json.loads(done.stdout)}

    needs = named()
    assert set(needs) == set(specs)
    assert needs["gpu"]["gpus"] == 1 and needs["small"]["gpus"] == 0
    assert needs["fetched"]["network"] and needs["absent"]["missing_graphs"] == 1
    assert needs["large"]["memory_bytes"] > 2**33 > needs["small"]["memory_bytes"] > 0
    assert needs["large"]["seconds_most"] > needs["small"]["seconds_most"] > 0
    assert set(named("--without", "gpu")) == set(specs) - {"gpu"}
    assert set(named("--without", "network", "--without", "data")) == {"small", "gpu", "large"}
    assert set(named("--max-memory", "4GB")) == set(specs) - {"large"}
    assert "large" not in named("--max-minutes", "0.5") and "small" in named("--max-minutes", "0.5")
    text = bfslab("list", "experiments", "--dir", tmp_path).stdout
    assert "needs GPU, " in text and "needs network, " in text


@pytest.mark.parametrize(
    "words,hint",
    [
        (["chekc"], 'bfslab: no command is called "chekc"'),
        (["--versoin"], 'bfslab: no option is called "--versoin"; did you mean "--version"?'),
        (["-v"], 'bfslab: no option is called "-v" (bfslab --help lists them)'),
        (["graph"], "bfslab: graph: name a command: info, generate, convert, fetch, calibrate"),
        (["graph", "fetch"], "bfslab: graph fetch: NAME is required (bfslab graph fetch --help)"),
        (["list", "experiments", "--without", "gpuu"], "bfslab: list experiments: --without: gpuu"),
        (["chekc"], 'did you mean "check"?'),
        (["graph", "ifno", "x"], 'bfslab: graph: no command is called "ifno"'),
        (["run", "--reslts", "x", "spec.json"], 'did you mean "--results"?'),
        (["list", "experiments", "--whithout=gpu"], 'did you mean "--without"?'),
        (["help", "rnu"], 'did you mean "run"?'),
    ],
)
def test_a_typo_is_answered_with_what_was_meant(bfslab, words, hint):
    done = bfslab(*words)
    assert done.returncode == 2
    assert done.stdout == "" and hint in done.stderr


def test_help_and_versions_are_given_however_they_are_asked_for(bfslab):
    assert bfslab("--version").stdout.startswith("bfslab ")
    assert bfslab("--version").stdout.split()[1] == bfslab("version").stdout.split()[1]
    bare = bfslab()
    assert bare.returncode == 0 and bare.stderr == ""
    assert bare.stdout == bfslab("help").stdout == bfslab("--help").stdout
    assert "Examples:" in bfslab("graph", "--help").stdout
    assert bfslab("help", "graph", "info").stdout == bfslab("graph", "info", "--help").stdout


def test_nothing_to_check(bfslab):
    assert bfslab("check").returncode == 2
    assert bfslab("check", "--schema", "a.json").returncode == 2


@pytest.mark.parametrize("kib", [64, 128, 512, 1023])
@pytest.mark.parametrize("command", ["version", "run experiments/quick/edges.json"])
def test_a_small_stack_is_said(tmp_path, kib, command):
    done = subprocess.run(
        ["bash", "-c", f"ulimit -s {kib}; exec {BFSLAB} {command}"],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | {"BFSLAB_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"bfslab: the stack is limited to {kib} KiB, and bfslab needs 1024: raise the limit by "
        "`ulimit -s 8192`\n"
    )
