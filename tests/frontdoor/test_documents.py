# SPDX-License-Identifier: Apache-2.0
"""README, CONTRIBUTING and docs/ say what is there: links, targets, commands, files."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "results/README.md"])
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def targets() -> set[str]:
    """The Makefile's phony targets."""
    (line,) = re.findall(r"^\.PHONY:(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return set(line.split())


def commands(document: Path) -> list[str]:
    """Lines of fenced blocks and inline code."""
    text = document.read_text()
    blocks = [line.strip() for block in FENCE.findall(text) for line in block.splitlines()]
    return blocks + re.findall(r"`([^`\n]+)`", FENCE.sub("", text))


def help_of(program: str, *words: str) -> str:
    answer = subprocess.run([program, *words, "--help"], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_the_environment_makes_the_documents_commands_work_from_anywhere(tmp_path):
    script = f"source {ROOT}/scripts/env.sh && python3 -c 'import plots; print(plots.__file__)'"
    done = subprocess.run(
        ["bash", "-c", script + " && echo $PATH"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stderr == ""
    module, path = done.stdout.splitlines()
    assert module == str(ROOT / "plots/__init__.py")
    assert path.startswith(f"{ROOT}/build/release:{ROOT}/.venv/bin:")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_a_document_with_bare_commands_begins_with_what_makes_them_found(document):
    text = document.read_text()
    lines = [line.strip() for block in FENCE.findall(text) for line in block.splitlines()]
    lines += re.findall(r"^    (\S.*)$", FENCE.sub("", text), re.MULTILINE)
    bare = [
        i for i, line in enumerate(lines) if re.match(r"(?:bfslab|python -m plots)(?: |$)", line)
    ]
    sources = [i for i, line in enumerate(lines) if line.startswith("source scripts/env.sh")]
    assert not bare or (sources and sources[0] < bare[0]), document.name


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_relative_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text()):
        if not re.match(r"[a-z]+:", link):
            assert (document.parent / link).exists(), f"{document.name} links to {link}"


def sections(document: Path) -> set[str]:
    """The anchors of a document: its explicit ones, and those that its headings get."""
    text = FENCE.sub("", document.read_text())
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    shown = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in shown}
    return made | set(re.findall(r'<a id="([^"]+)"', text))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_to_sections_lead_to_one(document):
    for link, section in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", document.read_text()):
        page = document.parent / link if link else document
        if page.suffix == ".md":
            assert section in sections(page), f"{document.name} links to {link}#{section}"


def test_the_page_of_figures_has_the_figures_of_every_spec():
    rows = [line.split(" | ") for line in (ROOT / "docs/figures.md").read_text().splitlines()]
    rows = [row for row in rows if row[0].startswith("| ")][2:]
    modules = {path.stem for path in (ROOT / "plots/figures").glob("*.py")}
    of_spec: dict[str, set[str]] = {}
    for row in rows:
        drawn = set(re.findall(r"`(\w+)`", row[2]))
        assert drawn <= modules, row
        folder = ""
        for path, name in re.findall(r"`(?:experiments/([\w-]+)/)?([\w*]+\.json)`", row[1]):
            folder = path or folder  # a bare name is in the folder of the one before it
            for spec in (ROOT / "experiments" / folder).glob(name):
                of_spec.setdefault(str(spec), set()).update(drawn)
    for spec in (ROOT / "experiments").rglob("*.json"):
        figure = json.loads(spec.read_text()).get("figure", [])
        figures = {figure} if isinstance(figure, str) else set(figure)
        assert figures <= of_spec.get(str(spec), set()), f"{spec.name} draws {figures}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_make_targets_exist(document):
    for command in commands(document):
        for target in re.findall(r"(?:^|&& |\$ )make ([a-z-]+)", command):
            assert target in targets(), f"{document.name}: make {target}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_named_files_exist(document):
    """Code that looks like a path of this tree is one."""
    tops = "datasets|kernels|harness|experiments|plots|tests|scripts|docs|cmake"
    for command in commands(document):
        for path in re.findall(rf"(?:^|\s)((?:{tops})/[\w./-]*\w)", command):
            if not re.search(r"\b[A-Z]{2,}\b", path):  # a placeholder: NAME
                assert (ROOT / path).exists(), f"{document.name} names {path}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_options_exist(document, bfslab):
    """Every option of a `bfslab` command that a document shows is in that command's --help."""
    for command in commands(document):
        called = re.search(r"(?:^|/|\s)bfslab ((?:[a-z0-9]+ ?)*)(.*)", command)
        if not called:
            continue
        words = called.group(1).split()
        while words and words[0] not in help_of(bfslab):
            words = words[:-1]
        depth = 2 if words[:1] in (["graph"], ["list"]) else 1
        options = set(re.findall(r"(?:^|\s)(--[a-z-]+)", called.group(2))) - {"--help"}
        shown = help_of(bfslab, *words[:depth])
        for option in options:
            assert option in shown, f"{document.name}: bfslab {' '.join(words[:depth])} {option}"


def test_make_help_lists_every_target():
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    listed = set(re.findall(r"^  make ([a-z-]+) ", shown, re.MULTILINE))
    assert listed == targets()


def test_citation_of_bfslab_itself_is_that_of_the_release():
    text = (ROOT / "CITATION.cff").read_text()
    version = (ROOT / "VERSION").read_text().strip()
    assert re.findall(r"^ *version: (.*)$", text, re.MULTILINE) == [version, version]
    (released,) = re.findall(r"^date-released: (.*)$", text, re.MULTILINE)
    assert f"## [{version}] - {released}\n" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\n  year: {released[:4]}\n" in text
