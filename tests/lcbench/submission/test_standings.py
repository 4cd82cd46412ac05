from __future__ import annotations

from dataclasses import replace

import pytest
from board_entries import make_entry

from lcbench.analysis.transfer import BACKWARD, FORWARD, TOTAL
from lcbench.submission.standings import make_boards


@pytest.fixture
def board(small_suite):
    """Three methods on two streams: on digits a and b tie by their means over orders, on words b is first."""
    entries = [
        make_entry(small_suite, "c", {"digits": [0.5, 0.5], "words": [0.4]}),
        make_entry(small_suite, "a", {"digits": [0.9, 0.7], "words": [0.2]}),
        make_entry(small_suite, "b", {"digits": [0.8, 0.8], "words": [0.6]}),
    ]
    (made,) = make_boards(entries)
    return {standing.entry.name: standing for standing in made.standings}


def test_ranks_are_by_the_mean_over_orders_on_each_stream_and_ties_share_theirs(board):
    assert {name: standing.ranks for name, standing in board.items()} == {
        "b": {"digits": 1.5, "words": 1.0}, "a": {"digits": 1.5, "words": 3.0}, "c": {"digits": 3.0, "words": 2.0},
    }  # fmt: skip
    assert {name: standing.rank.mean for name, standing in board.items()} == {"b": 1.25, "a": 2.25, "c": 2.5}


def test_the_best_mean_rank_comes_first(board):
    assert list(board) == ["b", "a", "c"]


def test_the_interval_over_two_streams_reaches_from_one_to_the_other(board):
    """Half of the draws have both streams, a quarter each has one of them twice."""
    assert board["a"].rank[:3] == (2.25, 1.5, 3.0)
    assert board["a"].means["ari"][:3] == pytest.approx((0.5, 0.2, 0.8))


def test_the_score_on_a_stream_is_the_mean_over_orders_with_an_interval_over_them(board):
    assert board["a"].scores["digits", "ari"][:3] == pytest.approx((0.8, 0.7, 0.9))
    assert board["a"].scores["words", "ari"][:3] == (0.2, None, None)


def test_transfer_is_measured_against_the_method_alone_and_its_parts_add_up(small_suite):
    """Alone .5; at arrival .6; in the end .9 and .7 in two orders on digits, and .6 on words."""
    entry = make_entry(
        small_suite, "m", {"digits": [0.9, 0.7], "words": [0.6]}, setting="lifelong", solo=0.5, forward=0.1
    )
    (board,) = make_boards([entry, make_entry(small_suite, "s", {"digits": [0.5, 0.5], "words": [0.4]})])
    lifelong, alone = board.standings
    digits = lifelong.transfer["digits"]
    # at arrival the second task has its score of the end: (.6 + .9)/2 and (.6 + .7)/2, so .25 and .15 above solo
    assert (digits.solo, digits.parts[FORWARD].mean) == pytest.approx((0.5, 0.2))
    assert (digits.parts[BACKWARD].mean, digits.parts[TOTAL].mean) == pytest.approx((0.1, 0.3))
    assert lifelong.parts[TOTAL].mean == pytest.approx((0.3 + 0.1) / 2)
    assert lifelong.parts["solo"].mean == pytest.approx(0.5)
    assert (alone.transfer, alone.parts) == ({}, {})


def test_without_a_score_for_one_cluster_a_method_is_last_and_has_no_mean(small_suite):
    entry = make_entry(small_suite, "a", {"digits": [0.9, 0.9], "words": [0.9]})
    gap = [replace(run, scores={"ari": [[None, None], [None, None]], "nmi": run.scores["nmi"]}) for run in entry.runs]
    (board,) = make_boards(
        [replace(entry, runs=tuple(gap)), make_entry(small_suite, "b", {"digits": [0.1, 0.1], "words": [0.1]})]
    )
    assert [(standing.entry.name, standing.rank.mean) for standing in board.standings] == [("b", 1.0), ("a", 2.0)]
    assert board.standings[1].means["ari"] is None
    assert board.standings[1].means["nmi"].mean == pytest.approx(0.9)


def test_a_quick_version_has_a_board_of_its_own(small_suite):
    quick = replace(small_suite, quick=True)
    boards = make_boards(
        [
            make_entry(small_suite, "a", {"digits": [0.9, 0.9], "words": [0.9]}),
            make_entry(quick, "a", {"digits": [0.9]}),
        ]
    )
    assert [board.title for board in boards] == ["small-1", "small-1, quick version"]
    assert [len(board.streams) for board in boards] == [2, 1]
