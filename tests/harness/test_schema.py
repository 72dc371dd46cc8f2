"""Schema and parser accept and refuse the same specs.

The schema is what the program prints (`check --schema`); a C++ test proves that
experiments/spec.schema.json is the same text. What only the parser can refuse lies in
tests/data/specs/bad_beyond_schema, each with its reason in a .why file.
"""

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "data" / "specs"
BFSLAB = Path(os.environ.get("BFSLAB_BIN", ROOT / "build" / "release" / "bfslab"))
PROBE = BFSLAB.parent / "spec_probe"  # the same parser with made-up engines


def command(program):
    if not program.exists():
        pytest.skip(f"{program} is not built")
    return [str(program)] if program.name == "spec_probe" else [str(program), "check"]


@pytest.fixture(scope="module")
def validators():
    """The schema's validator of a program, made once: a schema costs more than a spec."""
    made = {}

    def of(program):
        if program not in made:
            text = subprocess.run(
                [*command(program), "--schema"], check=True, capture_output=True, text=True
            ).stdout
            schema = json.loads(text)
            assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
            jsonschema.Draft202012Validator.check_schema(schema)
            made[program] = jsonschema.Draft202012Validator(schema)
        return made[program]

    return of


def parser_accepts(program, path):
    """Whether the parser takes the spec; a missing graph file is not an error of the spec."""
    done = subprocess.run([*command(program), str(path)], capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    about_spec = [line for line in done.stderr.splitlines() if line.startswith(f"{path}:")]
    only_graphs = all(line.startswith(f"{path}: graph ") for line in about_spec)
    return done.returncode == 0 or (bool(about_spec) and only_graphs)


def schema_accepts(validator, path):
    """A text that is no JSON never gets to a schema: editors refuse it first."""

    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    try:
        spec = json.loads(path.read_bytes().decode("utf-8"), parse_constant=no_constant)
    except ValueError:
        return False
    return validator.is_valid(spec)


def specs(folder):
    return sorted((CORPUS / folder).glob("*.json"))


def corpus():
    for folder, program in [("", BFSLAB), ("made_up", PROBE)]:
        for verdict in ("good", "bad"):
            for path in specs(Path(folder) / verdict):
                name = str(path.relative_to(CORPUS))
                yield pytest.param(program, path, verdict == "good", id=name)


@pytest.mark.parametrize(("program", "path", "good"), list(corpus()))
def test_schema_and_parser_agree(validators, program, path, good):
    assert schema_accepts(validators(program), path) is good
    assert parser_accepts(program, path) is good


@pytest.mark.parametrize("path", specs("bad_beyond_schema"), ids=lambda path: path.stem)
def test_only_the_parser_refuses(validators, path):
    """Once the schema learns to refuse one of these, it belongs to bad/."""
    assert path.with_suffix(".why").read_text().strip(), "the reason is missing"
    assert schema_accepts(validators(BFSLAB), path)
    assert not parser_accepts(BFSLAB, path)


@pytest.mark.parametrize(
    "path",
    sorted(p for p in (ROOT / "experiments").glob("*/*.json")),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_experiments_satisfy_the_schema(validators, path):
    spec = json.loads(path.read_text())
    errors = [error.message for error in validators(BFSLAB).iter_errors(spec)]
    assert errors == []
    named = (path.parent / spec["$schema"]).resolve()  # so that editors find it
    assert named == ROOT / "experiments" / "spec.schema.json"


def test_corpus_is_large_enough():
    assert len(specs("good")) + len(specs("bad")) >= 90
