from __future__ import annotations

import pytest
from making import make_record
from reading_sheets import by_name, column, texts

from lcbench.records.record import FAILED
from lcbench.report.overview import cross_stream_sheet, overview_sheet

R = [[0.5, None], [0.6, 0.8]]
S = [[0.7, None], [0.5, 0.2]]


@pytest.fixture
def overview(compared):
    """The overview of runs that are all on one stream."""

    def make(*runs, metrics=("purity",)):
        (stream,) = compared(runs, metrics).streams
        return overview_sheet(stream, metrics)

    return make


@pytest.fixture
def across(compared):
    """The table over all streams."""

    def make(runs, metric="purity", ranked=True, **options):
        found = compared(runs, (metric,), **options)
        return cross_stream_sheet(found.streams, metric, next(iter(found.rankings), None) if ranked else None, found.at)

    return make


def test_an_overview_row_worked_by_hand(overview):
    costs = {"learn_seconds": [1.0, 2.0], "state_bytes": [100, 2000]}
    more = {"learn_seconds": [10.0, 9.0], "state_bytes": [9000, 300]}
    # Last rows .7 and .35, with a standard deviation of .35 / sqrt(2); the largest state at the end counts.
    sheet = overview(make_record("l2sc", R, **costs), make_record("l2sc", S, repeat=1, **more))
    assert sheet.title == "s: averages over tasks after all of them, seconds to learn"
    assert by_name(sheet) == [
        {"method": "l2sc", "runs": "2", "purity (%)": "52.5 ±24.7", "seconds": "11.0", "state": "2.0 kB"}
    ]


def test_metrics_stand_beside_each_other_with_their_units_and_the_best_is_bold(overview):
    runs = [
        make_record("l2sc", scores={"purity": R, "silhouette": S}),
        make_record("stsc", scores={"purity": S, "silhouette": R}),
    ]
    sheet = overview(*runs, metrics=("silhouette", "purity"))
    assert sheet.header == ("method", "runs", "silhouette", "purity (%)", "seconds", "state")
    assert texts(sheet) == [
        ["l2sc", "1", "0.350", "70.0", "3.000", "20 B"],
        ["stsc", "1", "0.700", "35.0", "3.000", "20 B"],
    ]
    assert [[i for i, cell in enumerate(row) if cell.bold] for row in sheet.rows] == [[3], [2]]


def test_failed_runs_are_counted_and_not_averaged(overview):
    failed = make_record("l2sc", [[0.0, None]], status=FAILED, learn_seconds=[99.0], state_bytes=[10**9], repeat=1)
    (row,) = by_name(overview(make_record("l2sc", R), failed))
    assert row == {"method": "l2sc", "runs": "1 + 1 failed", "purity (%)": "70.0", "seconds": "3.000", "state": "20 B"}
    (row,) = by_name(overview(failed))
    assert list(row.values()) == ["l2sc", "0 + 1 failed", "–", "–", "–"]


def test_an_average_that_no_run_has_is_a_dash(overview):
    (row,) = by_name(overview(make_record("m", R), metrics=("nmi",)))
    assert row["nmi (%)"] == "–"


def test_on_a_narrow_terminal_the_runs_and_the_costs_give_way(overview):
    assert overview(make_record("m", R)).give_way == ("runs", "seconds", "state")


def test_all_streams_have_a_column_each_the_best_bold_and_the_mean_ranks_last(across):
    runs = [
        make_record("l2sc", (0.6, 0.8), stream="s"), make_record("stsc", (0.5, 0.3), stream="s"),
        make_record("l2sc", (0.4, 0.4), stream="t"), make_record("stsc", (0.5, 0.5), stream="t"),
        make_record("extra", (0.9, 0.9), stream="t"),
    ]  # fmt: skip
    sheet = across(runs)
    assert sheet.title == "All streams: purity (%) after all tasks"
    assert sheet.header == ("method", "s", "t", "mean rank")
    assert {row[0]: row[1:] for row in texts(sheet)} == {
        "l2sc": ["70.0", "40.0", "1.50"], "stsc": ["40.0", "50.0", "1.50"], "extra": ["–", "90.0", "–"],
    }  # fmt: skip
    bold = {row[0].text: [i for i, cell in enumerate(row) if cell.bold] for row in sheet.rows}
    assert bold == {"l2sc": [1], "stsc": [], "extra": [2]}
    assert across(runs, ranked=False).header == ("method", "s", "t")


def test_scores_at_arrival_are_called_so(across):
    runs = [make_record("m", R, stream=stream) for stream in "st"]
    sheet = across(runs, at="arrival")
    assert sheet.title == "All streams: purity (%) when each task was learned"
    assert column(sheet, "s") == ["65.0"]  # .5 and .8
