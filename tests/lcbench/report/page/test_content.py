from __future__ import annotations

import pytest
from reading_sheets import texts

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
    return make(label, order, scores={metric: [[0.0, None], list(last)]}, **others)


def overview(runs, *metrics):
    return overview_sheets(compare_methods(select(runs), metrics).streams, metrics)


def test_a_row_has_the_mean_and_deviation_over_runs_of_the_average_over_tasks_and_the_best_is_bold(make):
    runs = [ended(make, "m", AB, (0.5, 0.7)), ended(make, "m", BA, (0.9, 0.7)), ended(make, "low", AB, (0.6, 0.6))]
    (sheet,) = overview(runs, "purity")
    assert sheet.header == ("method", "purity (%)")
    # by hand: averages 0.6 and 0.8, so 0.7 with a deviation of sqrt(0.02)
    assert texts(sheet) == [["low", "60.0"], ["m", "70.0 ±14.1"]]
    assert [row[1].bold for row in sheet.rows] == [False, True]
    assert sheet.notes[0].startswith("Not paired")
    assert overview(runs[::2], "purity")[0].notes == ()


def test_a_stream_has_its_own_table_with_the_metrics_scored_there_and_none_without_averages(make):
    runs = [
        ended(make, "m", AB, (0.5, 0.7), stream="s", stream_label="s"),
        ended(make, "m", AB, (0.5, 0.7), "silhouette", stream="t", stream_label="t"),
        make("m", AB, stream="u", stream_label="u", status="failed", scores={}),
    ]
    found = overview(runs, "purity", "silhouette")
    assert [(sheet.title, sheet.header) for sheet in found] == [
        ("s", ("method", "purity (%)")),
        ("t", ("method", "silhouette")),
    ]


def gathered(runs, against=None, **others):
    selection = select(runs)
    comparison = compare_methods(selection, ("purity",), against=against)
    facts = {"folder": "results", "others": True, "made_by": "lcbench report", **others}
    return gather(selection, comparison, **facts)


def test_the_summary_counts_streams_methods_runs_and_failures(runs):
    content = gathered(runs)
    assert content.summary == (("stream", "1"), ("methods", "4"), ("runs", "10"), ("did not end well", "1"))
    assert content.failures is not None
    assert (content.audit, content.tuning) == (None, None)
    assert gathered(runs[:1]).summary[:3] == (("stream", "1"), ("method", "1"), ("run", "1"))


def test_the_time_of_the_newest_run_is_shown_to_the_minute(make):
    times = ("2026-01-02T03:04:05+00:00", "2025-12-31T23:59:59+00:00", None)
    runs = [make("m", AB, repeat=i, finished=time) for i, time in enumerate(times)]
    assert gathered(runs).newest == "2026-01-02 03:04 UTC"
    assert gathered(runs[2:]).newest == "at an unknown time"


def test_only_tables_of_differences_to_a_reference_are_folded(runs, make):
    assert not any(folded for _, folded in gathered(runs).tables)
    elsewhere = make("m", AB, stream="other", stream_label="other")
    tables = gathered([*runs, elsewhere], against="solo").tables
    (title,) = [sheet.title for sheet, folded in tables if folded]
    assert "minus that of solo" in title
    assert any("There are no runs of solo on other." in sheet.notes for sheet, folded in tables if not folded)


def test_curves_offer_metrics_that_no_table_shows_if_they_are_wanted(runs):
    for others, metrics in ((True, ["purity", "ari", "nmi"]), (False, ["purity"])):
        (stream,) = gathered(runs, others=others).data["streams"]
        assert [metric[0] for metric in stream["metrics"]] == metrics
