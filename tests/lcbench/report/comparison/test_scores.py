from __future__ import annotations

import pytest
from compared_runs import nmi_run
from reading_sheets import texts

from lcbench.analysis.run_scores import Spread
from lcbench.report.comparison.scores import score_sheets, shown_tasks, tasks_note, with_spread
from lcbench.report.comparison.sheets import comparison_rows


@pytest.fixture
def sheets(compared):
    """The score tables of runs that are all on one stream."""

    def make(runs, metrics=("nmi",), at="end"):
        (stream,) = compared(runs, metrics, at=at).streams
        return score_sheets(stream, metrics, at)

    return make


def bold(sheet) -> list[list[int]]:
    return [[i for i, cell in enumerate(row) if cell.bold] for row in sheet.rows]


def test_the_table_has_a_row_per_task_a_column_per_method_and_the_best_in_bold(sheets, two_orders):
    (sheet,) = sheets(two_orders)
    assert sheet.title == "s: mean ± standard deviation in percent, after all tasks"
    assert sheet.header == ("task", "metric", "base", "ours")
    assert texts(sheet) == [
        ["a", "nmi", "60.0 ±28.3", "80.0 ±14.1"],
        ["b", "nmi", "60.0 ±0.0", "50.0 ±0.0"],
        ["average", "nmi", "60.0 ±14.1", "65.0 ±7.1"],
        ["runs", "", "2", "2"],
    ]
    assert bold(sheet) == [[3], [2], [3], []]
    assert sheet.rules == (2, 3)
    assert "2 orders, 1 run of each, seed 0." in sheet.notes


def test_means_that_are_shown_alike_are_all_best_and_one_alone_is_not(sheets):
    runs = [nmi_run("x", (0.80001, 0.2)), nmi_run("y", (0.80004, 0.1)), nmi_run("z", (0.7, 0.3))]
    assert bold(sheets(runs)[0])[0] == [2, 3]
    assert bold(sheets(runs[:1])[0]) == [[], [], [], []]


def test_where_less_is_better_the_least_is_best(sheets, two_orders, monkeypatch):
    monkeypatch.setattr("lcbench.report.comparison.scores.greater_is_better", lambda _: False)
    assert bold(sheets(two_orders)[0]) == [[2], [3], [2], []]


def test_many_methods_have_a_row_each_and_a_table_per_metric(sheets):
    runs = [nmi_run(f"m{i}", (0.1 * i, 0.5)) for i in range(9)]
    for run in runs:
        run.scores["ri"] = run.scores["nmi"]
    made = sheets(runs, ["nmi", "ri"])
    assert [sheet.header for sheet in made] == [("method", "a", "b", "average", "runs")] * 2
    assert texts(made[0])[8] == ["m8", "80.0", "50.0", "65.0", "1"]
    assert bold(made[0])[8] == [1, 2, 3]
    assert [bool(sheet.notes) for sheet in made] == [False, True]


@pytest.mark.parametrize(("tasks", "shown"), [(20, 21), (21, 1)])
def test_up_to_twenty_tasks_are_shown_one_by_one_and_more_are_left_to_the_csv_file(compared, tasks, shown):
    names = tuple(f"t{i}" for i in range(tasks))
    found = compared([nmi_run("m", (0, 0), order=names, stream_tasks=names, scores={}, state_bytes=[0])])
    assert len(shown_tasks(found.streams[0])) == shown
    notes = [note for note in tasks_note(found.streams[0]) if f"{tasks} tasks are not shown" in note]
    assert bool(notes) == (shown == 1)
    assert set(notes) <= set(score_sheets(found.streams[0], ["nmi"], "end")[0].notes)
    assert [row["name"] for row in comparison_rows(found).rows if row["kind"] == "task"] == list(names)


def test_failed_runs_are_shown_with_their_number_and_reason(sheets, some_failed):
    (sheet,) = sheets(some_failed)
    assert sheet.header[2:] == ("bad", "fine", "slow")
    assert texts(sheet)[-2:] == [
        ["average", "nmi", "–", "50.0 ±0.0", "90.0"],
        ["runs", "", "0 + 1 failed", "2", "1 + 1 timeout"],
    ]
    notes = "\n".join(sheet.notes)
    assert "Not paired" in notes
    assert "bad on s failed after 0 of 2 tasks: ValueError: no" in notes
    assert "slow on s ran out of time after 1 of 2 tasks: over 5 s" in notes


def test_parameters_that_a_label_hides_and_notes_of_methods_are_shown(sheets):
    runs = [
        nmi_run("mine", (0.5, 0.5), method="l2sc", params={"lam": 7.0, "mu": 0.01}, note="old tasks re-encoded"),
        nmi_run("l2sc:lam=9", (0.5, 0.5), method="l2sc", params={"lam": 9.0}),
    ]
    notes = sheets(runs)[0].notes
    assert any(note.startswith("mine: l2sc:lam=7") for note in notes)
    assert "mine: old tasks re-encoded." in notes
    assert not any(note.startswith("l2sc:lam=9:") for note in notes)


@pytest.mark.parametrize(
    ("runs", "notes"),
    [
        ([("m", "ab", 0), ("m", "ab", 1), ("m", "ab", 2), ("m", "ba", 3)], ["2 orders, 4 runs, seed 0."]),
        ([("m", "ab", 0), ("m", "ba", 1), ("m", "ab", 2), ("m", "ba", 3)], ["2 orders, 2 runs of each, seed 0."]),
        ([("m", "ab", 0), ("failed", "ab", 1)], ["1 order, 1 run, seed 0."]),
        (
            [*((f"m{i}", "ab", 0) for i in range(5)), ("twice", "ab", 0), ("twice", "ab", 1)],
            ["twice: 1 order, 2 runs, seed 0.", "The others: 1 order, 1 run, seed 0."],
        ),
    ],
    ids=["uneven", "even", "one failed", "others"],
)
def test_runs_that_ended_well_are_counted_once_for_all_methods_or_for_those_that_differ(sheets, runs, notes):
    made = [
        nmi_run(label, (0.1, 0.2), order=order, repeat=r, status="failed" if label == "failed" else "ok")
        for label, order, r in runs
    ]
    assert list(sheets(made)[0].notes[: len(notes)]) == notes


def test_a_method_or_metric_that_is_no_longer_installed_is_noted(sheets):
    run = nmi_run("mine", (0.1, 0.2), method="gone", params={"lam": 2.0})
    run.scores = {"lost": run.scores["nmi"], "nmi": run.scores["nmi"]}
    notes = sheets([run], ["lost", "nmi"])[0].notes
    assert "mine: gone:lam=2." in notes
    assert "Not installed here, so taken as shares of which more is better: lost." in notes


def test_a_score_that_some_run_lacks_is_noted_with_the_option_that_adds_those_at_arrival(sheets):
    (sheet,) = sheets([nmi_run("m", (0.1, 0.2)), nmi_run("m", (0.3, None), repeat=1)])
    assert texts(sheet)[2][2] == "15.0"  # an average over other tasks would be another figure
    assert any("not every run has nmi of every task." in note for note in sheet.notes)
    (sheet,) = sheets([nmi_run("m", (0, 0), scores={"nmi": [[None, None], [0.1, 0.2]]})], at="arrival")
    assert sheet.title.endswith("when each task was learned")
    assert any("(--evaluate all scores that)" in note for note in sheet.notes)


def test_a_spread_as_text_has_a_deviation_only_over_several_runs():
    assert with_spread("nmi", Spread(0.5, 0.1, 2)) == "50.0 ±10.0"
    assert with_spread("silhouette", Spread(0.5, None, 1)) == "0.500"
    assert with_spread("nmi", None) == "–"


def test_the_runs_of_an_average_over_fewer_than_ended_well_are_counted_as_such(sheets):
    runs = [nmi_run("x", (0.8, score), repeat=repeat) for repeat, score in enumerate((0.2, 0.3, None))]
    runs += [nmi_run("y", (0.8, 0.2), repeat=repeat) for repeat in range(3)]
    (sheet,) = sheets(runs)
    assert texts(sheet)[-1] == ["runs", "", "2 of 3", "3"]
    assert "x: not every run has nmi of every task." in sheet.notes
    many = [nmi_run(f"m{n}", (0.8, 0.2)) for n in range(9)]
    (sheet,) = sheets([*many, *runs])
    assert [row[-1] for row in texts(sheet) if row[0] in ("x", "y")] == ["2 of 3", "3"]
