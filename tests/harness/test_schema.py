# SPDX-License-Identifier: Apache-2.0
"""What the parser accepts, the schema accepts; misspelt keys, wrong types and impossible values are
refused by both.

The schema is what the program prints (`check --schema`); a C++ test proves that
experiments/spec.schema.json is the same text. tests/data/specs/bad is refused by both,
bad_beyond_schema by the parser alone: rules between keys, and arithmetic inside names.
"""

import json
import os
import random
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


def about(program, path):
    """The exit code, and what the parser says of the spec itself, a line each."""
    done = subprocess.run([*command(program), str(path)], capture_output=True, text=True)
    assert done.returncode in (0, 2), done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith(f"{path}:")]
    return done.returncode, lines


def parser_accepts(program, path):
    """Whether the parser takes the spec; a missing graph file is no error of the spec."""
    code, lines = about(program, path)
    return code == 0 or (bool(lines) and all(line.startswith(f"{path}: graph ") for line in lines))


def schema_accepts(validator, path):
    """A text that is no JSON never gets to a schema: editors refuse it first."""

    def no_constant(name):
        raise ValueError(f"{name} is no JSON")

    try:
        spec = json.loads(path.read_bytes().decode("utf-8"), parse_constant=no_constant)
    except ValueError:
        return False
    return validator.is_valid(spec)


def corpus():
    for folder, program in [("", BFSLAB), ("made_up", PROBE)]:
        for verdict in ("good", "bad", "bad_beyond_schema"):
            for path in sorted((CORPUS / folder / verdict).glob("*.json")):
                yield pytest.param(program, path, verdict, id=str(path.relative_to(CORPUS)))


@pytest.mark.parametrize(("program", "path", "verdict"), list(corpus()))
def test_schema_and_parser_keep_the_promise(validators, program, path, verdict):
    """Once the schema learns to refuse a spec of bad_beyond_schema, it belongs to bad."""
    assert schema_accepts(validators(program), path) is (verdict != "bad")
    assert parser_accepts(program, path) is (verdict == "good")


@pytest.mark.parametrize(
    "path",
    sorted(p for p in (ROOT / "experiments").glob("*/*.json") if p.name != "claims.json"),
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_experiments_satisfy_the_schema(validators, path):
    spec = json.loads(path.read_text())
    errors = [error.message for error in validators(BFSLAB).iter_errors(spec)]
    assert errors == []
    named = (path.parent / spec["$schema"]).resolve()  # so that editors find it
    assert named == ROOT / "experiments" / "spec.schema.json"


def test_the_schema_is_small():
    text = (ROOT / "experiments" / "spec.schema.json").read_text()
    assert len(text.splitlines()) <= 1400
    assert len(text.encode()) < 80_000


# ---- specs that are made from the engines' own tables


@pytest.fixture(scope="module")
def engines():
    done = subprocess.run(
        [*command(BFSLAB)[:1], "list", "engines", "--json"], check=True, capture_output=True
    )
    return json.loads(done.stdout)


def some_value(toggle, dice):
    match toggle["kind"]:
        case "flag":
            return dice.random() < 0.5
        case "choice":
            return dice.choice(toggle["choices"])
        case "integer":
            ends = int(toggle["minimum"]), int(toggle["maximum"])
            return dice.choice([*ends, dice.randint(*ends)])
    ends = toggle["minimum"], toggle["maximum"]
    return dice.choice([*ends, dice.uniform(*ends)])


def refusals(engine, settings):
    """Toggles whose values a rule binds, and that the other toggle's value does not allow."""
    values = {toggle["name"]: toggle["default"] for toggle in engine["toggles"]} | settings
    return [
        toggle["name"]
        for toggle in engine["toggles"]
        for rule in toggle["legal_with"]
        if (
            values[toggle["name"]] in rule["for_values"]
            if rule["for_values"]
            else values[toggle["name"]] != toggle["default"]
        )
        and values[rule["toggle"]] not in rule["values"]
    ]


def some_case(engine, dice):
    """A legal configuration: toggles are given up until no rule refuses it."""
    settings = {
        toggle["name"]: some_value(toggle, dice)
        for toggle in engine["toggles"]
        if dice.random() < 0.6
    }
    while bad := refusals(engine, settings):
        written = [name for name in bad if name in settings]
        settings.pop(written[0] if written else dice.choice(sorted(settings)))
    return {"engine": engine["name"]} | settings


def write(folder, spec):
    path = folder / "spec.json"
    path.write_text(json.dumps({"name": "s", "graphs": ["path:vertices=9"]} | spec))
    return path


@pytest.mark.parametrize("seed", range(4))
def test_every_legal_configuration_is_accepted_by_both(validators, engines, tmp_path, seed):
    dice = random.Random(seed)
    cases = {
        f"{engine['name']} {k}": some_case(engine, dice) for engine in engines for k in range(12)
    }
    path = write(tmp_path, {"cases": cases})
    assert about(BFSLAB, path) == (0, [])
    assert schema_accepts(validators(BFSLAB), path)


def test_every_group_and_preset_is_accepted_by_both(validators, engines, tmp_path):
    cases = {}
    for engine in engines:
        for preset in engine["presets"]:
            cases[f"{engine['name']} {preset['name']}"] = {"preset": preset["name"]}
        for group in engine["groups"]:
            for each in group["expansions"]:
                name = f"{engine['name']} {group['name']} {each['value']}"
                cases[name] = {group["name"]: each["value"]}
    for name, settings in cases.items():
        settings["engine"] = name.split()[0]
    assert len(cases) > 10
    path = write(tmp_path, {"cases": cases})
    assert about(BFSLAB, path) == (0, [])
    assert schema_accepts(validators(BFSLAB), path)


def spoilt(engine, engines, dice):
    """A legal configuration with a misspelt key, a wrong type, or a value that no engine has."""
    settings = some_case(engine, dice)
    toggle = dice.choice(engine["toggles"])
    name = toggle["name"]
    same = [t for e in engines for t in e["toggles"] if t["name"] == name]
    numbers = [t["maximum"] for t in same if "maximum" in t]
    way = dice.choice(["key", "type", "value"])
    if way == "key":
        settings[name + "x"] = some_value(toggle, dice)
    elif way == "type":
        settings[name] = dice.choice([[1], {"a": 1}, None])
    else:
        settings[name] = 2 * max(numbers) + 1 if numbers else "no such value"
    return settings


@pytest.mark.parametrize("seed", range(40))
def test_misspelt_keys_types_and_values_are_refused_by_both(validators, engines, tmp_path, seed):
    dice = random.Random(seed)
    engine = dice.choice([engine for engine in engines if engine["toggles"]])
    settings = spoilt(engine, engines, dice)
    sweep = {k: [v] for k, v in settings.items()}
    for spec in ({"base": settings}, {"cases": {"A": settings}}, {"sweep": sweep}):
        path = write(tmp_path, spec)
        assert not parser_accepts(BFSLAB, path), spec
        assert not schema_accepts(validators(BFSLAB), path), spec
