from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.transfer import FORMULAS, average_after_all, average_at_arrival, backward_transfer, summarise

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
SQUARES = st.integers(1, 6).flatmap(
    lambda n: st.lists(st.lists(st.floats(0, 1), min_size=n, max_size=n), min_size=n, max_size=n)
)


def test_the_figures_of_a_hand_worked_matrix():
    assert backward_transfer(R) == pytest.approx(((0.74 - 0.80) + (0.78 - 0.82)) / 2)
    assert backward_transfer(R) == pytest.approx(-0.050)
    assert average_at_arrival(R) == pytest.approx((0.80 + 0.82 + 0.85) / 3)
    assert average_after_all(R) == pytest.approx((0.74 + 0.78 + 0.85) / 3)


@settings(deadline=None)
@given(SQUARES)
def test_the_figures_agree_with_numpy(matrix):
    array = np.array(matrix)
    assert average_at_arrival(matrix) == pytest.approx(array.diagonal().mean())
    assert average_after_all(matrix) == pytest.approx(array[-1].mean())
    if len(matrix) > 1:
        assert backward_transfer(matrix) == pytest.approx((array[-1] - array.diagonal())[:-1].mean())


@settings(deadline=None)
@given(SQUARES)
def test_scores_of_tasks_still_to_come_change_no_figure(matrix):
    lower = [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(matrix)]
    assert summarise(lower) == summarise(matrix)


def test_a_missing_cell_leaves_only_the_figures_that_do_not_need_it():
    only_last_row = [[None] * 3, [None] * 3, R[2]]
    assert average_at_arrival(only_last_row) is None
    assert backward_transfer(only_last_row) is None
    assert average_after_all(only_last_row) == pytest.approx(0.79)
    undefined_at_the_end = [R[0], R[1], [0.74, None, 0.85]]
    assert average_after_all(undefined_at_the_end) is None
    assert backward_transfer(undefined_at_the_end) is None
    assert average_at_arrival(undefined_at_the_end) == pytest.approx(2.47 / 3)


def test_one_task_has_averages_but_no_transfer():
    assert (average_at_arrival([[0.6]]), average_after_all([[0.6]]), backward_transfer([[0.6]])) == (0.6, 0.6, None)


def test_no_task_has_no_figures():
    assert {figure["value"] for figure in summarise([]).values()} == {None}


def test_a_summary_carries_the_id_of_each_formula():
    assert {name: figure["formula"] for name, figure in summarise(R).items()} == {
        "average_at_arrival": "mean-diagonal",
        "average_after_all": "mean-last-row",
        "backward_transfer": "last-minus-diagonal",
    }
    assert summarise(R)["backward_transfer"]["value"] == pytest.approx(-0.050)


def test_formula_ids_are_unique_and_every_formula_says_where_it_is_from():
    assert len({formula.id for formula in FORMULAS}) == len(FORMULAS)
    assert all(formula.text and formula.reference for formula in FORMULAS)
