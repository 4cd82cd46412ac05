"""The first place worked by hand, and its lead against the difference that `differences` finds."""

from __future__ import annotations

import pytest
from compared_runs import nmi_run

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.first_place import first_place
from lcbench.analysis.run_scores import Spread
from lcbench.analysis.selection import StreamRuns, select


def found_in(runs, metrics=("nmi",), **options):
    return compare_methods(select(runs), metrics, **options).streams[0].first


def test_the_best_average_leads_by_the_paired_difference_to_the_next(two_orders):
    found = found_in(two_orders)
    assert (found.metric, found.method, found.second, found.orders, found.methods) == ("nmi", "ours", "base", 2, 2)
    assert found.mean == pytest.approx(0.65)  # averages .7 and .6, those of base .7 and .5
    assert (found.lead.mean, found.lead.low, found.lead.high) == pytest.approx((0.05, 0.0, 0.1))
    assert (found.lead.pairs, found.lead.orders) == (2, 2)


def test_of_three_the_lead_is_over_the_second_and_is_what_a_comparison_with_it_finds(eight_orders):
    for confidence in (0.95, 0.5):
        found = found_in(eight_orders, confidence=confidence)
        assert (found.method, found.methods, found.orders) == ("x", 3, 8)
        stream = compare_methods(select(eight_orders), ["nmi"], against=found.second, confidence=confidence).streams[0]
        theirs = stream.differences["x", "nmi", None]
        assert (found.lead.mean, found.lead.low, found.lead.high) == (theirs.mean, theirs.low, theirs.high)
        third = ({"base", "y"} - {found.second}).pop()
        averages = {label: stream.scores[label, "nmi", None].mean for label in ("base", "x", "y")}
        assert averages["x"] > averages[found.second] > averages[third]


def test_where_less_is_better_the_least_is_first(two_orders, monkeypatch):
    monkeypatch.setattr("lcbench.analysis.first_place.greater_is_better", lambda _: False)
    found = found_in(two_orders)
    assert (found.method, found.second, found.lead.mean) == ("base", "ours", pytest.approx(-0.05))


def test_it_is_decided_by_the_first_metric_that_was_scored_at_the_moment_asked_for(two_orders):
    assert found_in(two_orders, ["ri", "nmi"]).metric == "nmi"
    # the first task of an order was .1 lower when it was learned
    assert found_in(two_orders, at="arrival").mean == pytest.approx(0.60)
    both = [nmi_run("x", (0.9, 0.1)), nmi_run("y", (0.2, 0.2))]
    for run in both:
        run.scores["ri"] = [[0.1, None], [0.5, 0.5 + 0.2 * (run.label == "y")]]
    assert (found_in(both, ["nmi", "ri"]).method, found_in(both, ["ri", "nmi"]).method) == ("x", "y")


def test_a_single_method_is_first_without_a_second_and_failed_ones_are_none():
    alone = found_in([nmi_run("x", (0.4, 0.6)), nmi_run("bad", (0, 0), status="failed", scores={})])
    assert (alone.method, alone.mean, alone.methods, alone.second, alone.lead) == ("x", 0.5, 1, None, None)


def test_methods_without_a_pair_have_a_first_and_a_second_but_no_lead():
    found = found_in([nmi_run("x", (0.4, 0.6)), nmi_run("y", (0.3, 0.3), repeat=1)])
    assert (found.method, found.second, found.lead) == ("x", "y", None)


def test_of_equal_methods_the_first_by_name_leads_in_every_table_and_they_are_level():
    runs = [nmi_run("y", (0.1 + 0.2, 0.5)), nmi_run("x", (0.3, 0.5))]
    for named in ([], ["y", "x"], ["x", "y"]):
        found = compare_methods(select(runs, named=named), ["nmi"]).streams[0].first
        assert (found.method, found.second, found.level) == ("x", "y", ("y",))
    assert found_in([*runs, nmi_run("z", (0.4, 0.4))]).level == ("y", "z")
    large = [nmi_run("y", (1e5 + 1e-9, 1e5)), nmi_run("x", (1e5, 1e5))]
    assert (found_in(large).method, found_in(large).level) == ("x", ("y",))
    ahead = found_in([*runs, nmi_run("z", (0.3, 0.5000001))])
    assert (ahead.method, ahead.second, ahead.level) == ("z", "x", ())


def test_without_an_average_there_is_no_first_place():
    assert found_in([nmi_run("x", (0.5, None))]) is None
    assert found_in([nmi_run("x", (0.5, 0.5))], ["ri"]) is None
    only_a_task = {("x", "nmi", "a"): Spread(0.5, None, 1)}
    assert first_place(StreamRuns("s", ("a",), ()), "nmi", only_a_task, "end", 0.95) is None
