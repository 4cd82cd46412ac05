from __future__ import annotations

import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.report.page.content import overview_sheets

AB, BA = ("a", "b"), ("b", "a")


def ended(make, label, order, last, metric="purity", **others):
    """A run whose last row of R is `last`, by place in the order."""
    return make(label, order, stream_tasks=AB, scores={metric: [[0.0, None], list(last)]}, **others)


def overview(runs, *metrics):
    selection = select(runs)
    return overview_sheets(compare_methods(selection, metrics).streams, metrics)


def test_a_row_has_the_mean_and_deviation_over_runs_of_the_average_over_tasks(make):
    runs = [ended(make, "m", AB, (0.5, 0.7)), ended(make, "m", BA, (0.9, 0.7)), ended(make, "one", AB, (0.6, 0.8))]
    (sheet,) = overview(runs, "purity")
    assert sheet.header == ("method", "purity (%)")
    # by hand: averages 0.6 and 0.8, so 0.7 with a deviation of sqrt(0.02)
    assert {row[0].text: row[1].text for row in sheet.rows} == {"m": "70.0 ±14.1", "one": "70.0"}
    assert [row[1].bold for row in sheet.rows] == [True, True]
    assert sheet.notes[0].startswith("Not paired")


@pytest.mark.parametrize(("more", "best"), [(True, "high"), (False, "low")])
def test_the_best_is_bold_whether_more_or_less_is_better(make, monkeypatch, more, best):
    monkeypatch.setattr("lcbench.report.page.content.greater_is_better", lambda _: more)
    scores = {"low": 0.2, "high": 0.9, "middle": 0.5}
    (sheet,) = overview([ended(make, label, AB, (x, x), method=label) for label, x in scores.items()], "purity")
    assert [row[0].text for row in sheet.rows if row[1].bold] == [best]
    assert sheet.notes == ()


def test_one_method_alone_is_not_the_best_and_one_that_failed_has_a_dash(make):
    runs = [ended(make, "m", AB, (0.5, 0.7)), make("broken", AB, stream_tasks=AB, status="failed", scores={})]
    (sheet,) = overview(runs, "purity")
    assert {row[0].text: (row[1].text, row[1].bold) for row in sheet.rows} == {
        "broken": ("–", False),
        "m": ("60.0", False),
    }


def test_a_stream_has_its_own_table_with_the_metrics_scored_there_and_none_without_averages(make):
    runs = [
        ended(make, "m", AB, (0.5, 0.7), stream="s", stream_label="s"),
        ended(make, "m", AB, (0.5, 0.7), "silhouette", stream="t", stream_label="t"),
        make("m", AB, stream_tasks=AB, stream="u", stream_label="u", status="failed", scores={}),
    ]
    found = overview(runs, "purity", "silhouette")
    assert [(sheet.title, sheet.header) for sheet in found] == [
        ("s", ("method", "purity (%)")),
        ("t", ("method", "silhouette")),
    ]
