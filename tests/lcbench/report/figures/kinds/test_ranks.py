from __future__ import annotations

import pytest
from making import make_record

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.errors import ParameterError
from lcbench.report.figures.kinds.ranks import KIND, joined

# ranks by hand: a 1 1 1 1 2, b 2 2.5 2 3 1, c 3 2.5 3 2 3
SCORES = {"s1": (9, 5, 1), "s2": (9, 5, 5), "s3": (3, 2, 1), "s4": (9, 1, 5), "s5": (4, 5, 3)}


@pytest.fixture
def runs():
    return [
        make_record(name, [score / 10, score / 10], stream=stream)
        for stream, scores in SCORES.items()
        for name, score in zip("abc", scores, strict=True)
    ]


def test_mean_ranks_stand_where_hand_work_puts_them_and_those_within_the_difference_are_joined(runs, drawn, points):
    (chart,) = KIND.charts(select(runs), ["purity"])
    (axes,) = drawn(chart)
    found = {label: [x for x, _ in line] for label, line in points(axes).items()}
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


@pytest.mark.parametrize(
    ("streams", "lam"),
    [(["s1"], lambda stream: 0.0), (list(SCORES), lambda stream: float(stream == "s5"))],
    ids=["on one stream only", "with other parameters on one stream"],
)
def test_a_method_that_is_not_on_all_streams_with_the_same_parameters_is_named_and_left_out(runs, streams, lam):
    """`compare` does not rank it either."""
    mine = [make_record("mine", [1, 1], params={"lam": lam(stream)}, stream=stream) for stream in streams]
    selection = select([*runs, *mine])
    (chart,) = KIND.charts(selection, ["purity"])
    assert [name for name, _ in chart.panels[0].ranks] == ["a", "b", "c"]
    assert dict(chart.panels[0].ranks) == compare_methods(selection, ["purity"]).rankings[0].ranks
    assert "not run on all streams: mine." in chart.caption


def test_failed_runs_are_counted_over_all_streams(runs):
    failed = [make_record("a", stream=s, repeat=1, status="failed") for s in ("s1", "s2", "s4")]
    (chart,) = KIND.charts(select([*runs, *failed]), ["purity"])
    assert "3 runs of a." in chart.caption


def test_four_streams_are_too_few_also_if_only_one_metric_has_no_more(runs):
    with pytest.raises(ParameterError, match="runs on 4 streams, and mean ranks say something from 5 streams on"):
        KIND.charts(select([run for run in runs if run.stream != "s1"]), ["purity"])
    for run in runs:
        if run.stream != "s1":
            run.scores["nmi"] = run.scores["purity"]
    (chart,) = KIND.charts(select(runs), ["purity", "nmi"])
    assert [panel.title[:6] for panel in chart.panels] == ["purity"]
    with pytest.raises(ParameterError, match="runs on 4 streams"):
        KIND.charts(select(runs), ["nmi"])


def test_methods_that_never_meet_cannot_be_ranked():
    with pytest.raises(ParameterError, match="No two methods were run on all 5 streams"):
        KIND.charts(select([make_record(stream, stream=stream) for stream in SCORES]), ["purity"])
