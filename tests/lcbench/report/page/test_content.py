from __future__ import annotations

import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select
from lcbench.report.page.content import gather, headline, overview_sheets

AB, BA = ("a", "b"), ("b", "a")


@pytest.mark.parametrize(
    ("streams", "methods", "expected"),
    [
        (["webkb4", "digits"], 11, "webkb4, digits · 11 methods"),
        (["webkb4:weighting=counts"], 1, "webkb4:weighting=counts · 1 method"),
        (["a", "b", "c", "d"], 2, "4 streams · 2 methods"),
        (["x" * 50, "y" * 50], 2, "2 streams · 2 methods"),
        (["x" * 100], 2, "1 stream · 2 methods"),
    ],
)
def test_the_headline_names_few_streams_with_short_names_and_counts_others(streams, methods, expected):
    assert headline(streams, methods) == expected


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
    monkeypatch.setattr("lcbench.report.comparison.scores.greater_is_better", lambda _: more)
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


def gathered(runs, against=None, **others):
    selection = select(runs)
    comparison = compare_methods(selection, ("purity",), against=against)
    facts = {"folder": "results", "results": None, "others": True, "made_by": "lcbench report", **others}
    return gather(selection, comparison, **facts)


def test_the_summary_counts_streams_methods_runs_and_failures(runs):
    content = gathered(runs)
    assert content.summary == (("stream", "1"), ("methods", "4"), ("runs", "10"), ("did not end well", "1"))
    assert content.failures is not None
    assert (content.audit, content.tuning) == (None, None)


def test_the_time_of_the_newest_run_is_shown_to_the_minute(make):
    times = ("2026-01-02T03:04:05+00:00", "2025-12-31T23:59:59+00:00", None)
    runs = [make("m", AB, repeat=i, stream_tasks=AB, finished=time) for i, time in enumerate(times)]
    assert gathered(runs).newest == "2026-01-02 03:04 UTC"
    assert gathered(runs[2:]).newest == "at an unknown time"


def test_only_tables_of_differences_to_a_reference_are_folded(runs):
    assert not any(table.folded for table in gathered(runs).tables)
    folded = [table.sheet.title for table in gathered(runs, against="solo").tables if table.folded]
    assert len(folded) == 1
    assert "minus that of solo" in folded[0]


def test_curves_offer_metrics_that_no_table_shows_if_they_are_wanted(runs):
    for others, metrics in ((True, ["purity", "ari", "nmi"]), (False, ["purity"])):
        (stream,) = gathered(runs, others=others).data["streams"]
        assert [metric[0] for metric in stream["metrics"]] == metrics
