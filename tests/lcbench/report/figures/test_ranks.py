from __future__ import annotations

import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.errors import ParameterError
from lcbench.report.figures.ranks import charts, joined

# ranks by hand: a 1 1 1 1 2, b 2 2.5 2 3 1, c 3 2.5 3 2 3
SCORES = {"s1": (9, 5, 1), "s2": (9, 5, 5), "s3": (3, 2, 1), "s4": (9, 1, 5), "s5": (4, 5, 3)}


def runs_of(make_run, streams=SCORES):
    return [
        make_run("xy", [score / 10, score / 10], label=name, method=name, stream=stream)
        for stream in streams
        for name, score in zip("abc", SCORES[stream], strict=True)
    ]


def test_mean_ranks_stand_where_hand_work_puts_them_and_those_within_the_difference_are_joined(make_run, drawn, near):
    (chart,) = charts(select(runs_of(make_run)), ["purity"])
    (axes,) = drawn(chart)
    found = {line.get_label(): list(line.get_xdata()) for line in axes.get_lines()}
    assert (found["a"], found["b"], found["c"]) == ([1.2], [2.1], [2.7])
    difference = 2.343 * (3 * 4 / (6 * 5)) ** 0.5  # Demšar's table 5a for three methods
    assert chart.panels[0].critical_difference == pytest.approx(difference, abs=1e-3)
    assert chart.panels[0].groups == ((0, 1), (1, 2))  # 2.7 - 1.2 is just more than 1.482
    assert found["_difference"] == pytest.approx([1, 1 + difference], abs=1e-3)
    assert "5 streams" in chart.title


@pytest.mark.parametrize(
    ("ranks", "difference", "groups"),
    [
        ([1.0, 2.0, 3.0], 0.5, ()),
        ([1.0, 2.0, 3.0], 1.0, ((0, 1), (1, 2))),
        ([1.0, 2.0, 3.0], 2.0, ((0, 2),)),
        ([1.0, 1.2, 3.0, 3.1, 3.2], 1.0, ((0, 1), (2, 4))),
    ],
)
def test_the_longest_stretches_within_the_difference_are_joined(ranks, difference, groups):
    assert joined(ranks, difference) == groups


def test_four_streams_are_too_few(make_run):
    with pytest.raises(ParameterError, match="runs on 4 streams, and mean ranks say something from 5 streams on"):
        charts(select(runs_of(make_run, list(SCORES)[:4])), ["purity"])


def test_a_method_that_is_not_on_all_streams_is_named_and_left_out(make_run):
    extra = make_run("xy", [1, 1], label="d", method="d", stream="s1")
    (chart,) = charts(select([*runs_of(make_run), extra]), ["purity"])
    assert [name for name, _ in chart.panels[0].ranks] == ["a", "b", "c"]
    assert "not run on all streams: d." in chart.caption


def test_a_name_that_stands_for_other_parameters_elsewhere_is_left_out(make_run):
    """`compare` does not rank it either."""
    runs = [
        make_run("xy", [1, 1], label="mine", method="mine", params={"lam": float(stream == "s5")}, stream=stream)
        for stream in SCORES
    ]
    selection = select([*runs_of(make_run), *runs])
    (chart,) = charts(selection, ["purity"])
    assert dict(chart.panels[0].ranks) == compare_methods(selection, ["purity"]).rankings[0].ranks
    assert "mine" not in dict(chart.panels[0].ranks)
    assert "not run on all streams: mine." in chart.caption


def test_failed_runs_are_counted_over_all_streams(make_run):
    failed = [make_run("xy", label="a", method="a", stream=s, repeat=1, status="failed") for s in ("s1", "s2", "s4")]
    (chart,) = charts(select([*runs_of(make_run), *failed]), ["purity"])
    assert "3 runs of a." in chart.caption


def test_a_metric_on_four_of_five_streams_is_not_drawn_and_too_little_alone(make_run):
    runs = runs_of(make_run)
    for run in runs:
        if run.stream != "s1":
            run.scores["nmi"] = run.scores["purity"]
    (chart,) = charts(select(runs), ["purity", "nmi"])
    assert [panel.title[:6] for panel in chart.panels] == ["purity"]
    with pytest.raises(ParameterError, match="runs on 4 streams"):
        charts(select(runs), ["nmi"])


def test_methods_that_never_meet_cannot_be_ranked(make_run):
    runs = [make_run("xy", [1, 1], label=s, method=s, stream=s) for s in SCORES]
    with pytest.raises(ParameterError, match="No two methods were run on all 5 streams"):
        charts(select(runs), ["purity"])
