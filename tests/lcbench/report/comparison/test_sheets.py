from __future__ import annotations

import pytest
from reading_sheets import by_name, texts

from lcbench.analysis.compare import Ranking
from lcbench.records.formulas import FORMULAS
from lcbench.report.comparison.sheets import (
    AGAINST_COLUMNS,
    COLUMNS,
    comparison_rows,
    comparison_sheets,
    figure_sheet,
    rank_sheet,
)


@pytest.fixture
def figures(compared):
    """The table of the figures of runs on one stream."""
    return lambda runs: figure_sheet(compared(runs).streams[0], "nmi")


@pytest.fixture
def ranks(compared):
    def make(runs, metrics=("nmi",)):
        found = compared(runs, metrics)
        return rank_sheet(found.rankings, found.streams)

    return make


def test_each_stream_has_scores_then_figures_then_differences_and_the_ranks_come_last(compared, on_streams):
    found = comparison_sheets(compared(on_streams(2), against="base"))
    starts = [" ".join(sheet.title.split(" ")[:3]) for sheet in found]
    assert starts == [
        "s0: mean ±", "s0: lifelong figures", "s0: nmi minus", "s1: mean ±", "s1: lifelong figures", "s1: nmi minus",
        "Mean ranks over",
    ]  # fmt: skip
    found = comparison_sheets(compared(on_streams(1)))
    assert [sheet.title.split()[1] for sheet in found] == ["mean", "lifelong"]


def test_the_runs_that_the_selection_left_out_are_noted_below_the_first_table(compared, scored_run):
    made = comparison_sheets(compared([scored_run("m", (0.1, 0.2)), scored_run("m", (0.1, 0.2), revision=2)]))
    assert made[0].notes[-1] == "Left out 1 run of older revisions of m."
    assert not any("Left out" in note for sheet in made[1:] for note in sheet.notes)


def test_a_stream_shows_the_metrics_that_it_has(compared, scored_run):
    runs = [scored_run("m", (0.1, 0.2)), scored_run("m", (0.1, 0.2), stream="t", metric="silhouette")]
    made = comparison_sheets(compared(runs, ["nmi", "silhouette"]))
    shown = {sheet.title.split(":")[0]: [row[1].text for row in sheet.rows] for sheet in made if sheet.stub == 2}
    assert shown == {"s": ["nmi", "nmi", "nmi", ""], "t": ["silhouette", "silhouette", "silhouette", ""]}


def test_the_figures_are_means_over_runs(figures, two_orders):
    (sheet,) = figures(two_orders)
    ours = by_name(sheet)[1]
    assert (ours["method"], ours["after all"], ours["backward transfer"]) == ("ours", "65.0", "+10.0")
    assert "learning transfer" not in ours  # there is no baseline
    assert ours["learn s"] == "0.200"
    assert any("after all mean-last-row" in note for note in sheet.notes)


def test_a_figure_that_some_runs_lack_says_over_how_many_it_is(figures, two_orders):
    first, _, base, _ = two_orders
    first.baseline = base.run_id
    (sheet,) = figures(two_orders)
    ours = by_name(sheet)[1]
    assert ours["first task gain"] == "+10.0"  # a is .8 when it is learned, .7 alone
    assert ours["gain over single task"] == "+5.0"  # a is .9, and .8 - .1 alone at its arrival; b is .5, and .6 alone
    assert any("own single-task baseline: base for ours." in note for note in sheet.notes)
    assert any(note.startswith("ours: of 2 runs these figures are over fewer:") for note in sheet.notes)


def test_partition_drift_is_an_index_and_not_in_percent(figures, scored_run):
    (sheet,) = figures([scored_run("m", (0.5, 0.5), agreement=[[1, None], [0.25, 1]])])
    assert by_name(sheet)[0]["partition drift"] == "0.250"
    assert any(note.startswith("Partition drift: the adjusted Rand index") for note in sheet.notes)


def test_a_method_whose_runs_all_failed_has_no_figures(figures, compared, scored_run):
    failed = scored_run("bad", (0, 0), status="failed", error="no", scores={}, learn_seconds=[])
    runs = [failed, scored_run("m", (0.5, 0.5))]
    (sheet,) = figures(runs)
    bad = by_name(sheet)[0]
    assert (bad.pop("method"), set(bad.values())) == ("bad", {"–"})
    assert figures([failed]) == []
    raw = [row for row in comparison_rows(compared(runs)).rows if row["method"] == "bad"]
    assert {(row.get("mean"), row.get("sd"), row["runs"], row["failed"]) for row in raw} == {(None, None, 0, 1)}


def test_ranked_methods_are_listed_best_first_and_those_left_out_are_named(ranks, on_streams):
    (sheet,) = ranks(on_streams(3))
    assert sheet.title == "Mean ranks over 3 streams, 1 is the best"
    assert texts(sheet) == [["ours", "1.33"], ["base", "1.67"]]
    assert [row[1].bold for row in sheet.rows] == [True, False]
    assert sheet.notes[0].endswith(": extra.")
    assert "fewer than 5 streams" in sheet.notes[1]


def test_from_five_streams_on_a_note_has_the_test_and_the_critical_difference(ranks, on_streams):
    (sheet,) = ranks(on_streams(5))
    # ranks 1,1,1,1,2 and 2,2,2,2,1: chi2 = 12/30 (36 + 81) - 45 = 1.8; CD = 1.960 sqrt(6 / 30)
    expected = "nmi: Friedman chi-squared 1.80, p 0.180; mean ranks that differ by more than 0.88"
    assert sheet.notes[-1].startswith(expected)
    assert not any("fewer than 5" in note for note in sheet.notes)


def test_without_two_methods_on_all_streams_a_note_says_that_there_are_no_ranks(ranks, scored_run):
    (sheet,) = ranks([scored_run("x", (0.1, 0.1)), scored_run("y", (0.1, 0.1), stream="t")])
    assert sheet.rows == ()
    assert sheet.notes == ("No two methods have runs that ended well on all streams, so there are no ranks.",)


def test_a_metric_with_fewer_streams_than_others_says_so(ranks, on_streams):
    runs = on_streams(3)
    for run in runs:
        run.scores["ri"] = run.scores["nmi"]
        if run.stream == "s0":
            del run.scores["nmi"]
    (sheet,) = ranks(runs, ["nmi", "ri"])
    assert sheet.header == ("method", "nmi (2)", "ri")
    assert sheet.notes[0] == "In brackets: over so many streams, as the others have no such scores."


def test_a_method_that_only_one_metric_ranks_comes_last_with_a_dash(compared, on_streams):
    rankings = [
        Ranking("nmi", 2, {"x": 2.0, "y": 1.0}, (), None, None),
        Ranking("ri", 2, {"z": 1.0, "x": 2.0}, (), None, None),
    ]
    (sheet,) = rank_sheet(rankings, compared(on_streams(2)).streams)
    assert texts(sheet) == [["y", "1.00", "–"], ["x", "2.00", "2.00"], ["z", "–", "1.00"]]


def test_raw_rows_have_the_numbers_of_every_task_the_average_and_every_figure_unrounded(compared, eight_orders):
    found = compared(eight_orders, against="base")
    raw = comparison_rows(found)
    rows = {(row["method"], row["kind"], row["name"]): row for row in raw.rows}
    assert raw.columns == COLUMNS + AGAINST_COLUMNS
    assert comparison_rows(compared(eight_orders)).columns == COLUMNS
    kinds = [*(("task", task) for task in "abcd"), ("average", ""), *(("figure", formula.name) for formula in FORMULAS)]
    assert list(rows) == [(method, *kind) for method in ("base", "x", "y") for kind in kinds]
    row, spread = rows["y", "task", "a"], found.streams[0].scores["y", "nmi", "a"]
    assert (row["mean"], row["sd"], row["runs"], row["failed"]) == (spread.mean, spread.sd, 8, 0)
    row, expected = rows["x", "average", ""], found.streams[0].differences["x", "nmi", None]
    assert [row[name] for name in AGAINST_COLUMNS] == [
        "base", expected.mean, expected.low, expected.high, 8, 8, expected.p_value, expected.p_holm, expected.flag,
    ]  # fmt: skip
    assert expected.low < expected.mean < expected.high
    figure = found.streams[0].figures["y", "nmi", "average_after_all"]
    assert rows["y", "figure", "average_after_all"]["mean"] == figure.mean
