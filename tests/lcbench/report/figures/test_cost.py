from __future__ import annotations

from statistics import stdev

import pytest

from lcbench.analysis.selection import select
from lcbench.report.figures import convergence, cost, lifelong, runtime


def test_runtime_is_the_sum_of_the_seconds_of_learning_of_each_run(make_run, drawn, near):
    runs = [
        make_run("ab", [0, 0], learn_seconds=[0.5, 0.25]),
        make_run("ab", [0, 0], learn_seconds=[1.0, 0.75], repeat=1),
        make_run("ab", [0, 0], learn_seconds=[60.0, 40.0], label="slow", method="slow"),
    ]
    (chart,) = runtime.charts(select(runs), [])
    (axes,) = drawn(chart)
    found = {line.get_label(): list(line.get_xdata()) for line in axes.get_lines()}
    assert found["mean of m"] == near([1.25])
    assert found["runs of m"] == near([0.75, 1.75])
    assert found["_bar"] == near([0.75, 1.25 + stdev([0.75, 1.75])])  # a log axis has no zero: it ends at the least
    assert found["mean of slow"] == [100]
    assert axes.get_xscale() == "log"
    assert [text.get_text() for text in axes.get_yticklabels()] == ["m", "slow"]
    assert axes.get_ylim() == (1.5, -0.5)
    assert "seconds" in axes.get_xlabel()


def test_cost_shows_mean_seconds_and_sizes_step_by_step(make_run, drawn, line, near):
    runs = [
        make_run("ab", [0, 0], learn_seconds=[1.0, 2.0], state_bytes=[20_000, 30_000]),
        make_run("ab", [0, 0], learn_seconds=[3.0, 6.0], state_bytes=[20_000, 50_000], repeat=1),
    ]
    (chart,) = cost.charts(select(runs), [])
    seconds, size = drawn(chart)
    assert line(seconds, "m") == near([(1, 2), (2, 4)])
    assert line(size, "m") == near([(1, 20), (2, 40)])
    assert (seconds.get_ylabel(), size.get_ylabel()) == ("seconds", "kB")
    assert chart.panels[0].series[0].spread == pytest.approx((stdev([1, 3]), stdev([2, 6])))


@pytest.mark.parametrize(("size", "unit", "shown"), [(900, "bytes", 900), (2e4, "kB", 20), (3e8, "MB", 300)])
def test_sizes_are_in_a_unit_that_fits(make_run, size, unit, shown):
    (chart,) = cost.charts(select([make_run("a", [0], state_bytes=[int(size)])]), [])
    assert (chart.panels[1].y_label, chart.panels[1].series[0].y) == (unit, (shown,))


def test_methods_that_keep_nothing_and_little_and_much_share_an_axis(make_run, drawn):
    sizes = {"none": 0, "little": 100, "much": 10**6}
    runs = [make_run("ab", [0, 0], label=n, method=n, state_bytes=[size] * 2) for n, size in sizes.items()]
    (chart,) = cost.charts(select(runs), [])
    assert drawn(chart)[1].get_yscale() == "symlog"


@pytest.mark.parametrize(("kind", "caption"), [(cost, ""), (runtime, "Time to predict is not in it.")])
def test_of_single_runs_no_mean_and_no_deviation_is_claimed(make_run, kind, caption):
    (chart,) = kind.charts(select([make_run("ab", [0, 0])]), [])
    assert chart.caption == caption
    (chart,) = kind.charts(select([make_run("ab", [0, 0]), make_run("ab", [0, 0], repeat=1)]), [])
    assert "± one standard deviation" in chart.caption


def test_convergence_draws_the_objective_of_each_task(make_run, drawn, line):
    run = make_run("ba", [0, 0], objective_trace=[[5.0, 4.0, 3.5], [7.0, None, 6.0]])
    (chart,) = convergence.charts(select([run]), [])
    (axes,) = drawn(chart)
    assert line(axes, "b") == [(1, 5), (2, 4), (3, 3.5)]
    assert line(axes, "a") == [(1, 7), (2, 6)]
    assert [series.name for series in chart.panels[0].series] == ["b", "a"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("iteration", "objective")


def test_a_repeat_that_stopped_keeps_its_last_objective(make_run):
    runs = [make_run("a", [0], objective_trace=[trace], repeat=i) for i, trace in enumerate(([4.0, 2.0], [6.0]))]
    (chart,) = convergence.charts(select(runs), [])
    assert chart.panels[0].series[0].y == (5, 4)
    assert "keeps its last value" in chart.caption


def test_of_several_orders_the_streams_own_is_drawn(make_run):
    runs = [
        make_run("ab", [0, 0], objective_trace=[[1.0], [2.0]], stream_tasks=("b", "a")),
        make_run("ba", [0, 0], objective_trace=[[3.0], [4.0]], stream_tasks=("b", "a")),
    ]
    (chart,) = convergence.charts(select(runs), [])
    assert [(line.name, line.y) for line in chart.panels[0].series] == [("b", (3,)), ("a", (4,))]
    assert "one of 2 orders" in chart.subtitle


def test_a_method_without_an_objective_has_no_figure(make_run):
    runs = [make_run("ab", [0, 0], objective_trace=[None, None]), make_run("ab", [0, 0], label="n", method="n")]
    assert convergence.charts(select(runs), []) == []


def test_a_task_has_one_colour_and_marker_in_all_figures_of_its_stream(make_run, drawn):
    R = [[0.1, None, None], [0.1, 0.2, None], [0.1, 0.2, 0.3]]
    run = make_run("cab", R, objective_trace=[[1.0, 2.0]] * 3, tasks="abc")
    other = make_run("bca", R, label="n", method="n", tasks="abc")
    selection = select([run, other])
    found = {}
    for chart in (*lifelong.charts(selection, ["purity"]), *convergence.charts(selection, [])):
        for line in drawn(chart)[0].get_lines():
            found.setdefault(line.get_label(), set()).add((line.get_color(), line.get_marker()))
    assert set(found) == set("abc")
    assert [len(styles) for styles in found.values()] == [1, 1, 1]
    assert len(set.union(*found.values())) == 3
