from __future__ import annotations

from lcbench.analysis.selection import select
from lcbench.report.figures.convergence import charts


def test_convergence_draws_the_objective_of_each_task(make_run, drawn, line):
    run = make_run("ba", [0, 0], objective_trace=[[5.0, 4.0, 3.5], [7.0, None, 6.0]])
    (chart,) = charts(select([run]), [])
    (axes,) = drawn(chart)
    assert line(axes, "b") == [(1, 5), (2, 4), (3, 3.5)]
    assert line(axes, "a") == [(1, 7), (2, 6)]
    assert [series.name for series in chart.panels[0].series] == ["b", "a"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("iteration", "objective")


def test_a_repeat_that_stopped_keeps_its_last_objective(make_run):
    runs = [make_run("a", [0], objective_trace=[trace], repeat=i) for i, trace in enumerate(([4.0, 2.0], [6.0]))]
    (chart,) = charts(select(runs), [])
    assert chart.panels[0].series[0].y == (5, 4)
    assert "keeps its last value" in chart.caption


def test_of_runs_in_several_orders_those_in_the_streams_own_order_are_drawn(make_run):
    runs = [
        make_run("ab", [0, 0], objective_trace=[[1.0], [2.0]], stream_tasks=("b", "a")),
        make_run("ba", [0, 0], objective_trace=[[3.0], [4.0]], stream_tasks=("b", "a")),
    ]
    (chart,) = charts(select(runs), [])
    assert [(line.name, line.y) for line in chart.panels[0].series] == [("b", (3,)), ("a", (4,))]
    assert "one of 2 orders" in chart.subtitle


def test_a_method_without_an_objective_has_no_figure(make_run):
    runs = [make_run("ab", [0, 0], objective_trace=[None, None]), make_run("ab", [0, 0], label="n", method="n")]
    assert charts(select(runs), []) == []
