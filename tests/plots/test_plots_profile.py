# SPDX-License-Identifier: Apache-2.0
"""The figures of a profile, on counters whose rates can be worked out by hand."""

import pytest
from kernel_rows import LAUNCHES, add_kernels
from results_builder import Results

from plots import style
from plots.figures import level_timeline, roofline
from plots.kernel_counters import kernels
from plots.load import load_experiment

SPEC = {"name": "p", "graphs": ["kronecker:scale=16"], "cases": {"Ad": {}},
        "figure": ["roofline", "level_timeline"]}  # fmt: skip


@pytest.fixture
def profiled(tmp_path):
    made = Results(SPEC)
    trial = made.run("Ad", 5.0, engine="xbfs", toggles="ad=1", source=7)
    add_kernels(made, trial)
    made.measure(trial, "worker", "involuntary_switches", 2)
    made.graph("kronecker:scale=16", 65536, 1000000)
    return load_experiment(made.write(tmp_path / "box" / "p"))


def test_every_kernel_of_a_level_is_a_row(profiled):
    frame = kernels(profiled)
    assert len(frame) == len(LAUNCHES) + 1
    assert frame["level"].isna().sum() == 1 and frame["series"].unique() == ["Ad"]
    assert list(frame["kernel"])[:2] == ["expand", "expand"]


def test_rates_are_of_the_kernels_own_time(profiled):
    frame = roofline.numbers(profiled).set_index(["level", "kernel"])
    row = frame.loc[(1, "expand")]
    assert row["instructions_per_byte"] == pytest.approx(4e6 / 7e7)
    assert row["instructions_per_second"] == pytest.approx(4e6 / 3e-5)
    assert row["dram_bytes_per_second"] == pytest.approx(7e7 / 3e-5)


def test_the_caption_says_how_much_of_the_bandwidth_is_used(profiled):
    (drawing,) = roofline.draw([profiled])
    moved = sum(read + written for _, _, _, _, _, read, written, *_ in LAUNCHES)
    share = moved / 1.5e-4 / 4.8e12
    assert f"{share:.0%} of DRAM's bandwidth" in drawing.caption
    assert "1 kernels moved no bytes" in drawing.caption  # the reset, of which nothing is told


def test_a_timeline_has_its_kernels_one_after_the_other(profiled):
    (drawing,) = level_timeline.draw([profiled])
    frame = drawing.numbers
    assert list(frame["begin_ms"]) == pytest.approx([0, 0.01, 0.04, 0.09, 0.11])
    assert frame["sectors_per_request"].iloc[0] == pytest.approx(31)
    assert frame["dram_share_pct"].iloc[1] == pytest.approx(100 * 7e7 / 3e-5 / 4.8e12)
    assert "level 2 takes 47% of the kernels' 0.15 ms" in drawing.caption
    assert "stall_selected" not in frame.columns


def test_cases_differ_by_colour_and_techniques_by_mark(tmp_path):
    made = Results(SPEC | {"cases": {"Ad": {}, "Other": {}}})
    for case in ("Ad", "Other"):
        add_kernels(made, made.run(case, 5.0, engine="xbfs", source=7))
    made.graph("kronecker:scale=16", 65536, 1000000)
    (drawing,) = roofline.draw([load_experiment(made.write(tmp_path / "box" / "p"))])
    (axes,) = drawing.figure.axes
    looks = {c.get_label(): (tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes())
             for c in axes.collections if not c.get_label().startswith("_")}  # fmt: skip
    first, second = looks["Ad: scan free"], looks["Other: scan free"]
    assert first[0] != second[0] and first[1] == second[1]
    assert looks["Ad: double scan"][0] == first[0] and looks["Ad: double scan"][1] != first[1]
    assert all(color[3] == 1 for color, _ in looks.values())  # kept whole by a PNG's palette


def test_twelve_kernels_look_different():
    assert len({(style.color(i), style.hatch(i)) for i in range(12)}) == 12


def test_without_counters_the_figures_say_so(tmp_path):
    made = Results(SPEC)
    made.run("Ad", 5.0)
    experiment = load_experiment(made.write(tmp_path / "box" / "p"))
    for module in (roofline, level_timeline):
        (drawing,) = module.draw([experiment])
        assert drawing.numbers.empty
