from __future__ import annotations

from dataclasses import replace

import pytest
from board_entries import make_entry

from lcbench.report.board.sheets import (
    across_sheet,
    overall_sheet,
    stream_sheet,
    stream_transfer_sheet,
    submission_sheet,
    transfer_sheet,
)
from lcbench.submission.standings import make_boards
from lcbench.submission.verification import Level


@pytest.fixture
def board(small_suite):
    (made,) = make_boards(
        [
            make_entry(small_suite, "a", {"digits": [0.9, 0.7], "words": [0.0]}, failed="words"),
            make_entry(
                small_suite, "b", {"digits": [0.8, 0.8], "words": [0.6]}, setting="lifelong", solo=0.5,
                level=Level.VERIFIED,
            ),
        ]
    )  # fmt: skip
    return made


def texts(sheet):
    return {row[0].text: dict(zip(sheet.header, (cell.text for cell in row), strict=True)) for row in sheet.rows}


def test_the_overall_table_has_rank_level_and_means_the_best_first(board):
    found = texts(overall_sheet(board))
    assert list(found) == ["b", "a"]
    assert found["b"]["mean rank"] == "1.25 [1.00, 1.50]"
    assert found["b"]["level"] == "● verified"
    assert found["b"]["ari (%)"] == "70.0 [60.0, 80.0]"
    assert found["b"]["nmi (%)"] == "70.0"
    assert (found["a"]["failed"], found["b"]["failed"]) == ("1 of 3 †", "0")


def test_a_score_with_a_failed_run_is_marked_and_a_note_says_what_it_counts_as(board):
    sheet = across_sheet(board, "ari")
    assert texts(sheet)["a"] == {"method": "a", "digits": "80.0", "words": "0.0 †"}
    (note,) = sheet.notes
    assert "one cluster" in note
    on_digits = stream_sheet(board, "digits")
    assert not any("one cluster" in note for note in on_digits.notes)
    assert texts(on_digits)["a"]["failed"] == "0"
    on_words = stream_sheet(board, "words")
    assert texts(on_words)["a"]["failed"] == "1 of 1 †"
    assert (texts(on_words)["b"]["rank"], texts(on_words)["a"]["rank"]) == ("1", "2")


def test_transfer_that_a_failed_run_is_part_of_is_marked(small_suite):
    scores = {"digits": [0.9, 0.7], "words": [0.0]}
    entry = make_entry(small_suite, "m", scores, setting="lifelong", solo=0.5, failed="words")
    (board,) = make_boards([entry])
    assert all(cell.text.endswith("†") for cell in transfer_sheet(board).rows[0][1:])
    digits, words = stream_transfer_sheet(board).rows
    assert not any(cell.text.endswith("†") for cell in digits)
    assert all(cell.text.endswith("†") for cell in words[2:])


def test_a_note_on_intervals_is_there_where_intervals_are(board, small_suite):
    (quick,) = make_boards([make_entry(replace(small_suite, quick=True), "a", {"digits": [0.9]})])

    def said(sheet):
        return any("95 % interval" in note for note in sheet.notes)

    assert [said(overall_sheet(each)) for each in (board, quick)] == [True, False]
    assert [said(stream_sheet(each, "digits")) for each in (board, quick)] == [True, False]
    assert not said(stream_sheet(board, "words"))  # has one repeat


def test_equal_scores_are_both_bold(board):
    cells = {row[0].text: row[1] for row in across_sheet(board, "ari").rows}
    assert cells["a"].bold
    assert cells["b"].bold


def test_transfer_is_there_for_methods_that_learn_from_other_tasks_and_the_others_are_named(board):
    sheet = transfer_sheet(board)
    assert list(texts(sheet)) == ["b"]
    assert texts(sheet)["b"]["total"] == "+20.0 [+10.0, +30.0]"
    assert sheet.notes[-1].endswith("bring nothing: a.")
    assert [(row[0].text, row[1].text) for row in stream_transfer_sheet(board).rows] == [
        ("b", "digits"),
        ("b", "words"),
    ]


def test_without_a_lifelong_method_there_is_no_table_of_transfer(small_suite):
    (board,) = make_boards([make_entry(small_suite, "a", {"digits": [0.9, 0.7], "words": [0.0]})])
    assert transfer_sheet(board) is None
    assert stream_transfer_sheet(board) is None


def test_what_submitters_declare_stands_beside_their_methods(board):
    found = texts(submission_sheet(board))
    assert found["a"]["package"] == "mine 1.0"
    assert found["a"]["labels"] == "Nobody looked."
