from __future__ import annotations

import numpy as np
import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.experiment.orders import plan_orders
from lcbench.report.figures.kinds.transfer import KIND

HELP = {("a", "b"): 0.1, ("b", "a"): -0.02, ("a", "c"): 0.0, ("c", "a"): 0.05, ("b", "c"): 0.03, ("c", "b"): -0.04}


def run(order, last, tasks="ab", **fields):
    return make_record("m", last, order=order, stream_tasks=tuple(tasks), **fields)


def charts_of(runs):
    return KIND.charts(select(runs, parts=True), ["purity"])


def test_transfer_finds_what_each_task_gives_each_other_one(drawn):
    """Scores are sums of the help that each task gives the others, and of a shift by the repeat."""
    runs = [
        run(o, [0.5 + r / 100 + sum(HELP[other, t] for other in o if other != t) for t in o], "abc", repeat=r)
        for r, o in plan_orders("leave-one-out", "abc", repeats=4, seed=3, stream="s")
    ]
    (chart,) = charts_of(runs[::-1])
    (axes,) = drawn(chart)
    expected = [[100 * HELP[a, b] if a != b else np.nan for b in "abc"] for a in "abc"]
    np.testing.assert_allclose(axes.images[0].get_array().filled(np.nan), expected, atol=1e-9)
    numbers = {text.get_text().split("\n")[0] for text in axes.texts}
    assert numbers == {"+10.0", "−2.0", "0", "+5.0", "+3.0", "−4.0"}
    assert "over 4 pairs of runs" in chart.caption
    assert chart.subtitle == "4 orders, seed 0"


def test_transfer_pairs_runs_of_the_same_seed_repeat_and_order():
    whole = run("ab", [0.5, 0.9])
    (chart,) = charts_of([whole, run("b", [0.6]), run("b", [0.1], repeat=1), run("a", [0.1], seed=5)])
    assert chart.panels[0].cells == ((None, pytest.approx(30)), (None, None))
    assert chart.panels[0].spread == ((None, None), (None, None))
    assert charts_of([run("abc", [0.5, 0.9, 0.1], "abc"), run("cb", [0.6, 0.2], "abc")]) == []


@pytest.mark.parametrize(("count", "deviations", "numbers"), [(6, True, True), (7, False, True), (21, False, False)])
def test_the_caption_says_what_the_cells_of_many_tasks_have_no_room_for(count, deviations, numbers):
    tasks = [f"t{i}" for i in range(count)]
    orders = plan_orders("leave-one-out", tasks, repeats=2, seed=0, stream="s")
    (chart,) = charts_of([run(order, [0.5] * len(order), tasks, repeat=repeat) for repeat, order in orders])
    assert ("±" in chart.caption, "no room" not in chart.caption) == (deviations, numbers)


def test_means_more_than_two_standard_errors_from_zero_are_bold(drawn):
    """By hand: b gains 1, 2, 3 (2 > 2 * 1 / sqrt 3), a gains -1, 1, 3 (1 < 2 * 2 / sqrt 3)."""
    gains = {"b": (0.01, 0.02, 0.03), "a": (-0.01, 0.01, 0.03)}
    runs = []
    for i in range(3):
        runs += [run("ab", [0.5, 0.5], repeat=i), *(run(task, [0.5 - gains[task][i]], repeat=i) for task in gains)]
    (chart,) = charts_of(runs)
    weights = {text.get_text().split("\n")[0]: text.get_weight() for text in drawn(chart)[0].texts}
    assert weights == {"+2.0": "bold", "+1.0": "normal"}
    assert "Bold: the mean is more than 2 standard errors from zero" in chart.caption
    (chart,) = charts_of(runs[:6])
    assert not chart.panels[0].clear
    assert "Bold" not in chart.caption
