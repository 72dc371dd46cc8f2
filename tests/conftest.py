# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: no test uses the network, and what lacks a package is skipped."""

import os
import re

import pytest

# A graph that is not here stays away, whatever a test names.
os.environ.setdefault("BFSLAB_OFFLINE", "1")
# Waiting threads must not spin: tests of several programs share the cores.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

PACKAGES = {"jsonschema", "matplotlib", "networkx", "numpy", "pandas", "PIL", "scipy"}


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    """A module whose third-party package is missing is skipped by name, and the rest runs."""
    report = (yield).get_result()
    found = re.search(r"ModuleNotFoundError: No module named '(\w+)", str(report.longrepr))
    if report.outcome == "failed" and found and found[1] in PACKAGES:
        reason = f"Skipped: needs the Python package {found[1]} (requirements/tests.txt)"
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, reason)
