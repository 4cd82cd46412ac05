from __future__ import annotations

from itertools import permutations
from statistics import fmean, stdev

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.registry.host import plugin_host
from lcbench.report.figures.kinds.orders import KIND


def both(label="m", **fields):
    """A run in each order of two tasks. By hand: a scores 20 and 70 (mean 45), b 40 and 50 (mean 45)."""
    return [make_record(label, last, order=order, **fields) for order, last in (("ab", [0.2, 0.4]), ("ba", [0.5, 0.7]))]


def chart_of(runs, metric="purity"):
    (chart,) = KIND.charts(select(runs), [metric])
    return chart


def test_the_spread_over_orders_is_that_of_the_averages_at_the_end(drawn, points):
    dots, _ = drawn(chart_of(both()))
    found = {label: [x for x, _ in line] for label, line in points(dots).items()}
    assert (found["runs of m"], found["mean of m"]) == ([30, 60], [45])
    assert found["_bar"] == pytest.approx([45 - stdev([30, 60]), 45 + stdev([30, 60])])


def test_the_effect_of_place_is_measured_against_the_tasks_own_mean(drawn, points):
    _, places = drawn(chart_of(both()))
    assert points(places) == {"a": [(1, -25), (2, 25)], "b": [(1, 5), (2, -5)]}
    _, places = drawn(chart_of([*both(), *both("n")]))
    assert points(places) == {"m": [(1, -10), (2, 10)], "n": [(1, -10), (2, 10)]}
    assert "percentage points" in places.get_ylabel()


def test_a_score_that_only_place_decides_is_found_over_all_orders():
    bonus, level = (0.0, 0.05, 0.2), {"a": 0.1, "b": 0.5, "c": 0.3}
    scores = {order: [level[task] + bonus[p] for p, task in enumerate(order)] for order in permutations("abc")}
    expected = tuple(100 * (b - fmean(bonus)) for b in bonus)
    for series in chart_of([make_record("m", last, order=order) for order, last in scores.items()]).panels[1].series:
        assert series.y == pytest.approx(expected)
        assert series.spread == pytest.approx((0, 0, 0), abs=1e-9)


def test_the_tasks_of_a_method_stand_in_the_order_of_their_stream():
    tasks = ("t2", "t10", "a")
    runs = [make_record("m", [0.1, 0.2, 0.3], order=order, stream_tasks=tasks) for order in (tasks, tasks[::-1])]
    assert [line.name for line in chart_of(runs).panels[1].series] == ["t2", "t10", "a"]


@pytest.mark.parametrize("metric", [spec.name for spec in plugin_host().registry.metrics])
def test_no_title_of_a_panel_is_cut_for_a_metric_that_comes_with_lcbench(drawn, metric):
    assert not any("…" in axes.get_title("left") for axes in drawn(chart_of(both(metric=metric), metric)))


def test_methods_run_in_one_order_are_not_drawn():
    one = make_record("one")
    assert KIND.charts(select([one]), ["purity"]) == []
    assert [row.name for row in chart_of([one, *both()]).panels[0].rows] == ["m"]


def test_single_task_methods_have_dots_but_no_line_and_methods_keep_their_colour(drawn):
    flat = both("f", setting="single-task")
    chart = chart_of([*both(), *flat])
    dots, places = drawn(chart)
    assert [row.name for row in chart.panels[0].rows] == ["f", "m"]
    assert [line.name for line in chart.panels[1].series] == ["m"]
    means = {line.get_label(): line.get_color() for line in dots.get_lines()}
    assert places.get_lines()[0].get_color() == means["mean of m"] != means["mean of f"]
    assert "so they have no lines" in chart.caption
    chart = chart_of(flat)
    assert [type(panel).__name__ for panel in chart.panels] == ["DotPanel"]
    assert (chart.columns, chart_of(both()).columns) == (1, 2)
    assert "Right" not in chart.caption


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("purity", "m in 2 orders: best b → a (60.0), worst a → b (40.0)"),
        ("loss", "m in 2 orders: best a → b (0.400), worst b → a (0.600)"),
    ],
)
def test_the_caption_names_the_best_and_the_worst_order_of_up_to_three_methods(monkeypatch, metric, said):
    """By hand: ab has the means 30 and 50, together 40; ba has 60."""
    loss = MetricSpec("loss", "a:B", MetricKind.EXTERNAL, greater_is_better=False, percent=False)
    monkeypatch.setitem(plugin_host().registry.metrics._specs, "loss", loss)
    runs = [*both(metric=metric), make_record("m", [0.4, 0.6], repeat=1, metric=metric)]
    assert f"By {metric}, {said}." in chart_of(runs, metric).caption
    same = [make_record("e", [0.5, 0.5], order=order, metric=metric) for order in ("ab", "ba")]
    assert (
        "e in 2 orders, each run once: " + ("50.0" if metric == "purity" else "0.500") + " in each"
        in chart_of(same, metric).caption
    )
    others = [run for label in "nop" for run in both(label, metric=metric)]
    assert "n in 2 orders, each run once: best" in chart_of([*runs, *others[:4]], metric).caption
    assert "best" not in chart_of([*runs, *others], metric).caption
