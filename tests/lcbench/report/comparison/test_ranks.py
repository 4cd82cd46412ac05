from __future__ import annotations

import pytest
from reading_sheets import texts

from lcbench.analysis.compare import Ranking
from lcbench.report.comparison.ranks import rank_sheet


@pytest.fixture
def sheets(compared):
    def make(runs, metrics=("nmi",)):
        found = compared(runs, metrics)
        return rank_sheet(found.rankings, found.streams)

    return make


def test_methods_are_listed_best_first_and_those_left_out_are_named(sheets, on_streams):
    (sheet,) = sheets(on_streams(3))
    assert sheet.title == "Mean ranks over 3 streams, 1 is the best"
    assert texts(sheet) == [["ours", "1.33"], ["base", "1.67"]]
    assert [row[1].bold for row in sheet.rows] == [True, False]
    assert sheet.notes[0].endswith(": extra.")
    assert "fewer than 5 streams" in sheet.notes[1]


def test_from_five_streams_on_a_note_has_the_test_and_the_critical_difference(sheets, on_streams):
    (sheet,) = sheets(on_streams(5))
    # ranks 1,1,1,1,2 and 2,2,2,2,1: chi2 = 12/30 (36 + 81) - 45 = 1.8; CD = 1.960 sqrt(6 / 30)
    expected = "nmi: Friedman chi-squared 1.80, p 0.180; mean ranks that differ by more than 0.88"
    assert sheet.notes[-1].startswith(expected)
    assert not any("fewer than 5" in note for note in sheet.notes)


def test_without_two_methods_on_all_streams_a_note_says_so_and_one_stream_has_no_table(sheets, on_streams, scored_run):
    assert sheets(on_streams(1)) == []
    apart = [scored_run("x", (0.1, 0.1)), scored_run("y", (0.1, 0.1), stream="t", stream_label="t")]
    (sheet,) = sheets(apart)
    assert sheet.rows == ()
    assert sheet.notes == ("No two methods have runs that ended well on all streams, so there are no ranks.",)


def test_a_metric_with_fewer_streams_than_others_says_so(sheets, on_streams):
    runs = on_streams(3)
    for run in runs:
        run.scores["ri"] = run.scores["nmi"]
        if run.stream == "s0":
            del run.scores["nmi"]
    (sheet,) = sheets(runs, ["nmi", "ri"])
    assert sheet.header == ("method", "nmi (2)", "ri")
    assert sheet.notes[0] == "In brackets: over so many streams, as the others have no such scores."


def test_a_method_that_only_one_metric_ranks_comes_last_with_a_dash(compared, on_streams):
    streams = compared(on_streams(2)).streams
    rankings = [
        Ranking("nmi", 2, {"x": 2.0, "y": 1.0}, (), None, None),
        Ranking("ri", 2, {"z": 1.0, "x": 2.0}, (), None, None),
    ]
    (sheet,) = rank_sheet(rankings, streams)
    assert texts(sheet) == [["y", "1.00", "–"], ["x", "2.00", "2.00"], ["z", "–", "1.00"]]
