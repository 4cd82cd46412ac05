from __future__ import annotations

import pytest

from lcbench.analysis.published.reproduction import Reproduction, choose_methods
from lcbench.analysis.published.table import Published
from lcbench.analysis.published.verdicts import compare_with_paper
from lcbench.report.reproduction.summary import summary_sheet

CLOSING = "Something simple is better."


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
        return summary_sheet(compare_with_paper(reproduction, runs))

    return made


def rows(sheet):
    return [[cell.text for cell in row] for row in sheet.rows]


def test_the_best_methods_of_the_paper_and_here_are_shown_side_by_side_with_their_lead(summary):
    sheet = summary(0.66, 0.7616)
    assert sheet.title == "First of 2 methods by average"
    assert rows(sheet) == [["purity", "Life 77.00, 12.00 before Plain", "Life 76.16, 10.16 before Plain", "same"]]
    assert sheet.notes == ("None of 2 methods is off in an average.",)


def test_another_best_method_than_in_the_paper_is_marked(summary):
    (row,) = summary(0.80, 0.765).rows
    assert [cell.text for cell in row][2:] == ["Plain 80.00, 3.50 before Life", "another"]
    assert row[-1].tone == "bad"


def test_methods_that_are_equal_with_two_decimals_are_level(summary):
    assert rows(summary(0.70001, 0.70002))[0][2] == "Plain 70.00, level with Life"


@pytest.mark.parametrize(
    ("plain", "life", "said"),
    [
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
    sheet = summary(0.75, 0.60, same_data=False)
    assert sheet.header == ("metric", "here")
    assert rows(sheet) == [["purity", "Plain 75.00, 15.00 before Life"]]
    assert sheet.notes == ()


def test_the_closing_words_of_the_file_are_the_last_note(summary):
    assert summary(0.66, 0.76, closing=CLOSING).notes[-1] == CLOSING
    assert summary(0.66, 0.76, closing=CLOSING, same_data=False).notes == (CLOSING,)


def test_one_method_alone_is_not_ranked(summary):
    sheet = summary(0.66, only=["Plain"], closing=CLOSING)
    assert (sheet.title, sheet.rows, sheet.notes) == ("In short", (), ("No average is off.", CLOSING))
    assert summary(0.66, only=["Plain"], same_data=False) is None


def test_a_method_without_a_result_is_neither_best_nor_counted(summary, table):
    assert rows(summary(0.66, None)) == []
    for row in table["figures"]["purity"].values():
        row.append("90.00")
    three = {**table["methods"], "Third": {"entry": "kmeans"}}
    sheet = summary(0.66, 0.76, methods=three, runtime=None)
    assert rows(sheet) == [["purity", "Third 90.00, 13.00 before Life", "Life 76.00, 10.00 before Plain", "another"]]
    assert sheet.notes == ("Here without Third: no run came to its end.", "None of 2 methods is off in an average.")
