# SPDX-License-Identifier: Apache-2.0
"""The plan: which tests run, under which sanitizers, in which groups and within which limits."""

import itertools
import re
import subprocess
from pathlib import Path

from .tested import CannotRun

# The tests of distributed_tests that need GPUs.
OF_GPUS = "*_cuda*:*fused_gpus*:*FusedGpus*:*DeviceCommunicator*:*OnGpus*"
# The programs with the longest tests first, and the filter of the tests that run of each.
PROGRAMS = {
    "distributed_tests": f"{OF_GPUS}:*SubgraphsSanitizer*",
    "cuda_tests": "*",
    "cuda_stress_tests": "*Stress*",
    "distributed_stress_tests": "*InOneKernel*_cuda:*InEverySetting*_cuda:*InEverySetting*_gpus",
}
# Tests that run once more as two ranks, which share a GPU where there is only one, and on more than
# two GPUs also with one rank per GPU.
RANKED = {"distributed_tests": f"{OF_GPUS}-*Sanitizer*"}
LAUNCHER = ["mpirun", "-n", "{ranks}", "--oversubscribe", "--bind-to", "none"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Tests that run under each sanitizer.
SANITIZED = {
    "cuda_tests": "*Sanitizer*",
    "distributed_tests": "*Sanitizer*_cuda*:*Sanitizer*fused_gpus*:*SubgraphsSanitizer*",
}
TEST_LIMIT_S = 300  # per test
# Per two tests. racecheck takes a minute for a test of fused that has the GPU to itself, and more
# than seven while it shares it with fifteen other processes.
SANITIZER_LIMIT_S = 1500
GROUP_SIZE = {  # maximum number of tests per process: small where tests are long
    "cuda_tests": 8,
    "cuda_stress_tests": 8,
    "distributed_tests": 2,
    "distributed_stress_tests": 2,
}
TESTS_AT_ONCE, SANITIZERS_AT_ONCE = 3, 8  # processes per GPU
# The most launches of several ranks, each of which uses all GPUs; --jobs can only lower it. With 16
# at once on one GPU, 7 tests failed since a rank could not map another's memory.
RANKED_AT_ONCE = 3
# Tests that racecheck begins with, the slowest first.
SLOW = [re.compile("/fused_(?!members|gpus)"), re.compile("/(dfq|delegate_cuda|xbfs)_")]
SANITIZERS = {  # the slowest first
    "racecheck": re.compile(r"RACECHECK SUMMARY: (\d+) hazard"),
    "memcheck": re.compile(r"ERROR SUMMARY: (\d+) error"),
    "synccheck": re.compile(r"ERROR SUMMARY: (\d+) error"),
}
# Options that leave kernels out. racecheck examines shared memory, and CUB's kernels use none
# together with ours.
LEFT_OUT = {"racecheck": ["--kernel-name-exclude", "kernel_substring=3cub"]}
SANITIZER_MIB = 4096  # a generous share of the GPU's memory for one sanitizer and its test
# compute-sanitizer sometimes loses track of kernels that several threads launch: it says so and
# counts it as a finding, or hangs. A test that it could not examine is tried again when nothing
# else runs, and then each kernel ends before its thread continues.
LOST = re.compile(r"Internal Sanitizer Error: (.*)")
TRIES_ALONE = 3


def tests_of(program: Path, pattern: str) -> list[str]:
    """Lists the tests of a GoogleTest program that match a filter. Raises CannotRun if it does not
    start."""
    command = [program, "--gtest_list_tests", f"--gtest_filter={pattern}"]
    listing = subprocess.run(command, capture_output=True, encoding="utf-8")
    if listing.returncode:
        raise CannotRun(f"{program} does not start: {listing.stderr.strip()[-500:]}")
    names, suite = [], ""
    for line in listing.stdout.splitlines():
        word = line.split("#")[0].strip()
        if line.startswith("  "):
            names.append(suite + word)
        elif word.endswith("."):
            suite = word
    return names


def in_groups(names: list[str], size: int) -> list[list[str]]:
    """Splits each suite into groups of at most `size` tests.

    >>> in_groups(["A.1", "A.2", "A.3", "B.1"], 2)
    [['A.1', 'A.2'], ['A.3'], ['B.1']]
    """
    suites = itertools.groupby(names, lambda name: name.split(".")[0])
    listed = [list(suite) for _, suite in suites]
    return [suite[first : first + size] for suite in listed for first in range(0, len(suite), size)]


def group_name(names: list[str]) -> str:
    """Names the tests of one process in a line of a log."""
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def program_name(program: Path, ranks: int) -> str:
    return f"{program.name} on {ranks} ranks" if ranks else program.name
