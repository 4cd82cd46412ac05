from __future__ import annotations

import random
from itertools import permutations
from statistics import fmean, stdev

import numpy as np
import pytest

from lcbench.analysis.selection import select
from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.experiment.orders import plan_orders
from lcbench.registry.host import plugin_host
from lcbench.report.figures import orders, transfer


def test_the_spread_over_orders_is_that_of_the_averages_at_the_end(make_run, drawn, near):
    runs = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    (chart,) = orders.charts(select(runs), ["purity"])
    dots, _ = drawn(chart)
    found = {line.get_label(): list(line.get_xdata()) for line in dots.get_lines()}
    assert found["runs of m"] == near([30, 60])
    assert found["mean of m"] == near([45])
    assert found["_bar"] == near([45 - stdev([30, 60]), 45 + stdev([30, 60])])


def test_the_effect_of_place_is_measured_against_the_tasks_own_mean(make_run, drawn, line, near):
    """By hand: a scores 20 and 70 (mean 45), b 40 and 50 (mean 45)."""
    runs = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    alone = select(runs)
    (chart,) = orders.charts(alone, ["purity"])
    places = drawn(chart)[1]
    assert line(places, "a") == near([(1, -25), (2, 25)])
    assert line(places, "b") == near([(1, 5), (2, -5)])
    others = [make_run(run.order, run.scores["purity"], label="n", method="n") for run in runs]
    (chart,) = orders.charts(select([*runs, *others]), ["purity"])
    places = drawn(chart)[1]
    assert line(places, "m") == line(places, "n") == near([(1, -10), (2, 10)])
    assert "percentage points" in places.get_ylabel()


def test_a_score_that_only_place_decides_is_found_over_all_orders(make_run):
    bonus, level = (0.0, 0.05, 0.2), {"a": 0.1, "b": 0.5, "c": 0.3}
    runs = [make_run(o, [level[task] + bonus[p] for p, task in enumerate(o)]) for o in permutations("abc")]
    (chart,) = orders.charts(select(runs), ["purity"])
    expected = tuple(100 * (b - fmean(bonus)) for b in bonus)
    for series in chart.panels[1].series:
        assert series.y == pytest.approx(expected)
        assert series.spread == pytest.approx((0, 0, 0), abs=1e-9)


def test_the_tasks_of_a_method_stand_in_the_order_of_their_stream(make_run):
    tasks = ("t2", "t10", "a")
    runs = [make_run(order, [0.1, 0.2, 0.3], tasks=tasks) for order in (tasks, tasks[::-1])]
    (chart,) = orders.charts(select(runs), ["purity"])
    assert [line.name for line in chart.panels[1].series] == ["t2", "t10", "a"]


@pytest.mark.parametrize("metric", [spec.name for spec in plugin_host().registry.metrics])
def test_no_title_of_a_panel_is_cut_for_a_metric_that_comes_with_lcbench(make_run, drawn, metric):
    runs = [make_run(order, [0.1, 0.2], metric=metric) for order in ("ab", "ba")]
    (chart,) = orders.charts(select(runs), [metric])
    assert not any("…" in axes.get_title("left") for axes in drawn(chart))


def test_methods_that_met_one_order_are_not_drawn(make_run):
    one = make_run("ab", [0.1, 0.2], label="one", method="one")
    assert orders.charts(select([one]), ["purity"]) == []
    several = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    (chart,) = orders.charts(select([one, *several]), ["purity"])
    assert [row.name for row in chart.panels[0].rows] == ["m"]


def test_single_task_methods_have_dots_but_no_line_and_methods_keep_their_colour(make_run, drawn):
    both = [make_run("ab", [0.2, 0.4]), make_run("ba", [0.5, 0.7])]
    flat = [make_run(r.order, r.scores["purity"], label="f", method="f", setting="single-task") for r in both]
    (chart,) = orders.charts(select([*both, *flat]), ["purity"])
    dots, places = drawn(chart)
    assert [row.name for row in chart.panels[0].rows] == ["f", "m"]
    assert [line.name for line in chart.panels[1].series] == ["m"]
    means = {line.get_label(): line.get_color() for line in dots.get_lines()}
    assert places.get_lines()[0].get_color() == means["mean of m"] != means["mean of f"]
    assert "so they have no lines" in chart.caption
    (chart,) = orders.charts(select(flat), ["purity"])
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
    (chart,) = orders.charts(select(runs), [metric])
    assert f"By {metric}, {said}." in chart.caption
    others = [make_run(r.order, r.scores[metric], metric=metric, label=n, method=n) for n in "nop" for r in runs[1:]]
    (chart,) = orders.charts(select([*runs, *others[:4]]), [metric])
    assert "n in 2 orders, each run once: best" in chart.caption
    (chart,) = orders.charts(select([*runs, *others]), [metric])
    assert "best" not in chart.caption


HELP = {("a", "b"): 0.1, ("b", "a"): -0.02, ("a", "c"): 0.0, ("c", "a"): 0.05, ("b", "c"): 0.03, ("c", "b"): -0.04}


@pytest.fixture
def left_out(make_run):
    """Runs whose scores are made of what each task gives each other one, and of what the repeat does to all."""
    generator = random.Random(1)
    made = []
    for repeat, order in plan_orders("leave-one-out", "abc", repeats=4, seed=3, stream="s"):
        shift = repeat / 100
        last = [0.5 + shift + sum(HELP[other, task] for other in order if other != task) for task in order]
        made.append(make_run(order, last, repeat=repeat, tasks="abc"))
    generator.shuffle(made)
    return made


def test_transfer_finds_what_each_task_gives_each_other_one(left_out, drawn):
    (chart,) = transfer.charts(select(left_out, parts=True), ["purity"])
    (axes,) = drawn(chart)
    expected = [[100 * HELP[a, b] if a != b else np.nan for b in "abc"] for a in "abc"]
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan), expected, atol=1e-9)
    numbers = {text.get_text().split("\n")[0] for text in axes.texts}
    assert numbers == {"+10.0", "−2.0", "0", "+5.0", "+3.0", "−4.0"}
    assert axes.images[0].get_clim() == pytest.approx((-10, 10))
    assert "over 4 pairs of runs" in chart.caption
    assert chart.subtitle == "4 orders, seed 0"


def test_transfer_pairs_runs_of_the_same_seed_repeat_and_order(make_run):
    runs = [
        make_run("ab", [0.5, 0.9]),
        make_run("b", [0.6], tasks="ab"),
        make_run("b", [0.1], repeat=1, tasks="ab"),
        make_run("a", [0.1], seed=5, tasks="ab"),
    ]
    (chart,) = transfer.charts(select(runs, parts=True), ["purity"])
    assert chart.panels[0].cells == ((None, pytest.approx(30)), (None, None))
    assert chart.panels[0].spread == ((None, None), (None, None))


def test_the_order_of_the_others_has_to_stay(make_run):
    runs = [make_run("abc", [0.5, 0.9, 0.1]), make_run("cb", [0.6, 0.2], tasks="abc")]
    assert transfer.charts(select(runs, parts=True), ["purity"]) == []


def test_many_tasks_have_no_deviations_and_very_many_no_numbers(make_run, drawn):
    for count, texts in ((7, 42), (21, 0)):
        tasks = [f"t{i}" for i in range(count)]
        runs = [
            make_run(order, [0.5] * len(order), repeat=r, tasks=tasks)
            for r, order in plan_orders("leave-one-out", tasks, repeats=2, seed=0, stream="s")
        ]
        (chart,) = transfer.charts(select(runs, parts=True), ["purity"])
        (axes,) = drawn(chart)
        assert len(axes.texts) == texts
        assert "±" not in chart.caption
        assert ("no room" in chart.caption) == (not texts)


def test_means_more_than_two_standard_errors_from_zero_are_bold(make_run, drawn):
    """By hand: b gains 1, 2, 3 (2 > 2 * 1 / sqrt 3), a gains -1, 1, 3 (1 < 2 * 2 / sqrt 3)."""
    gains = {"b": (0.01, 0.02, 0.03), "a": (-0.01, 0.01, 0.03)}
    runs = []
    for i in range(3):
        runs.append(make_run("ab", [0.5, 0.5], repeat=i))
        runs += [make_run(task, [0.5 - gain[i]], repeat=i, tasks="ab") for task, gain in gains.items()]
    (chart,) = transfer.charts(select(runs, parts=True), ["purity"])
    weights = {text.get_text().split("\n")[0]: text.get_weight() for text in drawn(chart)[0].texts}
    assert weights == {"+2.0": "bold", "+1.0": "normal"}
    assert "Bold: the mean is more than 2 standard errors from zero" in chart.caption
    (chart,) = transfer.charts(select(runs[:6], parts=True), ["purity"])
    assert not chart.panels[0].clear
    assert "Bold" not in chart.caption
