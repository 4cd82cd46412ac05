from __future__ import annotations

from itertools import product
from statistics import fmean, stdev

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.kinds.parameters import KIND


def point(lam, mu, *, repeat=0, score=None, more=(), **fields):
    """A run of l2sc, whose defaults are lam=1 and mu=0.01; its score says where it was."""
    score = lam / 1000 + mu / 100 + repeat / 50 if score is None else score
    params = {"lam": lam, "mu": mu, **dict(more)}
    return make_record(f"l2sc:lam={lam},mu={mu}", [score, score], params=params, repeat=repeat, **fields)


def chart_of(*runs, metrics=("purity",)):
    (chart,) = KIND.charts(select(runs), metrics)
    return chart


def test_a_grid_gives_a_panel_per_parameter_with_the_other_at_its_default(drawn, points):
    chart = chart_of(*(point(lam, mu, repeat=r) for lam, mu, r in product((0.1, 1, 10), (0.01, 0.1), (0, 1))))
    lam, mu = drawn(chart)
    expected = [(x, pytest.approx(100 * fmean([x / 1000 + 0.0001, x / 1000 + 0.0201]))) for x in (0.1, 1, 10)]
    assert points(lam)["purity"] == expected
    assert points(mu)["purity"] == [(x, pytest.approx(100 * (0.001 + x / 100 + 0.01))) for x in (0.01, 0.1)]
    assert chart.panels[0].series[0].spread == pytest.approx([100 * stdev((0, 0.02))] * 3)
    assert [panel.title for panel in chart.panels] == ["lam (mu = 0.01)", "mu (lam = 1)"]
    assert [panel.marked for panel in chart.panels] == [(1, "default"), (0.01, "default")]
    assert [x for x, _ in points(lam)["_marked"]] == [1, 1]
    assert (lam.get_xscale(), mu.get_xscale()) == ("log", "linear")
    assert chart.subtitle == "1 order, 2 repeats, seed 0"


def test_named_grids_vary_one_parameter_at_a_time_around_their_own_centre():
    panels = chart_of(*(point(x, 5) for x in (2, 3, 4)), *(point(3, x) for x in (6, 7))).panels
    assert [(panel.title, panel.series[0].x, panel.marked) for panel in panels] == [
        ("lam (mu = 5)", (2, 3, 4), None), ("mu (lam = 3)", (5, 6, 7), None)
    ]  # fmt: skip


def test_values_are_compared_over_the_orders_and_repeats_that_all_of_them_share():
    one, again, other = point(1, 0.01, score=0.5), point(1, 0.01, repeat=1, score=0.9), point(2, 0.01, score=0.6)
    chart = chart_of(one, again, other)
    assert chart.panels[0].series[0].y == pytest.approx((50, 60))
    assert "different" not in chart.caption
    unpaired = chart_of(again, other)
    assert unpaired.panels[0].series[0].y == pytest.approx((90, 60))
    assert "met different orders or seeds" in unpaired.caption


def test_failed_points_are_counted_and_single_runs_have_no_deviation():
    runs = [point(1, 0.01), point(2, 0.01), point(3, 0.01, status="failed")]
    assert chart_of(*runs).caption == (
        "Averages over the tasks after all were learned. "
        "Not drawn, for they did not end well: 1 run of l2sc:lam=3,mu=0.01."
    )
    assert "± one standard deviation" in chart_of(*runs, *(point(lam, 0.01, repeat=1) for lam in (1, 2))).caption


def test_a_line_goes_from_the_least_value_to_the_greatest_however_they_are_written():
    chart = chart_of(*(point(lam, 0.01) for lam in (10, 1e-05, 0.5, 2e-07)))
    assert chart.panels[0].series[0].x == (2e-07, 1e-05, 0.5, 10)


def test_each_value_of_a_parameter_that_is_a_word_has_a_figure_of_its_own():
    runs = [point(lam, 0.01, more={"affinity": affinity}) for lam in (1, 2) for affinity in ("knn", "full")]
    charts = KIND.charts(select(runs), ["purity"])
    assert sorted(chart.title.split(" on ")[0] for chart in charts) == ["l2sc", "l2sc:affinity=full"]


def test_the_points_of_a_tuned_grid_are_drawn_but_not_the_tuned_run_itself():
    runs = [point(1, 1), point(2, 1)]
    choice = {"points": [{"run_id": run.run_id} for run in runs]}
    tuned = point(7, 1, tune={"protocol": "oracle", "grid": []}, choice=choice)
    (chart,) = KIND.charts(select([*runs, tuned], candidates=True), ["purity"])
    assert chart.panels[0].series[0].x == (1, 2)
    assert KIND.charts(select([*runs, tuned]), ["purity"]) == []


def test_metrics_in_percent_share_a_panel_and_others_have_their_own():
    runs = [point(lam, 1) for lam in (1, 2)]
    for run in runs:
        run.scores |= {"nmi": [[0.1, 0.1]], "silhouette": [[0.2, 0.4]]}
    panels = chart_of(*runs, metrics=["purity", "silhouette", "nmi"]).panels
    assert [(panel.y_label, [line.name for line in panel.series]) for panel in panels] == [
        ("score (%)", ["purity", "nmi"]), ("silhouette", ["silhouette"])
    ]  # fmt: skip
    assert panels[1].series[0].y == pytest.approx((0.3, 0.3))


@pytest.mark.parametrize(
    ("runs", "metric"),
    [
        ([point(1, 1)], "purity"),
        ([point(1, 1), point(1, 1, more={"l21": "theta"})], "purity"),
        ([point(1, 1), point(2, 1)], "nmi"),
    ],
)
def test_parameters_with_one_number_with_words_only_or_without_scores_make_no_figure(runs, metric):
    assert KIND.charts(select(runs), [metric]) == []
