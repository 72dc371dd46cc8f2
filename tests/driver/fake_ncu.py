#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nsight Compute as `bfslab profile` uses it, on machines without a GPU: it runs the command with a
library that writes its NVTX ranges, keeps a launch for each measured traversal and each level that
--nvtx-include selects, and prints them in the form of the recorded raw page. The ranges are real,
the counters are made up."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

RECORDED = Path(__file__).parents[1] / "data/ncu/raw_page.csv"
RESET = "void bfslab::reset_traversal<SearchParts::Else>(bfslab::Traversal, T1)"
EXPAND = "void bfslab::<unnamed>::expand<bfslab::RowsOf<bfslab::CsrView>, 32>(bfslab::Work, int)"
SCAN = "cub::DeviceScan::ExclusiveSum"
OF_CUB = f'"CCCL:{SCAN}:none:none:none:none:REGISTERED:{SCAN}"'


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def selected(expression, stack):
    """Push-pop ranges as the CLI's section "NVTX filtering" has them: A/B are neighbours in the
    stack, `*` stands for any number of ranges between and `+` for one; a single name ends in /."""
    domain, _, names = expression.partition("@")
    parts = [part for part in names.split("/") if part]
    if domain != "bfslab" or "/" not in names:
        return False
    between = {"*": r"(/[^/]+)*", "+": r"/[^/]+"}
    form = "".join(between.get(part) or re.escape("/" + part) for part in parts)
    return re.search(form + "(/|$)", "".join("/" + name for _, name in stack)) is not None


def profile():
    if fault := os.environ.get("FAKE_NCU_FAULT"):
        Path(option("--log-file")).write_text(f"==PROF== Connected\n==ERROR== {fault}\n")
        return 1
    Path(option("--log-file")).write_text("==PROF== Connected\n")
    command = sys.argv[sys.argv.index("--metrics") + 2 :]
    log = option("--export") + ".ranges"
    injection = Path(command[0]).with_name("nvtx_injection.so")
    ranges = {"NVTX_INJECTION64_PATH": str(injection), "BFSLAB_NVTX_LOG": log}
    code = subprocess.run(command, env=os.environ | ranges).returncode
    stack, launches = [], []
    for line in Path(log).read_text().splitlines():
        word, _, *rest = line.split(" ", 3)
        if word == "pop":
            stack.pop()
            continue
        stack.append(rest)
        launching = rest[1] == "measured" or rest[1].startswith("technique=")
        if launching and selected(option("--nvtx-include"), stack):
            launches.append(list(stack))
    Path(option("--export")).write_text(json.dumps(launches))
    if not launches:
        Path(option("--log-file")).write_text("==WARNING== No kernels were profiled.\n")
    return code


def text_of(stack):
    entries = []
    for payload, name in stack:
        value = "none:none" if payload in ("-", "") else f"Uint64:{payload}"
        entries.append(f'"bfslab:{name}:{value}:none:none:ASCII:{name}"')
    return "1918  " + "  ".join([*entries, OF_CUB]) + " "


def print_raw_page():
    with open(RECORDED, newline="") as file:
        header, units, recorded = list(csv.reader(file))[:3]
    with open(option("--log-file"), "w", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([header, units])
        for i, stack in enumerate(json.loads(Path(option("--import")).read_text())):
            level = next((int(n.split()[1]) for _, n in stack if n.startswith("level ")), -1)
            told = {"ID": i, header[4]: text_of(stack),
                    "Kernel Name": RESET if level < 0 else EXPAND,
                    "gpu__time_duration.sum": 1000 * (level + 2)}  # fmt: skip
            cells = dict(zip(header, recorded, strict=True)) | told
            writer.writerow(cells[name] for name in header)
    return 0


sys.exit(print_raw_page() if "--import" in sys.argv else profile())
