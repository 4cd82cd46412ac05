from __future__ import annotations

import pytest
from reading_sheets import texts

from lcbench.analysis.published.reproduction import Reproduction, choose_methods
from lcbench.analysis.published.table import Published
from lcbench.analysis.published.verdicts import compare_with_paper
from lcbench.report.reproduction import COLUMNS, protocol_sheet, reproduced_rows, reproduced_sheets

CLOSING = "Something simple is better."


@pytest.fixture
def reproduce(table, make_run):
    """Compare the table with two runs of the first method, a third that timed out, and one run of the second."""

    def compared(**changes):
        reproduction = Reproduction(Published.model_validate(table | changes), repeats=3)
        plain, life = (entry.params for entry in reproduction.entries.values())
        runs = [
            make_run("stsc", plain, "1234", [0.81, 0.72, 0.63, 0.54], learn_seconds=[2.0]),
            make_run("stsc", plain, "4321", [0.58, 0.65, 0.74, 0.83], learn_seconds=[4.0]),
            make_run("stsc", plain, "2143", [], status="timeout"),
            make_run("l2sc", life, "1234", [0.76] * 4, learn_seconds=[8.0]),
        ]
        return compare_with_paper(reproduction, runs)

    return compared


def test_the_protocol_lists_the_methods_run_and_notes_what_the_paper_leaves_open(published):
    sheet = protocol_sheet(Reproduction(published, repeats=3, seed=5))
    assert sheet.title == "Protocol for Table 9 of Nobody: Made Up, 2020"
    assert texts(sheet) == [["Plain", "stsc:n_neighbors=5"], ["Life", "l2sc:lam=10,n_neighbors=5"]]
    assert "digits:seed=1: random orders, 3 repeats, seed 5" in sheet.notes[0]
    assert sheet.notes[1:] == ("Something the paper leaves open.", "Life: made up.")
    full = protocol_sheet(Reproduction(published, repeats=3, full=True))
    assert texts(full) == [["Plain", "stsc:n_neighbors=5", ""], ["Life", "l2sc:n_neighbors=5", "paper: lam, mu"]]
    assert "with the labels (oracle)" in full.notes[0]


def test_a_method_has_a_row_each_for_paper_ours_and_difference_and_a_misprint_is_marked(reproduce):
    sheet = reproduced_sheets(reproduce())[1]
    assert sheet.header == ("method", "", "average", "A task-1", "B task-2", "C task-3", "D task-4")
    assert texts(sheet)[:3] == [
        ["Plain", "paper", "65.00 ±2.50", "80.00 ±1.00", "70.00 ±2.00", "60.00 ±3.00", "50.00 ±4.00"],
        ["", "ours", "68.75 ±1.77", "82.00 ±1.41", "73.00 ±1.41", "64.00 ±1.41", "56.00 ±2.83"],
        ["", "difference", "+3.75 near", "+2.00 within 2", "+3.00 near", "+4.00 near", "+6.00 off"],
    ]
    assert [cell.tone for cell in sheet.rows[2]][2:] == ["", "good", "", "", "bad"]
    assert texts(sheet)[3][2] == "77.00 ±0.00†"
    assert sheet.notes[1:] == (
        "† Life: printed average 77.00; the mean of the printed rows is 75.00, and ours is +1.00 from that.",
    )


def test_the_averages_have_a_verdict_per_method_and_failed_runs_are_counted(reproduce):
    sheet = reproduced_sheets(reproduce())[-2]
    assert sheet.header == ("method", "verdict", "purity", "runs")
    assert texts(sheet) == [
        ["Plain", "near", "+3.75 near", "2 + 1 timeout"],
        ["Life", "within 2", "-1.00† within 2", "1"],
    ]


def test_seconds_are_shown_with_their_rank_if_the_paper_has_them(reproduce):
    sheets = reproduced_sheets(reproduce())
    assert [sheet.title.split()[0] for sheet in sheets] == ["Protocol", "purity", "Seconds", "Averages", "First"]
    assert texts(sheets[2]) == [["Plain", "1.5 ±0.1", "2", "3.000 ±1.414", "1"], ["Life", "0.5", "1", "8.000", "2"]]
    assert sheets[2].notes[1] == "On an abacus."
    without = reproduced_sheets(reproduce(runtime=None))
    assert [sheet.title for sheet in without] == [sheet.title for sheet in (*sheets[:2], *sheets[3:])]


def test_on_other_data_no_figure_is_within_near_or_off_and_methods_have_no_verdict(reproduce):
    sheets = reproduced_sheets(reproduce(same_data=False))
    for sheet in sheets:
        words = " ".join([*(text for row in texts(sheet) for text in row), *sheet.notes]).split()
        assert not {"within", "near", "off"} & set(words)
    assert [row[1:3] for row in texts(sheets[-2])] == [["other split", "+3.75"], ["other split", "-1.00†"]]
    assert all("do not compare" in sheets[i].notes[0] for i in (1, -2))


@pytest.fixture
def summary(table, make_run):
    """The sheet where every task of the two methods scored so much; the paper's averages are 65 and 77."""

    def made(plain=None, life=None, *, only=(), **changes):
        published = Published.model_validate(table | changes)
        reproduction = Reproduction(choose_methods(published, only) if only else published, repeats=1)
        scores = {"Plain": ("stsc", plain), "Life": ("l2sc", life), "Third": ("kmeans", None)}
        runs = [
            make_run(scores[name][0], entry.params, "1234", [scores[name][1]] * 4)
            for name, entry in reproduction.entries.items()
            if scores[name][1] is not None
        ]
        sheet = reproduced_sheets(compare_with_paper(reproduction, runs))[-1]
        return None if sheet.header[1] == "verdict" else sheet

    return made


@pytest.mark.parametrize(
    ("plain", "life", "here", "winner", "tone"),
    [
        (0.66, 0.7616, "Life 76.16, 10.16 before Plain", "same", "good"),
        (0.80, 0.765, "Plain 80.00, 3.50 before Life", "another", "bad"),
        (0.70001, 0.70002, "Plain 70.00, level with Life", "another", "bad"),
    ],
)
def test_the_best_methods_of_the_paper_and_here_are_shown_with_their_lead(summary, plain, life, here, winner, tone):
    sheet = summary(plain, life)
    assert sheet.title == "First of 2 methods by average"
    assert texts(sheet) == [["purity", "Life 77.00, 12.00 before Plain", here, winner]]
    assert sheet.rows[0][-1].tone == tone


@pytest.mark.parametrize(
    ("plain", "life", "said"),
    [
        (0.66, 0.76, "None of 2 methods is off in an average."),
        (0.75, 0.76, "1 of 2 methods is off in one average, which is better than printed."),
        (0.55, 0.76, "1 of 2 methods is off in one average, which is worse than printed."),
        (0.75, 0.85, "2 of 2 methods are off in some average; of their 2 averages that are off, all are better than"),
        (0.55, 0.60, "2 of 2 methods are off in some average; of their 2 averages that are off, all are worse than"),
        (0.75, 0.60, "of their 2 averages that are off, 1 are better than printed and 1 worse."),
    ],
)
def test_averages_that_are_off_are_counted_by_direction(summary, plain, life, said):
    assert said in summary(plain, life).notes[0]


def test_on_other_data_only_our_best_method_is_named_and_nothing_is_off(summary):
    sheet = summary(0.75, 0.60, closing=CLOSING, same_data=False)
    assert sheet.header == ("metric", "here")
    assert texts(sheet) == [["purity", "Plain 75.00, 15.00 before Life"]]
    assert sheet.notes == (CLOSING,)


def test_one_method_alone_is_not_ranked(summary):
    sheet = summary(0.66, only=["Plain"], closing=CLOSING)
    assert (sheet.title, sheet.rows, sheet.notes) == ("In short", (), ("No average is off.", CLOSING))
    assert summary(0.66, only=["Plain"], same_data=False) is None


def test_a_method_without_a_result_is_neither_best_nor_counted(summary, table):
    assert texts(summary(0.66, None)) == []
    for row in table["figures"]["purity"].values():
        row.append("90.00")
    three = {**table["methods"], "Third": {"entry": "kmeans"}}
    sheet = summary(0.66, 0.76, methods=three, runtime=None)
    assert texts(sheet) == [["purity", "Third 90.00, 13.00 before Life", "Life 76.00, 10.00 before Plain", "another"]]
    assert sheet.notes == ("Here without Third: no run came to its end.", "None of 2 methods is off in an average.")


def test_raw_rows_are_the_cells_of_the_paper_and_the_seconds_of_each_method(reproduce):
    found = list(reproduced_rows(reproduce()).rows)
    assert {name for row in found for name in row} == set(COLUMNS)
    assert len(found) == 2 * (5 + 1)
    first, average, seconds = found[0], found[10], found[5]
    assert (first["method"], first["task"], first["own_task"]) == ("Plain", "A", "task-1")
    assert (first["ours_mean"], first["difference"]) == (pytest.approx(82), pytest.approx(2))
    assert (first["runs"], first["failed"], first["mean_of_paper_rows"]) == (2, 1, None)
    assert (average["task"], average["paper_mean"], average["mean_of_paper_rows"]) == ("average", 77, 75)
    assert (seconds["metric"], seconds["table"], seconds["ours_mean"]) == ("seconds", "Table 8", 3)
    assert {row["metric"] for row in reproduced_rows(reproduce(runtime=None)).rows} == {"purity"}


def test_without_runs_the_papers_figures_stand_alone(published):
    found = list(reproduced_rows(compare_with_paper(Reproduction(published, repeats=1), [])).rows)
    assert {(row["ours_mean"], row["ours_sd"], row.get("difference"), row["runs"]) for row in found} == {
        (None, None, None, 0)
    }
    assert [row["paper_mean"] for row in found[:4]] == [80, 70, 60, 50]
    assert {row["verdict"] for row in found if row["metric"] == "purity"} == {"no result"}
