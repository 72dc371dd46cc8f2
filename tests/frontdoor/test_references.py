# SPDX-License-Identifier: Apache-2.0
"""What comments, messages and pages cite can be found by a reader: in docs/, or in a publication
that docs/references.md names."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENDINGS = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".txt", ".md", ".json"}
YEAR = r"(?:19|20)\d\d"
# Venues have two capitals at least: SC, PPoPP, TOPC.
VENUE = re.compile(rf", [A-Z][a-zA-Z]*[A-Z][a-zA-Z]* {YEAR}\b")
SECTION = re.compile(r"`?, sections? (?=[\dIVX])")


def sources() -> list[Path]:
    """Sources, specs and pages; neither recorded rows nor this file."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.splitlines()]
    else:  # a copy without .git
        paths = [path for path in ROOT.rglob("*") if "build" not in path.parts]
    return [
        path
        for path in paths
        if (path.suffix in ENDINGS or path.name == "Makefile")
        and path.is_file()
        and path != Path(__file__).resolve()
        and not {"out", ".venv", "data"} & set(path.relative_to(ROOT).parts)
        and (path.relative_to(ROOT).parts[0] != "results" or path.suffix == ".md")
    ]


def prose(path: Path) -> str:
    """The text on one line, without the marks of comments and of strings that go on."""
    text = re.sub(r'"\n\s*f?"', "", path.read_text(errors="replace"))
    text = re.sub(r"\n\s*(?://|#|\*)*[ \t]*", " ", text)
    return re.sub(r"\s+", " ", text)


def where(path: Path, text: str, at: int) -> str:
    return f"{path.relative_to(ROOT)}: ...{text[max(0, at - 60) : at + 50]}..."


TEXTS = {path: prose(path) for path in sources()}
REFERENCES = (ROOT / "docs/references.md").read_text()
SHORT_NAMES = set(re.findall(r"\*\*([^*]+)\*\*", REFERENCES))
CITATIONS = set(re.findall(rf"\(([^()]*{YEAR})\)", re.sub(r"\s+", " ", REFERENCES)))


def anchors(page: Path) -> set[str]:
    """Explicit ones, and those that headings get."""
    text = page.read_text()
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)"></a>', text))


@pytest.mark.parametrize(
    "hidden",
    [
        r"papers/[a-z0-9-]+\.txt",
        r"shared/(?!data)",
        r"\(design\b|\bdesign: \"",
        r"/work/",
        r"(?<!\[)\berrata(?!\.md)\b",
    ],
)
def test_nothing_points_to_files_that_no_user_has(hidden):
    found = [
        where(path, text, match.start())
        for path, text in TEXTS.items()
        for match in re.finditer(hidden, text)
    ]
    assert not found, "\n".join(found)


def test_pages_and_anchors_exist():
    missing, seen = [], 0
    for path, text in TEXTS.items():
        links = [
            (ROOT / page, anchor)
            for page, anchor in re.findall(r"\b(docs/[\w-]+\.md)(?:#([\w-]+))?", text)
        ]
        if path.suffix == ".md":
            links += [
                (path.parent / page if page else path, anchor)
                for page, anchor in re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", text)
            ]
        for page, anchor in links:
            seen += 1
            if not page.exists() or (anchor and anchor not in anchors(page)):
                missing.append(f"{path.relative_to(ROOT)} names {page.name}#{anchor}")
    assert seen > 10
    assert not missing, "\n".join(missing)


def test_anchors_are_unique():
    for page in ("errata.md", "references.md"):
        ids = re.findall(r'<a id="([^"]+)"></a>', (ROOT / "docs" / page).read_text())
        assert len(ids) == len(set(ids)) > 40, page


def test_cited_works_are_in_the_references():
    unknown, seen = [], 0
    for path, text in TEXTS.items():
        for match in VENUE.finditer(text):
            seen += 1
            if not any(text[: match.end()].endswith(citation) for citation in CITATIONS):
                unknown.append(where(path, text, match.start()))
    assert seen > len(CITATIONS) / 2
    assert not unknown, "\n".join(unknown)


def test_cited_sections_are_of_works_in_the_references():
    known = tuple(SHORT_NAMES | CITATIONS)
    unknown, seen = [], 0
    for path, text in TEXTS.items():
        for match in SECTION.finditer(text):
            seen += 1
            if not text[: match.start()].endswith(known):
                unknown.append(where(path, text, match.start()))
    assert seen > 25
    assert not unknown, "\n".join(unknown)


def test_specs_name_papers_of_the_references():
    specs = [path for path in TEXTS if path.match("experiments/*/*.json")]
    papers = {json.loads(path.read_text()).get("paper") for path in specs} - {None}
    assert len(papers) == 5
    assert papers <= SHORT_NAMES
