#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nsight Compute as `bfslab profile` uses it, on machines without a GPU: it runs the command with a
library that writes its NVTX ranges, keeps one launch for each level that --nvtx-include selects,
and prints them as the raw page. The ranges are real, the counters are made up."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

RANGES = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"
STALL = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def selected(expression, stack):
    """`bfslab@A/*/B`: these ranges are in the stack in this order."""
    names = [n for n in expression.removeprefix("bfslab@").split("/") if n not in ("", "*")]
    rest = iter(name for _, name in stack)
    return all(any(name == each for each in rest) for name in names)


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
        innermost = rest[1].startswith("technique=")
        if innermost and selected(option("--nvtx-include"), stack):
            launches.append(list(stack))
    Path(option("--export")).write_text(json.dumps(launches))
    return code


def text_of(stack):
    kinds = [("none", "none") if p in ("-", "") else ("UINT64", p) for p, _ in stack]
    entries = [f'"bfslab:{name}:{kind}:{value}:none:none:none:none"'
               for (_, name), (kind, value) in zip(stack, kinds, strict=True)]  # fmt: skip
    return "1  " + "  ".join(entries) + " "


def print_raw_page():
    header = ["ID", "Process ID", "Process Name", "Host Name", RANGES, "Kernel Name",
              "gpu__time_duration.sum", "dram__bytes_read.sum", "dram__bytes_write.sum",
              "smsp__inst_executed.sum", STALL]  # fmt: skip
    units = [""] * 6 + ["ns", "byte", "byte", "inst", "inst"]
    with open(option("--log-file"), "w", newline="") as file:
        file.write("==PROF== Connected to process 1\n")
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([header, units])
        for i, stack in enumerate(json.loads(Path(option("--import")).read_text())):
            level = next(int(n.split()[1]) for _, n in stack if n.startswith("level "))
            kernel = "void bfslab::expand<32>(unsigned int *, int)"
            counted = [f"{1000 * (level + 1):,}", f"{4096 * (level + 1):,}", "0", "128", "8.5"]
            writer.writerow([i, 1, "bfslab", "here", text_of(stack), kernel, *counted])
    return 0


sys.exit(print_raw_page() if "--import" in sys.argv else profile())
