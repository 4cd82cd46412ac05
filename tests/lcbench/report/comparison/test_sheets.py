from __future__ import annotations

import pytest
from compared_runs import nmi_run
from reading_sheets import by_name, texts

from lcbench.analysis.caveats import FIRST_TIMES, LEFT, NOT_ISOLATED
from lcbench.analysis.compare import Ranking
from lcbench.analysis.transfer import POSITIVE
from lcbench.records.formulas import FORMULAS
from lcbench.report.comparison.sheets import (
    AGAINST_COLUMNS,
    COLUMNS,
    comparison_rows,
    comparison_sheets,
    figure_sheet,
    rank_sheet,
)
from lcbench.report.sheets.formats import write
from lcbench.report.verdict import verdict_lines


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


def test_the_verdict_comes_first_then_the_tables_of_each_stream_and_those_over_all_streams_last(compared, on_streams):
    found = compared(on_streams(2), against="base")
    made = comparison_sheets(found)
    assert (made[0].title, made[0].rows) == ("", ())
    assert list(made[0].notes) == [line for stream in found.streams for line in verdict_lines(stream)]
    starts = [" ".join(sheet.title.split(" ")[:3]) for sheet in made[1:]]
    assert starts == [
        "s0: mean ±", "s0: lifelong figures", "s0: nmi minus", "s1: mean ±", "s1: lifelong figures", "s1: nmi minus",
        "All streams: nmi", "Mean ranks over",
    ]  # fmt: skip
    made = comparison_sheets(compared(on_streams(1)), paper=True)
    assert [sheet.title.split()[1] for sheet in made] == ["mean", "lifelong"]


def test_with_solo_runs_the_table_of_transfer_stands_between_scores_and_figures(compared, with_solos):
    made = comparison_sheets(compared(with_solos, against="base"))
    assert [sheet.title.removeprefix("s: ").split(",")[0] for sheet in made] == [
        "", "mean ± standard deviation in percent", "what other tasks bring by nmi in percent",
        "lifelong figures by nmi in percent", "nmi minus that of base",
    ]  # fmt: skip


def test_scores_at_arrival_are_called_so_in_the_table_over_all_streams(compared, on_streams):
    titles = [sheet.title for sheet in comparison_sheets(compared(on_streams(2), at="arrival"))]
    assert "All streams: nmi (%) when each task was learned" in titles
    titles = [sheet.title for sheet in comparison_sheets(compared(on_streams(2)))]
    assert "All streams: nmi (%) after all tasks" in titles


def test_notes_on_all_tables_come_once_at_the_end(compared, with_solos):
    for run in with_solos:
        run.largest = [0.99, 0.99] if run.label == "ours" else [0.6, 0.6]
    old = [nmi_run("ours", (0.1, 0.2), revision=0)]
    made = comparison_sheets(compared([*old, *with_solos], against="base"))
    notes = [
        "s: ours collapses: more than 95% of the samples of 'a' (2 of 2 runs), 'b' (2 of 2 runs) are in one cluster, "
        "and another method finds more.",
        "Left out 1 run of older revisions of ours.",
    ]
    assert list(made[-1].notes[-3:-1]) == notes
    assert made[-1].notes[-1].startswith("Formulas by id: ")
    for id in ("total last-minus-solo", "gain last-minus-alone", "after all mean-last-row"):
        assert id in made[-1].notes[-1]
    assert any(note.startswith("Solo: each task alone.") for note in made[-1].notes)
    every = [note for sheet in made for note in sheet.notes]
    assert len(every) == len(set(every))


def test_a_stream_shows_the_metrics_that_it_has(compared):
    runs = [nmi_run("m", (0.1, 0.2)), nmi_run("m", (0.1, 0.2), stream="t", metric="silhouette")]
    made = comparison_sheets(compared(runs, ["nmi", "silhouette"]))
    shown = {sheet.title.split(":")[0]: [row[1].text for row in sheet.rows] for sheet in made if sheet.stub == 2}
    assert shown == {"s": ["nmi", "nmi", "nmi", ""], "t": ["silhouette", "silhouette", "silhouette", ""]}


def test_the_figures_are_means_over_runs(figures, two_orders):
    (sheet,) = figures(two_orders)
    ours = by_name(sheet)[1]
    assert (ours["method"], ours["after all"], ours["backward transfer"]) == ("ours", "65.0", "+10.0")
    assert not {"learning gain", "gain over single task"} & set(ours)  # there is no baseline
    assert ours["learn s"] == "0.200"
    assert not any("over fewer" in note for note in sheet.notes)


def test_a_figure_that_some_runs_lack_says_over_how_many_it_is(figures, two_orders):
    first, _, base, _ = two_orders
    first.baseline = base.run_id
    (sheet,) = figures(two_orders)
    ours = by_name(sheet)[1]
    assert ours["learning gain"] == "+0.0"  # a is .8 when it is learned, .7 alone; b is .5, and .6 alone
    assert ours["gain over single task"] == "+5.0"  # a is .9, and .8 - .1 alone at its arrival; b is .5, and .6 alone
    assert any("own single-task baseline: base for ours." in note for note in sheet.notes)
    assert any(note.startswith("ours: of 2 runs these figures are over fewer:") for note in sheet.notes)


def test_figures_of_transfer_are_in_their_own_table_and_a_gain_here_only_without_solo_runs(figures, with_solos):
    elsewhere = {"solo average", "own gain", "forward", "backward", "total transfer", "first task noise"}
    (sheet,) = figures(with_solos)
    assert not (elsewhere | {"gain over single task"}) & set(sheet.header)
    assert by_name(sheet)[1]["learning gain"] == "+21.0"  # (12 + 30) / 2 in either order
    (sheet,) = figures([run for run in with_solos if len(run.order) == 2])
    assert not elsewhere & set(sheet.header)
    assert by_name(sheet)[1]["gain over single task"] == "+24.0"
    assert any("own single-task baseline: base for ours." in note for note in sheet.notes)


def test_partition_agreement_is_an_index_and_not_in_percent(figures):
    (sheet,) = figures([nmi_run("m", (0.5, 0.5), agreement=[[1, None], [0.25, 1]])])
    assert by_name(sheet)[0]["partition agreement"] == "0.250"
    assert any(note.startswith("Partition agreement: the adjusted Rand index") for note in sheet.notes)


def test_a_method_whose_runs_all_failed_has_no_figures(figures, compared):
    failed = nmi_run("bad", (0, 0), status="failed", error="no", scores={}, learn_seconds=[])
    runs = [failed, nmi_run("m", (0.5, 0.5))]
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


def test_without_two_methods_on_all_streams_a_note_says_that_there_are_no_ranks(ranks):
    (sheet,) = ranks([nmi_run("x", (0.1, 0.1)), nmi_run("y", (0.1, 0.1), stream="t")])
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
        "base", expected.mean, expected.low, expected.high, 8, 8, expected.p_value, expected.p_holm,
    ]  # fmt: skip
    assert expected.low < expected.mean < expected.high
    figure = found.streams[0].figures["y", "nmi", "average_after_all"]
    assert rows["y", "figure", "average_after_all"]["mean"] == figure.mean


def test_raw_rows_of_transfer_have_its_parts_with_their_intervals_and_the_total_its_flag(compared, with_solos):
    """Worked by hand, see the fixture: over two orders an interval ends at the smaller and the larger value."""
    raw = comparison_rows(compared(with_solos)).rows
    rows = {row["name"]: row for row in raw if (row["method"], row["kind"]) == ("ours", "figure")}
    expected = {
        "own_gain": (0.1, 0.1, 0.1), "forward": (0.11, 0.11, 0.11), "backward": (0.03, 0.02, 0.04),
        "total_transfer": (0.14, 0.13, 0.15), "gain_over_single_task": (0.24, 0.23, 0.25),
        "first_task_noise": (0.02, 0.02, 0.02),
    }  # fmt: skip
    for name, values in expected.items():
        assert [rows[name][key] for key in ("mean", "low", "high")] == pytest.approx(values)
    assert {name: row["flag"] for name, row in rows.items() if "flag" in row} == {"total_transfer": POSITIVE}
    assert rows["solo_average"]["mean"] == pytest.approx(0.55)
    assert not any("low" in row or "flag" in row for row in comparison_rows(compared(with_solos)).rows
                   if row["method"] == "base")  # fmt: skip


def test_how_runs_were_made_is_noted_once_below_the_last_table_in_every_format(compared):
    runs = [nmi_run("old", (0.1, 0.2)), nmi_run("mine", (0.1, 0.2), clock=2, isolated=False, processes_left=1)]
    found = compared(runs)
    notes = [f"mine: {NOT_ISOLATED}.", f"old: {FIRST_TIMES}.", f"mine: {LEFT}."]
    assert list(comparison_sheets(found)[-1].notes[-4:-1]) == notes
    for format in ("table", "markdown", "latex"):
        text = " ".join(write(comparison_sheets(found), comparison_rows(found), format).split())
        assert [text.count(note) for note in notes] == [1, 1, 1]
