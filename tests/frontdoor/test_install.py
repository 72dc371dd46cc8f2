# SPDX-License-Identifier: Apache-2.0
"""What `make install` puts where, and what completion and the manual are made of."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def build_folder(bfslab) -> Path:
    folder = Path(bfslab).parent
    if not (folder / "cmake_install.cmake").exists():
        pytest.skip(f"{folder} is no build folder of CMake")
    return folder


@pytest.fixture(scope="module")
def prefix(build_folder, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("install") / "prefix"
    done = subprocess.run(
        ["cmake", "--install", build_folder, "--prefix", folder], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return folder


def output(*command, **options) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_version_is_said_once(bfslab):
    version = (ROOT / "VERSION").read_text().strip()
    told = json.loads(output(bfslab, "version", "--json"))
    assert told["version"] == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text()


def test_an_installed_program_finds_its_specs_from_anywhere(prefix, tmp_path):
    program = prefix / "bin/bfslab"
    listed = json.loads(output(program, "list", "experiments", "--json", cwd=tmp_path))
    files = {Path(entry["file"]) for entry in listed}
    assert prefix / "share/bfslab/experiments/xbfs/fig11.json" in files
    assert all(file.is_relative_to(prefix) for file in files)
    output(program, "check", prefix / "share/bfslab/experiments/quick/edges.json", cwd=tmp_path)


def test_schema_catalogue_and_papers_numbers_are_installed(prefix):
    share = prefix / "share/bfslab"
    for name in ("experiments/spec.schema.json", "datasets/catalog.json"):
        assert json.loads((share / name).read_text())
    assert (share / "experiments/xbfs/table2.paper.csv").exists()
    assert not list(prefix.rglob("__pycache__"))


def test_the_installed_plots_draw_wherever_the_tree_is_moved(prefix, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHON"] = sys.executable
    shown = output(moved / "bin/bfslab-plots", "--help", cwd=tmp_path, env=environment)
    assert "RESULTS_DIR" in shown


def test_an_installed_program_names_the_installed_command_that_draws(prefix, tmp_path):
    spec = {"name": "drawn", "graphs": ["kronecker:scale=5"], "sources": {"count": 1, "seed": 1},
            "base": {"engine": "sequential"}, "cases": {"a": {}}, "warmup": 0,
            "figure": "speedup_bars"}  # fmt: skip
    (tmp_path / "drawn.json").write_text(json.dumps(spec))
    done = subprocess.run(
        [prefix / "bin/bfslab", "run", "drawn.json", "--results", "rows"],
        cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"BFSLAB_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "to draw it: bfslab-plots rows/drawn\n" in done.stderr


def commands(bfslab: str) -> list[str]:
    """Every command that --help shows, as "graph fetch"."""
    found = []
    for line in (
        output(bfslab, "--help").split("Subcommands:")[1].split("Examples:")[0].splitlines()
    ):
        if match := re.match(r"  ([a-z][a-z0-9]*) ", line):
            found.append(match[1])
    assert "run" in found
    return found


def test_the_manual_has_every_command_and_option(bfslab, prefix):
    page = (prefix / "share/man/man1/bfslab.1").read_text()
    assert page == output(bfslab, "manual")
    for command in commands(bfslab):
        assert re.search(rf"^\.SS bfslab {command}$", page, re.MULTILINE), command
        for option in re.findall(
            r"^  (?:-\w,)?(--[a-z-]+)", output(bfslab, command, "--help"), re.M
        ):
            assert rf"\fB{option.replace('-', chr(92) + '-')}\fR" in page, f"{command} {option}"


def complete(script: Path, *words: str, folder: Path = ROOT, **environment) -> list[str]:
    """What bash offers for the last word."""
    ask = (
        f'source {script}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1));'
        '_bfslab bfslab "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}";'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "-c", ask, "bash", "bfslab", *words]
    return output(*command, cwd=folder, env=os.environ | environment).split()


def test_bash_completes_commands_options_engines_and_files(prefix):
    script = prefix / "share/bash-completion/completions/bfslab"
    assert {"run", "graph", "list"} <= set(complete(script, ""))
    assert complete(script, "graph", "fe") == ["fetch"]
    assert complete(script, "graph", "fetch", "--off") == ["--offline"]
    assert complete(script, "list", "engines", "hyb") == ["hybrid"]
    assert complete(script, "traverse", "kronecker:scale=8", "--engine", "seq") == ["sequential"]
    assert complete(script, "compare", "LICEN") == ["LICENSE"]


def test_bash_completes_graphs_and_files(prefix):
    script = prefix / "share/bash-completion/completions/bfslab"
    assert "soc-Epinions1" in complete(script, "traverse", "soc-Ep")
    assert complete(script, "graph", "fetch", "xbfs-t") == ["xbfs-table1"]
    assert complete(script, "bench", "kronec") == ["kronecker:"]
    assert complete(script, "bench", "LICEN") == ["LICENSE"]
    assert complete(script, "profile", "s.json", "--graph", "wiki-Vo") == ["wiki-Vote"]


def test_bash_completes_settings_of_the_engine(prefix, bfslab):
    script = prefix / "share/bash-completion/completions/bfslab"
    (dfq,) = json.loads(output(bfslab, "list", "engines", "dfq", "--json"))
    queues = next(toggle["choices"] for toggle in dfq["toggles"] if toggle["name"] == "queue")
    named = ["bench", "g", "--engine", "dfq", "--set"]
    assert complete(script, *named, "queu") == [f"queue={choice}" for choice in queues]
    # Readline splits words at "=".
    assert complete(script, *named, "queue", "=") == queues
    assert complete(script, *named, "queue", "=", "cen") == ["central"]
    joined = ["bench", "g", "--engine", "=", "dfq,hybrid", "--set"]
    assert complete(script, *joined, "queue", "=", "cen") == ["central"]
    assert "alpha=" in complete(script, "traverse", "g", "--set", "al")  # of hybrid
    assert complete(script, "run", "s.json", "--set", "repea") == ["repeats="]
    assert complete(script, "bench", "g", "--engine", "=", "seq") == ["sequential"]


def test_bash_completes_specs_wherever_they_are(prefix, tmp_path):
    script = prefix / "share/bash-completion/completions/bfslab"
    assert complete(script, "run", "experiments/quick/engi") == ["experiments/quick/engines.json"]
    assert complete(script, "run", "LICEN") == []
    path = {"PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    share = prefix / "share/bfslab/experiments"
    found = complete(script, "check", "fig11", folder=tmp_path, **path)
    assert str(share / "xbfs/fig11.json") in found
    assert all(Path(each).name.startswith("fig11") for each in found)
    (tmp_path / "fig11_mine.json").write_text("{}")
    assert "fig11_mine.json" in complete(script, "run", "fig11", folder=tmp_path, **path)


@pytest.mark.parametrize(
    "shell,file",
    [
        ("zsh", "share/zsh/site-functions/_bfslab"),
        ("fish", "share/fish/vendor_completions.d/bfslab.fish"),
    ],
)
def test_other_shells_accept_their_scripts(bfslab, prefix, shell, file):
    script = (prefix / file).read_text()
    assert script == output(bfslab, "completion", shell)
    for command in commands(bfslab):
        assert command in script
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not here, so that it cannot parse its script")
    output(shell, "-n", prefix / file)
    if shell == "fish":
        ask = f"source {prefix / file}; complete -C 'bfslab graph fe'"
        assert output("fish", "-c", ask).startswith("fetch\t")


def test_an_unknown_shell_is_refused(bfslab):
    done = subprocess.run([bfslab, "completion", "tcsh"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "bash" in done.stderr
