# SPDX-License-Identifier: Apache-2.0
"""The contract of plugins: its headers are installed, and have a new version when they change."""

import hashlib
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = (ROOT / "cmake/BfslabPackage.cmake").read_text()
# The code of the headers of each version, without comments and blanks.
VERSIONS = {"1": "2de607cf1eb4e99f", "2": "e6822ff78e48df7f"}


def installed_headers() -> list[str]:
    return re.findall(r"^  ([a-z0-9_/]+\.hpp)$", PACKAGE, re.MULTILINE)


def included(header: str, found: set[str]) -> set[str]:
    if header not in found:
        found.add(header)
        for inner in re.findall(r'#include "([^"]+)"', (ROOT / header).read_text()):
            included(inner, found)
    return found


def code_of(header: str) -> str:
    text = re.sub(r"//.*", "", (ROOT / header).read_text())
    return re.sub(r"\s+", "", re.sub(r"#define BFSLAB_CONTRACT .*", "", text))


def test_the_headers_that_are_installed_include_no_others():
    needed = set()
    for header in ("kernels/plugin.hpp", "kernels/unsupported.hpp", "kernels/device_errors.hpp"):
        included(header, needed)
    assert sorted(needed) == sorted(installed_headers())


def test_a_change_of_the_headers_is_a_new_version():
    (version,) = re.findall(
        r'#define BFSLAB_CONTRACT "(\d+)"', (ROOT / "kernels/plugin.hpp").read_text()
    )
    code = "".join(code_of(header) for header in sorted(installed_headers()))
    digest = hashlib.sha256(code.encode()).hexdigest()[:16]
    assert version in VERSIONS and VERSIONS[version] == digest, (
        f"the code of the contract's headers has changed to {digest}: raise BFSLAB_CONTRACT in "
        "kernels/plugin.hpp, unless no release has this version yet, and enter the pair in VERSIONS"
    )


def test_programs_offer_plugins_the_contract_and_nothing_else(bfslab):
    listed = subprocess.run(
        ["nm", "-DC", "--defined-only", bfslab], capture_output=True, text=True, check=True
    ).stdout
    names = (
        "CsrGraph::CsrGraph( Engine::search_many( LegalWith::allows( Toggle::real( Toggles::text "
        "as_whole( discard_pages( in_one_part( map_pages( require_halves( shrink_pages( to_text "
        "unmap_pages("
    )
    for name in names.split():
        assert f" bfslab::{name}" in listed, name
    assert " vtable for bfslab::Engine" in listed
    assert "run_experiment" not in listed and "RegisterEngine" not in listed
