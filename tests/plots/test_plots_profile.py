"""The figures of a profile, on counters whose rates can be worked out by hand."""

import pytest
from results_builder import Results

from plots.figures import level_timeline, roofline
from plots.kernel_counters import kernels
from plots.load import load_experiment

SPEC = {"name": "p", "graphs": ["kronecker:scale=16"], "cases": {"Ad": {}},
        "figure": ["roofline", "level_timeline"]}  # fmt: skip

# level, direction, technique, kernel, ms, bytes read, written, instructions, requests, sectors
LAUNCHES = [
    (0, "top_down", "scan_free", "expand", 0.01, 1e6, 0, 2e5, 1000, 31000),
    (1, "top_down", "scan_free", "expand", 0.03, 6e7, 1e7, 4e6, 100000, 2400000),
    (2, "bottom_up", "double_scan", "count_unvisited", 0.05, 9e7, 1e6, 9e6, 200000, 820000),
    (2, "bottom_up", "double_scan", "place_unvisited", 0.02, 3e7, 2e7, 3e6, 90000, 400000),
    (3, "bottom_up", "no_generation", "look", 0.04, 8e7, 5e6, 6e6, 150000, 3600000),
]


@pytest.fixture
def profiled(tmp_path):
    made = Results(SPEC)
    trial = made.run("Ad", 5.0, engine="xbfs", toggles="ad=1", source=7)
    for order, launch in enumerate(LAUNCHES):
        level, direction, technique, kernel, ms, read, written, ins, req, sec = launch
        part = f"kernel={kernel};direction={direction};technique={technique}"
        told = {"launches": 1, "order": order, "gpu_time": ms, "dram_read_bytes": read,
                "dram_written_bytes": written, "l2_bytes": 2 * read, "warp_instructions": ins,
                "global_load_requests": req, "global_load_sectors": sec, "occupancy": 60 + level,
                "dram_peak": 4.8e12, "instruction_peak": 1.0e12,
                "stall_long_scoreboard": 9 + level, "stall_barrier": 0.5, "stall_wait": 2,
                "stall_membar": 0.1, "stall_selected": 1}  # fmt: skip
        for metric, value in told.items():
            made.measure(trial, part, metric, value, level=level)
    made.measure(trial, "kernel=reset", "gpu_time", 0.002)
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


def test_without_counters_the_figures_say_so(tmp_path):
    made = Results(SPEC)
    made.run("Ad", 5.0)
    experiment = load_experiment(made.write(tmp_path / "box" / "p"))
    for module in (roofline, level_timeline):
        (drawing,) = module.draw([experiment])
        assert drawing.numbers.empty
