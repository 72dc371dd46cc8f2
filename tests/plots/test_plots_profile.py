# SPDX-License-Identifier: Apache-2.0
"""The figures of a profile, on counters whose rates can be worked out by hand."""

import pytest
from kernel_rows import LAUNCHES, add_kernels
from results_builder import Results

from plots import style
from plots.figures import level_timeline, level_traffic, roofline
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
    assert "1 kernels moved no bytes" in drawing.caption  # the reset, which has no level


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
    for module in (roofline, level_timeline, level_traffic):
        (drawing,) = module.draw([experiment])
        assert drawing.numbers.empty


# ---- beside what each level needs

# For the levels of LAUNCHES: edges of the frontier, found, unvisited; 1,536 have no edges.
COUNTED = [(3, 3, 65535), (1000, 800, 65532), (50_000, 60_000, 64732), (900_000, 3000, 4732)]
# Top-down 4 an edge, 8 and two bits a vertex that is found; bottom-up 4 an unvisited vertex that
# has edges, 4 one that is found, and two bits each of 64,000.
NEEDED = [
    12 + 24 + 0.75,
    4000 + 6400 + 200,
    4 * 63196 + 4 * 60_000 + 16_000,
    4 * 3196 + 4 * 3000 + 16_000,
]


def traffic(tmp_path, early=0, symmetric=1, counted=COUNTED, sources=(7,), **facts):
    """Numbers and drawing of searches that were profiled, and counted once more."""
    made = Results(SPEC)
    for source in sources:
        same = {"engine": "xbfs", "source": source, "levels": 4} | facts
        add_kernels(made, made.run("Ad", 5.0, **same))
        trial = made.run("Ad", 6.0, instrumented=1, **same)
        for level, (edges, found, unvisited) in enumerate(counted):
            direction = "top_down" if level < 2 else "bottom_up"
            made.level(trial, level, 0, direction=direction, frontier_edges=edges,
                       found_vertices=found, unvisited_vertices=unvisited,
                       found_early_vertices=early if level == 3 else 0)  # fmt: skip
    made.graph("kronecker:scale=16", 65536, 1000000, symmetric=symmetric, isolated_vertices=1536)
    experiment = load_experiment(made.write(tmp_path / "box" / "p"))
    (drawing,) = level_traffic.draw([experiment])
    return level_traffic.numbers(experiment), drawing


def said(drawing):
    return [text.get_text() for text in drawing.figure.axes[0].texts]


def test_a_level_has_what_it_moved_and_what_it_needs(tmp_path):
    frame, drawing = traffic(tmp_path)
    assert frame["level"].tolist() == [0, 1, 2, 3, "all"]
    assert frame["needed_bytes"].tolist() == pytest.approx([*NEEDED, sum(NEEDED)])
    third = frame.iloc[2]  # two kernels
    assert third[["dram_bytes", "l2_bytes"]].tolist() == [1.41e8, 2.4e8]
    assert third["gpu_time_ms"] == pytest.approx(0.07)
    assert third["dram_share_pct"] == pytest.approx(100 * 1.41e8 / 7e-5 / 4.8e12)
    assert third["dram_per_needed"] == pytest.approx(1.41e8 / NEEDED[2])
    assert third["l2_per_needed"] == pytest.approx(2.4e8 / NEEDED[2])
    together = frame.iloc[4]
    assert together[["dram_bytes", "l2_bytes"]].tolist() == [2.97e8, 5.22e8]
    assert together["dram_share_pct"] == pytest.approx(41.25)
    assert said(drawing) == ["0.07 ms\n42 % of peak", "0.04 ms\n44 % of peak"]


def test_the_caption_says_what_the_whole_search_moves(tmp_path):
    _, drawing = traffic(tmp_path)
    assert drawing.caption.endswith(
        "Over all levels of the search, Ad on kronecker scale=16 moves "
        f"{2.97e8 / sum(NEEDED):.2f} bytes of DRAM and {5.22e8 / sum(NEEDED):.2f} of L2 "
        "for each byte that it needs at the very least, at 41% of DRAM's peak bandwidth."
    )
    assert "caches flushed" in drawing.caption
    _, drawing = traffic(tmp_path, levels=5)  # one level was not profiled
    assert "Over the profiled levels of the search, Ad on" in drawing.caption


def test_of_several_searches_the_first_is_drawn_and_all_are_told(tmp_path):
    frame, drawing = traffic(tmp_path, sources=(7, 9))
    assert frame["source"].tolist() == [7] * 5 + [9] * 5
    (axes,) = drawing.figure.axes
    assert "from vertex 7" in axes.get_title("left")
    ratio = f"{2.97e8 / sum(NEEDED):.2f}"
    words = f"Over all levels of 2 searches, Ad on kronecker scale=16 moves {ratio} bytes"
    assert words in drawing.caption


def test_parents_too_take_more_and_early_finds_were_there_already(tmp_path):
    frame, _ = traffic(tmp_path, early=1000, answer="both")
    needed = [12 + 36 + 0.75, 4000 + 9600 + 200, NEEDED[2] + 240_000, 4 * 2196 + 8 * 2000 + 16_000]
    assert frame["needed_bytes"].tolist()[:4] == pytest.approx(needed)


@pytest.mark.parametrize(
    ("changes", "without"),
    [
        ({"symmetric": 0}, [2, 3]),  # the number of vertices without incoming edges is unknown
        ({"early": ""}, [3]),
        ({"counted": COUNTED[:3]}, [3]),
        ({"counted": [COUNTED[0], ("", 800, 65532), *COUNTED[2:]]}, [1]),
        ({"counted": []}, [0, 1, 2, 3]),
    ],
)
def test_a_floor_that_is_not_known_is_said(tmp_path, changes, without):
    frame, drawing = traffic(tmp_path, **changes)
    lacking = frame["needed_bytes"].isna()
    assert frame.loc[lacking, "level"].tolist() == [*without, "all"]
    assert said(drawing).count("NO FLOOR") == len(without)
    words = "level has" if len(without) == 1 else "levels have"
    assert f"{len(without)} {words} no floor" in drawing.caption
    assert drawing.caption.endswith(
        "moves 2.97e+08 bytes of DRAM and 5.22e+08 of L2, at 41% of DRAM's peak bandwidth."
    )


def test_a_level_that_was_counted_in_the_other_direction_has_no_floor(tmp_path, monkeypatch):
    levels = [(3, "top_down", *launch[2:]) if launch[0] == 3 else launch for launch in LAUNCHES]
    monkeypatch.setattr("kernel_rows.LAUNCHES", levels)
    frame, _ = traffic(tmp_path)
    assert frame.loc[frame["needed_bytes"].isna(), "level"].tolist() == [3, "all"]


def test_of_many_levels_the_longest_are_drawn(tmp_path, monkeypatch):
    levels = [(k, "top_down", "scan_free", "expand", 0.01 * (1 + k % 20), 1e6, 0, 1, 1, 1)
              for k in range(40)]  # fmt: skip
    monkeypatch.setattr("kernel_rows.LAUNCHES", levels)
    frame, drawing = traffic(tmp_path, counted=[COUNTED[0]] * 2)
    assert len(frame) == 41
    ticks = [int(tick.get_text()) for tick in drawing.figure.axes[0].get_xticklabels()]
    assert ticks == [*range(12, 20), *range(32, 40)]
    assert "Of up to 40 levels a panel shows the 16 that take longest" in drawing.caption
