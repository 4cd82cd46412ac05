from __future__ import annotations

from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.kinds.convergence import KIND


def test_convergence_draws_the_objective_of_each_task(drawn, points):
    run = make_record(order="ba", objective_trace=[[5.0, 4.0, 3.5], [7.0, None, 6.0]])
    (chart,) = KIND.charts(select([run]), [])
    (axes,) = drawn(chart)
    assert list(points(axes).items()) == [("b", [(1, 5), (2, 4), (3, 3.5)]), ("a", [(1, 7), (2, 6)])]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("iteration", "objective")


def test_a_repeat_that_stopped_keeps_its_last_objective():
    traces = ([4.0, 2.0], [6.0])
    runs = [make_record("m", [0.0], order="a", objective_trace=[t], repeat=i) for i, t in enumerate(traces)]
    (chart,) = KIND.charts(select(runs), [])
    assert chart.panels[0].series[0].y == (5, 4)
    assert "keeps its last value" in chart.caption


def test_of_runs_in_several_orders_those_in_the_streams_own_order_are_drawn():
    runs = [
        make_record(order=order, objective_trace=[[first], [first + 1]], stream_tasks=("b", "a"))
        for order, first in (("ab", 1.0), ("ba", 3.0))
    ]
    (chart,) = KIND.charts(select(runs), [])
    assert [(line.name, line.y) for line in chart.panels[0].series] == [("b", (3,)), ("a", (4,))]
    assert "one of 2 orders" in chart.subtitle


def test_a_method_without_an_objective_has_no_figure():
    assert KIND.charts(select([make_record("m"), make_record("n", objective_trace=[])]), []) == []
