from __future__ import annotations

import random

import numpy as np
import pytest

from lcbench.analysis.selection import select
from lcbench.experiment.orders import plan_orders
from lcbench.report.figures.transfer import charts

HELP = {("a", "b"): 0.1, ("b", "a"): -0.02, ("a", "c"): 0.0, ("c", "a"): 0.05, ("b", "c"): 0.03, ("c", "b"): -0.04}


@pytest.fixture
def left_out(make_run):
    """Runs whose scores are sums of the help that each task gives the others, and of a shift by the repeat."""
    generator = random.Random(1)
    made = []
    for repeat, order in plan_orders("leave-one-out", "abc", repeats=4, seed=3, stream="s"):
        shift = repeat / 100
        last = [0.5 + shift + sum(HELP[other, task] for other in order if other != task) for task in order]
        made.append(make_run(order, last, repeat=repeat, tasks="abc"))
    generator.shuffle(made)
    return made


def test_transfer_finds_what_each_task_gives_each_other_one(left_out, drawn):
    (chart,) = charts(select(left_out, parts=True), ["purity"])
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
    (chart,) = charts(select(runs, parts=True), ["purity"])
    assert chart.panels[0].cells == ((None, pytest.approx(30)), (None, None))
    assert chart.panels[0].spread == ((None, None), (None, None))


def test_runs_are_paired_only_if_the_other_tasks_keep_their_order(make_run):
    runs = [make_run("abc", [0.5, 0.9, 0.1]), make_run("cb", [0.6, 0.2], tasks="abc")]
    assert charts(select(runs, parts=True), ["purity"]) == []


def test_many_tasks_have_no_deviations_and_very_many_no_numbers(make_run, drawn):
    for count, texts in ((7, 42), (21, 0)):
        tasks = [f"t{i}" for i in range(count)]
        runs = [
            make_run(order, [0.5] * len(order), repeat=r, tasks=tasks)
            for r, order in plan_orders("leave-one-out", tasks, repeats=2, seed=0, stream="s")
        ]
        (chart,) = charts(select(runs, parts=True), ["purity"])
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
    (chart,) = charts(select(runs, parts=True), ["purity"])
    weights = {text.get_text().split("\n")[0]: text.get_weight() for text in drawn(chart)[0].texts}
    assert weights == {"+2.0": "bold", "+1.0": "normal"}
    assert "Bold: the mean is more than 2 standard errors from zero" in chart.caption
    (chart,) = charts(select(runs[:6], parts=True), ["purity"])
    assert not chart.panels[0].clear
    assert "Bold" not in chart.caption
