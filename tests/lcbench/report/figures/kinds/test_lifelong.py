from __future__ import annotations

import random
from itertools import permutations
from statistics import stdev

import pytest
from making import make_record

from lcbench.analysis.lifelong_table import lifelong_table
from lcbench.analysis.selection import select
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
    """Runs in all orders of three tasks with any scores, and a baseline for each."""
    generator = random.Random(0)
    pairs = []
    for order in permutations("abc"):
        alone = make_record("alone", [generator.random() for _ in order], order=order)
        scores = [[generator.random() if j <= i else None for j in range(3)] for i in range(3)]
        pairs.append((make_record("m", scores, order=order, baseline=alone.run_id), alone))
    return pairs


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
    assert "alone, by alone" in chart.caption
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


def test_over_all_orders_points_equal_the_table_of_run_and_bands_the_standard_deviation(all_orders, drawn, points):
    runs = [run for run, _ in all_orders]
    selection = select([run for pair in all_orders for run in pair])
    (chart,) = KIND.charts(selection, ["purity"])
    (axes,) = drawn(chart)
    table = lifelong_table(runs, "purity", selection.by_id)
    for task in "abc":
        assert points(axes)[task] == [(m, pytest.approx(100 * table.cells[task, m].mean)) for m in range(4)]
    ends = [100 * run.scores["purity"][-1][run.order.index("b")] for run in runs]
    assert chart.panels[0].series[1].spread[-1] == pytest.approx(stdev(ends))
    assert chart.subtitle == "6 orders, seed 0"


def test_points_over_fewer_runs_are_smaller_and_means_of_fewer_than_three_have_no_band(all_orders, drawn):
    """Of six orders, task a is learned by two runs after one task, by four after two, by all after three."""
    chart = chart_of(*(run for run, _ in all_orders))
    (axes,) = drawn(chart)
    a = chart.panels[0].series[0]
    assert (a.x, a.runs) == ((1, 2, 3), (2, 4, 6))
    light, band = (next(c for c in axes.collections if c.get_label() == label) for label in ("_light", "_band"))
    assert [tuple(point) for point in light.get_offsets()] == list(zip(a.x, a.y, strict=True))[:2]
    one, two = light.get_sizes()
    (line,) = [line for line in axes.get_lines() if line.get_label() == "a"]
    assert one < two < line.get_markersize() ** 2
    assert line.get_markevery() == [2]
    assert min(x for path in band.get_paths() for x, _ in path.vertices) == 2
    for said in (
        "the runs that had learned the task by then, of 6 runs",
        "early points are over fewer",
        "3 runs or more",
    ):
        assert said in chart.caption


def test_repeats_of_one_order_are_averaged_failed_runs_counted_and_two_runs_have_no_band(drawn):
    runs = [make_record("m", [[y, None], [y, 0.5]], repeat=i) for i, y in enumerate((0.2, 0.4))]
    chart = chart_of(*runs, make_record(repeat=2, status=FAILED))
    assert chart.subtitle == "1 order, 2 repeats, seed 0"
    assert chart.panels[0].series[0].y == pytest.approx((30, 30))
    assert chart.panels[0].series[1].spread == (0,)
    assert "1 run of m" in chart.caption
    assert "deviation" not in chart.caption
    assert not any(path.vertices.size for c in drawn(chart)[0].collections for path in c.get_paths())


def test_each_metric_has_a_panel_and_one_that_was_not_scored_has_none():
    scores = {metric: [[y, None], [0.2, 0.3]] for metric, y in (("purity", 0.1), ("silhouette", -0.1))}
    run = make_record(scores={**scores, "nmi": [[None, None], [None, None]]})
    chart = chart_of(run, metrics=["purity", "nmi", "silhouette"])
    assert [(panel.title, panel.y_label) for panel in chart.panels] == [
        ("purity", "purity (%)"), ("silhouette", "silhouette")
    ]  # fmt: skip
    assert chart.panels[1].series[0].y == (-0.1, 0.2)
    assert KIND.charts(select([run]), ["nmi", "ri"]) == []
