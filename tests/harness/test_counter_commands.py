# SPDX-License-Identifier: Apache-2.0
"""Counters on the command line: listed as what they are, estimated, and not traversed with."""

import json

import pytest
from test_commands import bfslab  # noqa: F401  (the fixture)

SPEC = {"name": "c", "graphs": ["kronecker:scale=10"], "base": {"engine": "graph-load"}}


@pytest.fixture
def spec(tmp_path):
    def write(**keys):
        path = tmp_path / "c.json"
        path.write_text(json.dumps(SPEC | keys))
        return path

    return write


def test_list_says_what_counts(bfslab):  # noqa: F811
    text = bfslab("list", "engines", "graph-load").stdout
    assert "Counts: facts of a graph, once" in text and "Can:" not in text
    assert "from their recipe" in text
    listed = {e["name"]: e for e in json.loads(bfslab("list", "engines", "--json").stdout)}
    assert listed["graph-load"]["counts"] is True
    assert listed["graph-load"]["can"]["recipe"] is True
    assert listed["graph-load"]["can"]["levels"] is False
    assert listed["hybrid"]["counts"] is False and listed["hybrid"]["can"]["levels"] is True


def test_check_tells_counts_from_trials(bfslab, spec):  # noqa: F811
    alone = bfslab("check", str(spec(sweep={"threads": [1, 2]}, repeats=9))).stdout
    assert "2 counted (1 graphs x 2 counters)" in alone
    assert "timed" not in alone and "not built" in alone and "sources" not in alone
    cases = {"load": {}, "bfs": {"engine": "hybrid"}}
    mixed = bfslab("check", str(spec(cases=cases, base={"engine": "graph-load"}))).stdout
    assert "16 timed + 1 counted" in mixed and "not built" not in mixed


def test_traverse_refuses_a_counter(bfslab):  # noqa: F811
    done = bfslab("traverse", "path:vertices=9", "--source", "0", "--engine", "graph-load")
    assert done.returncode == 2
    assert "graph-load" in done.stderr and "traverses nothing" in done.stderr
