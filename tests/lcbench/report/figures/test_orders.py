from __future__ import annotations

from itertools import permutations
from statistics import fmean, stdev

import pytest

from lcbench.analysis.selection import select
from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.registry.host import plugin_host
from lcbench.report.figures.orders import charts


def test_the_spread_over_orders_is_that_of_the_averages_at_the_end(make_run, drawn, near):
    runs = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    (chart,) = charts(select(runs), ["purity"])
    dots, _ = drawn(chart)
    found = {line.get_label(): list(line.get_xdata()) for line in dots.get_lines()}
    assert found["runs of m"] == near([30, 60])
    assert found["mean of m"] == near([45])
    assert found["_bar"] == near([45 - stdev([30, 60]), 45 + stdev([30, 60])])


def test_the_effect_of_place_is_measured_against_the_tasks_own_mean(make_run, drawn, line, near):
    """By hand: a scores 20 and 70 (mean 45), b 40 and 50 (mean 45)."""
    runs = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    alone = select(runs)
    (chart,) = charts(alone, ["purity"])
    places = drawn(chart)[1]
    assert line(places, "a") == near([(1, -25), (2, 25)])
    assert line(places, "b") == near([(1, 5), (2, -5)])
    others = [make_run(run.order, run.scores["purity"], label="n", method="n") for run in runs]
    (chart,) = charts(select([*runs, *others]), ["purity"])
    places = drawn(chart)[1]
    assert line(places, "m") == line(places, "n") == near([(1, -10), (2, 10)])
    assert "percentage points" in places.get_ylabel()


def test_a_score_that_only_place_decides_is_found_over_all_orders(make_run):
    bonus, level = (0.0, 0.05, 0.2), {"a": 0.1, "b": 0.5, "c": 0.3}
    runs = [make_run(o, [level[task] + bonus[p] for p, task in enumerate(o)]) for o in permutations("abc")]
    (chart,) = charts(select(runs), ["purity"])
    expected = tuple(100 * (b - fmean(bonus)) for b in bonus)
    for series in chart.panels[1].series:
        assert series.y == pytest.approx(expected)
        assert series.spread == pytest.approx((0, 0, 0), abs=1e-9)


def test_the_tasks_of_a_method_stand_in_the_order_of_their_stream(make_run):
    tasks = ("t2", "t10", "a")
    runs = [make_run(order, [0.1, 0.2, 0.3], tasks=tasks) for order in (tasks, tasks[::-1])]
    (chart,) = charts(select(runs), ["purity"])
    assert [line.name for line in chart.panels[1].series] == ["t2", "t10", "a"]


@pytest.mark.parametrize("metric", [spec.name for spec in plugin_host().registry.metrics])
def test_no_title_of_a_panel_is_cut_for_a_metric_that_comes_with_lcbench(make_run, drawn, metric):
    runs = [make_run(order, [0.1, 0.2], metric=metric) for order in ("ab", "ba")]
    (chart,) = charts(select(runs), [metric])
    assert not any("…" in axes.get_title("left") for axes in drawn(chart))


def test_methods_run_in_one_order_are_not_drawn(make_run):
    one = make_run("ab", [0.1, 0.2], label="one", method="one")
    assert charts(select([one]), ["purity"]) == []
    several = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    (chart,) = charts(select([one, *several]), ["purity"])
    assert [row.name for row in chart.panels[0].rows] == ["m"]


def test_single_task_methods_have_dots_but_no_line_and_methods_keep_their_colour(make_run, drawn):
    both = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    flat = [make_run(r.order, r.scores["purity"], label="f", method="f", setting="single-task") for r in both]
    (chart,) = charts(select([*both, *flat]), ["purity"])
    dots, places = drawn(chart)
    assert [row.name for row in chart.panels[0].rows] == ["f", "m"]
    assert [line.name for line in chart.panels[1].series] == ["m"]
    means = {line.get_label(): line.get_color() for line in dots.get_lines()}
    assert places.get_lines()[0].get_color() == means["mean of m"] != means["mean of f"]
    assert "so they have no lines" in chart.caption
    (chart,) = charts(select(flat), ["purity"])
    assert [type(panel).__name__ for panel in chart.panels] == ["DotPanel"]
    assert "Right" not in chart.caption


@pytest.mark.parametrize(("metric", "best"), [("purity", "ba"), ("loss", "ab")])
def test_the_caption_names_the_best_and_the_worst_order_of_up_to_three_methods(make_run, monkeypatch, metric, best):
    """By hand: ab has the means 30 and 50, together 40; ba has 60."""
    loss = MetricSpec("loss", "a:B", MetricKind.EXTERNAL, greater_is_better=False, percent=False)
    monkeypatch.setitem(plugin_host().registry.metrics._specs, "loss", loss)
    runs = [
        make_run("ab", [0.2, 0.4], metric=metric),
        make_run("ab", [0.4, 0.6], metric=metric, repeat=1),
        make_run("ba", [0.5, 0.7], metric=metric),
    ]
    shown = {"ab": "40.0", "ba": "60.0"} if metric == "purity" else {"ab": "0.400", "ba": "0.600"}
    worst = best[::-1]
    said = f"m in 2 orders: best {' → '.join(best)} ({shown[best]}), worst {' → '.join(worst)} ({shown[worst]})"
    (chart,) = charts(select(runs), [metric])
    assert f"By {metric}, {said}." in chart.caption
    others = [make_run(r.order, r.scores[metric], metric=metric, label=n, method=n) for n in "nop" for r in runs[1:]]
    (chart,) = charts(select([*runs, *others[:4]]), [metric])
    assert "n in 2 orders, each run once: best" in chart.caption
    (chart,) = charts(select([*runs, *others]), [metric])
    assert "best" not in chart.caption
