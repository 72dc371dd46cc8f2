# SPDX-License-Identifier: Apache-2.0
"""Draws the figures that pages of docs/ and README.md show, from recorded rows: docs/figures/*.png.

    scripts/docs_figures.py [NAME...]

Draws those named, or all. A caption on a page names the folder and the commit of the rows. These
files are committed on purpose, so a figure changes only when this script runs.
"""

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from plots import style  # noqa: E402
from plots.__main__ import Part, draw  # noqa: E402
from plots.drawing import Output  # noqa: E402
from plots.load import load_experiment  # noqa: E402

TARGET = ROOT / "docs/figures"
# By name: the folder of the rows below results/, and the module of plots/figures.
FIGURES = {
    "findings-xbfs": ("h200/xbfs-fig11-standins", "speedup_bars"),
    "findings-dfq": ("h200/dfq-fig5-standins", "queue_designs"),
    "findings-cs406": ("xeon-16/cs406-table1-standins", "sequential_benchmarks"),
    "findings-romeo": ("epyc-2/graph500-romeo-figure3_4a_times", "edges_per_level"),
    "frontier-expansion-map": ("h200/dfq-heat_map", "frontier_expansion_map"),
    "fused-break-even": ("h200/fused-levels", "break_even"),
    "fused-level-costs": ("h200/fused-by-level", "level_costs"),
    "fused-ablation": ("h200/fused-ablation", "engines_by_graph"),
    "fused-level-traffic": ("h200/fused-counters", "level_traffic"),
    "fused-scaling": ("h200/fused-scaling", "engines_by_graph"),
    "fused-deep": ("h200/fused-deep", "engines_by_graph"),
    "fused-batches": ("h200-x2/fused-batches", "batch_rates"),
    "delegate-thresholds": ("h200/scalable-bfs-fig6", "rate_against_threshold"),
    "delegate-two-gpus": ("h200-x2/scalable-bfs-two-gpus", "engines_by_graph"),
    "delegate-weak-scaling": ("h200-x4/scalable-bfs-fig9", "weak_scaling"),
    "delegate-steps": ("h200-x4/scalable-bfs-steps", "step_breakdown"),
}


def drawn(name: str) -> tuple[bytes, str]:
    """The PNG, and the folder and commit of its rows. Throws ValueError where the module does not
    draw exactly one figure of its own name of these rows."""
    folder, module = FIGURES[name]
    experiment = load_experiment(ROOT / "results" / folder)
    with tempfile.TemporaryDirectory() as scratch:
        made = draw(
            Part(module, [experiment], ""), Path(scratch), Output(("png",)), for_report=False
        )
        pictures = [each.paths["png"] for each in made.entries if "png" in each.paths]
        named = [each for each in pictures if each.stem == module]
        if len(named) != 1 or made.faults:
            raise ValueError("; ".join(made.faults) or f"{module} draws {pictures}")
        picture = named[0].read_bytes()
    return picture, f"results/{folder}, {experiment.commit}, {experiment.days[1]}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", choices=[[], *FIGURES], metavar="NAME")
    names = parser.parse_args().names or FIGURES
    style.use()
    TARGET.mkdir(parents=True, exist_ok=True)
    for name in names:
        picture, rows = drawn(name)
        (TARGET / f"{name}.png").write_bytes(picture)
        print(f"docs/figures/{name}.png  {len(picture):,} bytes  {rows}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
