from __future__ import annotations

import random
from itertools import permutations
from statistics import stdev

import pytest
from making import make_record, make_solos
from matplotlib.colors import to_rgb

from lcbench.analysis.selection import select
from lcbench.analysis.transfer import curves_of
from lcbench.records.record import FAILED
from lcbench.report.figures.kinds.lifelong import KIND

R = [[0.5, None, None], [0.6, 0.7, None], [0.65, 0.75, 0.9]]
ALONE = make_record(
    "alone", [[0.4, None, None], [0.4, 0.45, None], [0.4, 0.45, 0.3]], order="cab", setting="single-task"
)
PAPERS = make_record("m", R, order="cab", baseline=ALONE.run_id, note="re-encoded")


def chart_of(*runs, metrics=("purity",)):
    (chart,) = KIND.charts(select(runs), metrics)
    return chart


@pytest.fixture
def all_orders():
    """Two methods in all orders of three tasks with any scores, and each task alone."""
    generator = random.Random(0)
    runs = []
    for r, order in enumerate(permutations("abc")):
        for label in "mn":
            R = [[generator.random() if j <= i else None for j in range(3)] for i in range(3)]
            run = make_record(label, scores={"purity": R, "silhouette": R[:]}, order=order, repeat=r)
            runs.append(run)
            for solo in make_solos(run, {task: generator.random() for task in order}):
                solo.scores["silhouette"] = solo.scores["purity"]
                runs.append(solo)
    return runs


def test_in_one_order_each_line_but_the_first_starts_at_the_baseline_one_step_before(drawn, points):
    (axes,) = drawn(chart_of(PAPERS, ALONE))
    assert points(axes)["c"] == [(1, 50), (2, 60), (3, 65)]
    assert points(axes)["a"] == [(1, 45), (2, 70), (3, 75)]
    assert points(axes)["b"] == [(2, 30), (3, 90)]
    hollow = [found for found in axes.get_lines() if found.get_label() == "_hollow"]
    assert [list(found.get_xdata()) for found in hollow] == [[1], [2]]
    assert {found.get_markerfacecolor() for found in hollow} == {"white"}
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("tasks learned", "purity (%)")


def test_title_subtitle_and_caption_name_stream_method_order_seed_baseline_and_note():
    chart = chart_of(PAPERS, ALONE)
    assert chart.title.startswith("m on s")
    assert chart.subtitle == "1 order, seed 0"
    assert "Hollow: the task by alone, one step before it is learned." in chart.caption
    assert "m: re-encoded." in chart.caption
    assert "mean" not in chart.caption


def test_without_a_baseline_lines_start_where_the_task_is_learned():
    series = chart_of(make_record("m", R, order="cab")).panels[0].series
    assert [(line.name, line.x, line.hollow) for line in series] == [
        ("c", (1, 2, 3), 0),
        ("a", (2, 3), 0),
        ("b", (3,), 0),
    ]


@pytest.mark.parametrize(
    ("runs", "named", "drawn", "left_out"),
    [
        ((PAPERS, ALONE), (), ["m"], ""),  # a mere baseline, which is not missed
        ((PAPERS, ALONE), ["alone"], ["alone", "m"], ""),
        ((make_record("m", R, order="cab"), ALONE), (), ["m"], "alone"),
        ((make_record("m", R, order="cab"), ALONE), ["alone"], ["alone", "m"], ""),
        ((ALONE,), (), ["alone"], ""),
    ],
)
def test_baselines_and_single_task_methods_are_drawn_only_if_named_or_alone(runs, named, drawn, left_out):
    selection = select(runs)
    assert [chart.about for chart in KIND.charts(selection, ["purity"], named)] == [("s", name) for name in drawn]
    notes = KIND.notes(selection, named)
    assert [note.partition("unless --method names them: ")[2] for note in notes] == (
        [f"{left_out}."] if left_out else []
    )
    assert all(note.startswith("s: single-task methods") for note in notes)


@pytest.mark.parametrize("metric", ["purity", "silhouette"])
def test_over_several_orders_points_and_bands_are_the_paired_curves(all_orders, drawn, points, metric):
    selection = select(all_orders)
    (chart,) = KIND.charts(selection, [metric])
    by_arrival, since = drawn(chart)
    scale = 100 if metric == "purity" else 1
    for axes, side in ((by_arrival, "by_arrival"), (since, "since_arrival")):
        bands = {tuple(band.get_facecolor()[0][:3]): band for band in axes.collections}
        for method in selection.streams[0].methods:
            curve = getattr(curves_of(method, selection, metric, 0.95), side)
            expected = [(n, pytest.approx(scale * point.mean)) for n, point in enumerate(curve)]
            assert points(axes)[method.label] == expected
            (line,) = [line for line in axes.get_lines() if line.get_label() == method.label]
            corners = bands[to_rgb(line.get_color())].get_paths()[0].vertices
            for n, point in enumerate(curve):
                ends = sorted({round(y, 9) for x, y in corners if x == n})
                low, high = scale * point.low, scale * point.high
                assert (ends[0], ends[-1]) == pytest.approx((low, high))


def test_over_several_orders_a_stream_has_one_figure_with_two_panels_per_metric(all_orders):
    (chart,) = KIND.charts(select(all_orders), ["purity", "silhouette"])
    assert (chart.about, chart.title, chart.subtitle) == (("s",), "s: what other tasks bring", "6 orders, seed 0")
    assert chart.columns == 2
    assert [(panel.title, panel.x_label, panel.y_label) for panel in chart.panels] == [
        ("purity by arrival", "tasks known before", "purity, percentage points"),
        ("purity since arrival", "tasks learned since", "purity, percentage points"),
        ("silhouette by arrival", "tasks known before", "silhouette"),
        ("silhouette since arrival", "tasks learned since", "silhouette"),
    ]
    assert all(panel.zero and panel.ticks == (0, 1, 2) for panel in chart.panels)
    assert [[line.name for line in panel.series] for panel in chart.panels] == [["m", "n"]] * 4
    assert "minus that of the same method alone" in chart.caption
    assert "bands are 95 % intervals" in chart.caption


def test_a_method_without_solo_runs_is_drawn_since_arrival_only_in_its_own_style(all_orders):
    runs = [run for run in all_orders if not (run.label == "m" and len(run.order) == 1)]
    by_arrival, since = KIND.charts(select(runs), ["purity"])[0].panels
    assert [(line.name, line.style) for line in by_arrival.series] == [("n", 1)]
    assert [(line.name, line.style) for line in since.series] == [("m", 0), ("n", 1)]


def test_of_methods_in_other_orders_one_run_each_has_points_and_no_band():
    runs = [make_record("m", R, order="cab"), make_record("n", R, order="abc")]
    (chart,) = KIND.charts(select(runs), ["purity"])
    assert [line.band for line in chart.panels[0].series] == [(), ()]
    assert chart.panels[0].series[0].y == pytest.approx((0, 7.5, 15))  # (10 + 5) / 2 after one more, 15 after two


def test_runs_in_several_orders_that_were_scored_at_the_end_only_have_no_figure(all_orders):
    for run in all_orders:
        run.scores = {
            metric: [*[[None] * len(run.order)] * (len(run.order) - 1), R[-1]] for metric, R in run.scores.items()
        }
    assert KIND.charts(select([run for run in all_orders if len(run.order) > 1]), ["purity"]) == []


def test_repeats_of_one_order_are_averaged_with_a_band_of_their_deviation_and_failed_runs_counted(drawn):
    runs = [make_record("m", [[y, None], [y, 0.5]], repeat=i) for i, y in enumerate((0.2, 0.4))]
    chart = chart_of(*runs, make_record(repeat=2, status=FAILED))
    assert chart.subtitle == "1 order, 2 repeats, seed 0"
    first, second = chart.panels[0].series
    assert first.y == pytest.approx((30, 30))
    assert first.spread == pytest.approx([stdev((20, 40))] * 2)
    assert second.spread == (0,)
    assert "1 run of m" in chart.caption
    assert "Lines are means over the repeats, of 2 runs; bands are ± one standard deviation." in chart.caption
    (band,) = drawn(chart)[0].collections
    ends = {round(float(y), 6) for _, y in band.get_paths()[0].vertices}
    assert sorted(ends) == pytest.approx([30 - stdev((20, 40)), 30 + stdev((20, 40))])


def test_each_metric_has_a_panel_and_one_that_was_not_scored_has_none():
    scores = {metric: [[y, None], [0.2, 0.3]] for metric, y in (("purity", 0.1), ("silhouette", -0.1))}
    run = make_record(scores={**scores, "nmi": [[None, None], [None, None]]})
    chart = chart_of(run, metrics=["purity", "nmi", "silhouette"])
    assert [(panel.title, panel.y_label) for panel in chart.panels] == [
        ("purity", "purity (%)"), ("silhouette", "silhouette")
    ]  # fmt: skip
    assert chart.panels[1].series[0].y == (-0.1, 0.2)
    assert KIND.charts(select([run]), ["nmi", "ri"]) == []
