# SPDX-License-Identifier: Apache-2.0
"""Prints harness/profile/kernel_names.def: the CUDA kernels of kernels/, which `bfslab profile`
lists, and against which it checks --kernel. `make schema` writes the file."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KERNEL = re.compile(
    r"__global__\s+(?:void\s+)?(?:__launch_bounds__\([^;{]*?\)\s+)?(?:void\s+)?(\w+)\("
)


def kernels() -> list[tuple[str, str]]:
    """The name of each kernel, and its file within kernels/."""
    found = []
    for file in sorted((ROOT / "kernels").rglob("*.cu*")):
        names = KERNEL.findall(file.read_text(encoding="utf-8"))
        found += [(name, str(file.relative_to(ROOT / "kernels"))) for name in names]
    return found


if __name__ == "__main__":
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// The CUDA kernels of kernels/, made by `make schema` (scripts/kernel_names.py).")
    for name, file in kernels():
        print(f'KERNEL("{name}", "{file}")')
