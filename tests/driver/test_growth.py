# SPDX-License-Identifier: Apache-2.0
"""A spec may grow, also after a rebuild: rows that exist stay, and the missing ones are added."""

import hashlib
import json

import pytest
from driver_bench import CALM, GRAPH

OTHER = "kronecker:scale=7"
BASE = {
    "cases": {"a": {"twin": 1}, "b": {"twin": 2}},
    "sources": {"count": 2, "seed": 1, "rule": "degree>=1"},
    "repeats": 2,
}


def text(bench, table="runs.csv"):
    return (bench.results / "t" / table).read_text()


def contents(bench):
    files = (bench.results / "t").iterdir()
    return {path.name: path.read_bytes() for path in files if path.name != ".lock"}


def environment(bench):
    return json.loads(text(bench, "environment.json"))


def grow(bench, code=0, **keys):
    """The spec with other keys, run again."""
    return bench.run(bench.spec(**(BASE | keys)), code=code)


def timed(bench, **columns):
    rows = [row for row in bench.rows() if row["instrumented"] == "0"]
    return [row for row in rows if all(row[name] == value for name, value in columns.items())]


@pytest.mark.parametrize(
    ("keys", "added"),
    [
        ({"graphs": [GRAPH, OTHER]}, {"graph": OTHER}),
        ({"graphs": [OTHER, GRAPH]}, {"graph": OTHER}),
        ({"cases": BASE["cases"] | {"c": {"twin": 3}}}, {"case": "c"}),
        ({"cases": {"c": {"twin": 3}} | BASE["cases"]}, {"case": "c"}),
        ({"repeats": 3}, {"repeat": "2"}),
        ({"repeats": {"min": 3, "max": 3, "budget_s": 0}}, {"repeat": "2"}),
        ({"record": ["time", "levels"]}, {"instrumented": "1"}),
    ],
    ids=["graph", "graph first", "case", "case first", "repeat", "rule", "levels"],
)
def test_one_more_keeps_the_rows_and_adds_the_missing_ones(bench, keys, added):
    bench.run(bench.spec(**BASE))
    before = text(bench)
    old = environment(bench)["spec_hash"]
    done = grow(bench, **keys)
    assert text(bench).startswith(before)
    new = bench.rows()[len(before.splitlines()) - 1 :]
    assert new and all(row[name] == value for row in new for name, value in added.items())
    assert {row["status"] for row in bench.rows()} == {"ok"}
    assert len(bench.keys()) == len(set(bench.keys()))
    entry = environment(bench)["resumed"][-1]
    assert entry["previous_spec_hash"] == old and entry["spec_hash"] != old
    assert f"the spec has changed from {old} to {entry['spec_hash']}" in done.stderr
    assert json.loads(text(bench, "spec.json")).items() >= keys.items()
    # The grown folder is that of the grown spec: the same command has nothing left to do.
    again = text(bench)
    assert "the spec has changed" not in grow(bench, **keys).stderr
    assert text(bench) == again and "previous_spec_hash" not in environment(bench)["resumed"][-1]


def test_a_swept_value_more(bench):
    def swept(values):
        return {"cases": {"a": {}}, "sweep": {"twin": values}}

    bench.run(bench.spec(**(BASE | swept([2]))))
    before = text(bench)
    grow(bench, **swept([1, 2, 3]))
    assert text(bench).startswith(before) and len(timed(bench)) == 3 * 2 * 2


def test_one_more_source_is_drawn_after_the_others(bench):
    bench.run(bench.spec(**BASE))
    (graph,) = bench.rows("graphs")
    before = text(bench)
    done = grow(bench, sources=BASE["sources"] | {"count": 4})
    (grown,) = bench.rows("graphs")
    assert grown["sources"].startswith(graph["sources"] + ";") and grown["sources"].count(";") == 3
    assert f"{GRAPH}: 4 sources instead of 2" in done.stderr
    same = grown.keys() - {"sources", "seal"}
    assert {k: grown[k] for k in same} == {k: graph[k] for k in same}
    assert text(bench).startswith(before) and len(timed(bench)) == 2 * 4 * 2
    assert {row["source"] for row in bench.rows()} == set(grown["sources"].split(";"))


def test_a_graph_of_its_own_number_of_sources_gains_some(bench):
    def graphs(count):
        return {"graphs": [{"name": GRAPH, "sources": count}], "sources": {"count": 8}}

    bench.run(bench.spec(**(BASE | graphs(1))))
    before = text(bench)
    grow(bench, **graphs(3))
    assert text(bench).startswith(before) and len(timed(bench)) == 2 * 3 * 2


def test_listed_sources_may_be_joined_by_others(bench):
    bench.run(bench.spec(**(BASE | {"sources": [3, 5]})))
    grow(bench, sources=[5, 7, 3])
    assert {row["source"] for row in bench.rows()} == {"3", "5", "7"}
    assert bench.rows("graphs")[0]["sources"] == "5;7;3" and len(timed(bench)) == 2 * 3 * 2
    refused = grow(bench, sources=[7, 3], code=2).stderr
    assert f"source 5 of graph {GRAPH}" in refused and "4 rows" in refused


def test_a_graph_in_parts_gains_sources_and_not_what_needs_it_whole(bench):
    keys = {"base": None, "cases": {"p": {"engine": "delegate"}}}
    bench.run(bench.spec(**(BASE | keys)))
    before = text(bench)
    (graph,) = bench.rows("graphs")
    grow(bench, **keys, sources=BASE["sources"] | {"count": 4})
    assert text(bench).startswith(before) and len(timed(bench)) == 4 * 2
    assert bench.rows("graphs")[0]["sources"].startswith(graph["sources"] + ";")
    keys["cases"] = keys["cases"] | {"w": {"engine": "faulty"}}
    refused = grow(bench, code=2, **keys, sources=BASE["sources"] | {"count": 4}).stderr
    assert "its recipe alone (recipe-" in refused and "now there is contents " in refused


def test_an_engine_joins_a_counter(bench):
    counter = {"count": {"engine": "faulty-counter"}}
    bench.run(bench.spec(**(BASE | {"base": None, "cases": counter})))
    assert bench.rows("graphs")[0]["sources"] == ""
    grow(bench, base=None, cases=counter | {"a": {"engine": "faulty"}})
    assert bench.rows("graphs")[0]["source_rule"] == "degree>=1"
    assert len(timed(bench, case="a")) == 2 * 2 and len(bench.rows()) == 5


def test_a_failed_configuration_is_skipped_in_what_is_added(bench):
    cases = {"a": {"twin": 1}, "bad": {"fault": "crash"}}
    bench.run(bench.spec(**(BASE | {"cases": cases})))
    grow(bench, cases=cases, repeats=3)
    last = [row["status"] for row in timed(bench, case="bad", repeat="2")]
    assert last == ["skipped", "skipped"] and len(timed(bench, case="a")) == 2 * 3


def test_more_repeats_are_more_invocations(bench):
    bench.run(bench.spec(**(BASE | {"repeats": 2, "invocations": 2})))
    refused = grow(bench, repeats=4, invocations=2, code=2).stderr
    assert "rows with `repeats / invocations` = 1" in refused and "says 2" in refused
    grow(bench, repeats=3, invocations=3)
    assert sorted({row["repeat"] for row in timed(bench)}) == ["0", "1", "2"]


def test_more_repeats_of_one_invocation_are_another_process_in_the_statistics(bench):
    bench.run(bench.spec(**BASE))
    grow(bench, repeats=6)
    assert environment(bench)["resumed"][-1]["repeats_before"] == 2
    grow(bench, repeats=6, invocations=3, code=2)
    grow(bench, repeats=12, invocations=2)


@pytest.mark.parametrize(
    ("keys", "key", "was", "now"),
    [
        ({"warmup": 3}, "warmup", "0", "3"),
        ({"burst": 2}, "burst", "1", "2"),
        ({"answer": "both"}, "answer", '"levels"', '"both"'),
        ({"check": "all"}, "check", '"first"', '"all"'),
        ({"order": "sequential"}, "order", '"interleaved"', '"sequential"'),
        ({"isolate": True}, "isolate", "false", "true"),
        ({"limits": {"trial_s": 60}}, "limits.trial_s", "0", "60"),
        ({"pollution": CALM | {"limit_pct": 7}}, "pollution.limit_pct", "1000", "7"),
        ({"sources": {"count": 2, "seed": 2}}, "sources.seed", "1", "2"),
        ({"sources": {"count": 2, "rule": "any"}}, "sources.rule", '"degree>=1"', '"any"'),
        ({"repeats": {"max": 3, "budget_s": 9}}, "repeats.budget_s", "0", "9"),
    ],
)
def test_another_protocol_is_refused(bench, keys, key, was, now):
    bench.run(bench.spec(**BASE))
    before = contents(bench)
    refused = grow(bench, code=2, **keys).stderr
    assert f"rows with `{key}` = {was}, and {bench.folder}/t.json" in refused
    assert f"says {now}: " in refused and "--fresh" in refused and "--results" in refused
    assert contents(bench) == before


def test_a_rule_for_sources_does_not_become_a_list(bench):
    bench.run(bench.spec(**BASE))
    assert "rows with `sources` = {" in grow(bench, code=2, sources=[3, 5]).stderr


def test_what_is_the_default_may_be_said(bench):
    bench.run(bench.spec(**BASE))
    before = text(bench)
    grow(bench, check="first", burst=1, order="interleaved", limits={"trial_s": 0})
    assert text(bench) == before


def test_attempts_at_polluted_trials_may_be_more(bench):
    bench.run(bench.spec(**BASE))
    grow(bench, pollution=CALM | {"attempts": 5})


@pytest.mark.parametrize(
    ("keys", "lost", "rows"),
    [
        ({"graphs": [OTHER]}, f"graph {GRAPH}", 12),
        ({"cases": {"b": {"twin": 2}}}, f'case "a" on {GRAPH} (faulty, ', 6),
        ({"cases": BASE["cases"] | {"a": {"twin": 7}}}, "of which the toggles are now ", 6),
        ({"repeats": 1}, "repeat 1", 4),
        ({"sources": BASE["sources"] | {"count": 1}}, "source ", 6),
        ({"record": ["time"]}, "instrumented trials", 4),
        ({"record": ["levels"]}, "timed trials", 8),
    ],
    ids=["graph", "case", "toggle", "repeat", "source", "levels", "time"],
)
def test_a_spec_may_not_shrink(bench, keys, lost, rows):
    record = {"record": ["time", "levels"]}
    bench.run(bench.spec(**(BASE | record)))
    before = contents(bench)
    refused = grow(bench, code=2, **(record | keys)).stderr
    assert f"holds {rows} rows that {bench.folder}/t.json" in refused
    assert lost in refused and "may not shrink" in refused and "--fresh" in refused
    assert contents(bench) == before


def test_what_was_never_measured_may_go(bench):
    bench.run(bench.spec(**BASE), "--only", "a/*")
    grow(bench, cases={"a": {"twin": 1}, "c": {"twin": 3}})
    assert {row["case"] for row in bench.rows()} == {"a", "c"}


def test_keys_of_drawing_change_nothing_but_the_spec(bench):
    bench.run(bench.spec(**BASE, title="one", figure="engines_by_graph"))
    before = text(bench)
    drawing = {
        "title": "two",
        "figure": ["a_new_one"],
        "baseline": "b",
        "paper": "xbfs",
        "item": "T",
    }
    done = grow(bench, **drawing)
    assert text(bench) == before and "the spec has changed" not in done.stderr
    assert json.loads(text(bench, "spec.json")).items() >= drawing.items()
    assert "previous_spec_hash" not in environment(bench)["resumed"][-1]


def test_a_spec_changed_by_hand_is_refused(bench):
    bench.run(bench.spec(**BASE))
    grow(bench, repeats=3)
    path = bench.results / "t/spec.json"
    for changed in (path.read_text().replace('"repeats": 3', '"repeats": 4'), "{", ""):
        path.write_text(changed)
        assert "spec.json is not the spec of these rows" in grow(bench, code=2, repeats=3).stderr


def test_a_kill_between_environment_and_spec_is_made_up_for(bench):
    """environment.json is written first: it knows the spec before and after."""
    bench.run(bench.spec(**BASE))
    spec = bench.results / "t/spec.json"
    before = spec.read_text()
    grow(bench, repeats=3)
    spec.write_text(before)
    grow(bench, repeats=3)
    assert json.loads(spec.read_text())["repeats"] == 3 and len(timed(bench)) == 2 * 2 * 3


def test_a_definition_of_an_external_program_stays(bench):
    def program(*arguments):
        return {
            "program": "/bin/true", "graph": "el", "arguments": ["{graph}", "{source}", *arguments]
        }  # fmt: skip

    keys = {"limits": {"trial_s": 30}, "external": {"one": program()}}
    bench.run(bench.spec(**(BASE | keys)))
    changed = grow(bench, code=2, **(keys | {"external": {"one": program("-v")}})).stderr
    assert 'rows with `external.one.arguments` = ["{graph}","{source}"]' in changed
    more = keys["external"] | {"two": program("-v")}
    grow(bench, **(keys | {"external": more}))


@pytest.mark.parametrize(
    "grown",
    [{"graphs": [GRAPH, OTHER]}, {"repeats": 3}, {"cases": BASE["cases"] | {"c": {"twin": 3}}},
     {"sources": BASE["sources"] | {"count": 3}}],
    ids=lambda keys: next(iter(keys)),
)  # fmt: skip
def test_quiet_hides_no_growth(bench, grown):
    """What spec.json says has changed, which is worth a line."""
    bench.run(bench.spec(**BASE, pollution=CALM), "--quiet")
    done = bench.run(bench.spec(**BASE | grown, pollution=CALM), "--quiet")
    assert "the spec has changed" in done.stderr and "resuming" not in done.stderr
    assert bench.run(bench.spec(**BASE | grown, pollution=CALM), "--quiet").stderr == ""


def test_a_rebuilt_program_adds_rows_of_its_own(bench):
    bench.run(bench.spec(**BASE))
    first = {row["build_hash"] for row in bench.rows()}
    before = text(bench)
    bench.rebuild()
    grow(bench)  # nothing is left to do: the build has written no row
    assert text(bench) == before and len(environment(bench)["builds"]) == 1
    done = bench.run(bench.spec(**(BASE | {"repeats": 3})), "--quiet")
    assert text(bench).startswith(before)
    (second,) = {row["build_hash"] for row in timed(bench, repeat="2")}
    # Its answers are checked, although those of the build before were.
    assert {row["validated"] for row in timed(bench, repeat="2")} == {"1"}
    assert {row["validated"] for row in timed(bench, repeat="1")} == {"0"}
    assert first != {second}
    facts = environment(bench)
    assert [each["build_hash"] for each in facts["builds"]] == [*first, second]
    assert facts["format"] == 3 and facts["build_hash"] == facts["builds"][0]["build_hash"]
    told = {"commit", "dirty", "version", "compiler", "flags", "compiled_for", "build_type",
            "options", "cuda", "first_used"}  # fmt: skip
    assert all(told <= set(each) for each in facts["builds"])
    assert facts["resumed"][-1]["build_hash"] == second
    marks = {each["commit"] + "+" * each["dirty"] for each in facts["builds"]}
    assert {row["commit"] for row in bench.rows()} == marks
    assert "t: rows of 2 builds: " in done.stderr
    assert all(each["build_hash"] in done.stderr for each in facts["builds"])


def test_no_ratio_is_formed_across_builds(bench):
    keys = {"sources": {"count": 4, "seed": 1}, "repeats": 3, "baseline": "a"}
    cases = {"a": {"twin": 1}}

    def ratios():
        table = json.loads(bench.run(bench.spec(**keys, cases=cases), "--json").stdout)
        return {row["case"] for row in table[0]["rows"] if row["speedup"]}

    cases["b"] = {"twin": 2}
    assert ratios() == {"b"}
    bench.rebuild()
    cases["c"] = {"twin": 3}
    assert ratios() == {"b"}
    # One more source is measured by one build on both sides, which gives a ratio.
    keys["sources"] = {"count": 5, "seed": 1}
    assert ratios() == {"b", "c"}


def test_sources_of_another_rule_are_refused_where_neither_spec_names_one(bench):
    """As in a folder of a version whose rule was another where a spec names none."""
    bench.run(bench.spec(**BASE))
    recorded = bench.results / "t/spec.json"
    spec = json.loads(recorded.read_text())
    del spec["sources"]["rule"]
    told = json.dumps(spec, indent=2) + "\n"
    recorded.write_text(told)
    known = environment(bench) | {"spec_hash": hashlib.sha256(told.encode()).hexdigest()[:16]}
    recorded.with_name("environment.json").write_text(json.dumps(known))
    before = text(bench)
    refused = grow(bench, sources={"count": 2, "seed": 1}, code=2).stderr
    assert "from sources by the rule degree>=1, and the spec says largest-component" in refused
    assert text(bench) == before
