from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.records.formulas import (
    FORMULAS,
    area_under_curve,
    average_after_all,
    average_at_arrival,
    backward_transfer,
    forgetting,
    forward_transfer,
    gain_over_single_task,
    learning_transfer,
    partition_drift,
    summarise,
)

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
ALONE = [0.70, 0.75, 0.80]
A = [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
BY_HAND = {
    "average_at_arrival": (0.80 + 0.82 + 0.85) / 3,
    "average_after_all": (0.74 + 0.78 + 0.85) / 3,
    "backward_transfer": -0.050,  # ((.74 - .80) + (.78 - .82)) / 2
    "forgetting": 0.050,  # ((max(.80, .70) - .74) + (.82 - .78)) / 2
    "forward_transfer": 0.30,  # (.30 + .25 + .35) / 3
    "learning_transfer": 0.22 / 3,  # (.10 + .07 + .05) / 3
    "gain_over_single_task": 0.04,  # (.04 + .03 + .05) / 3
    "first_task_gain": 0.10,  # .80 - .70
    "partition_drift": 0.7,  # (.5 + .9) / 2
    "area_under_curve": (0.80 + 0.76 + 0.79) / 3,
}
IDS = {
    "average_at_arrival": "mean-diagonal",
    "average_after_all": "mean-last-row",
    "backward_transfer": "last-minus-diagonal",
    "forgetting": "best-since-learned-minus-last",
    "forward_transfer": "mean-upper-triangle",
    "learning_transfer": "diagonal-minus-alone",
    "gain_over_single_task": "last-minus-alone",
    "first_task_gain": "first-minus-alone",
    "partition_drift": "mean-ari-last-with-learned",
    "area_under_curve": "mean-of-means-so-far",
}
CELLS = st.floats(0, 1)
SQUARES = st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=n, max_size=n))
CLOSE = 1e-12


def values_of(*given, **named):
    return {name: figure["value"] for name, figure in summarise(*given, **named).items()}


def lower(matrix):
    return [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(matrix)]


def test_every_figure_of_a_hand_worked_matrix():
    assert values_of(R, alone=ALONE, agreement=A) == pytest.approx(BY_HAND)


@settings(deadline=None)
@given(SQUARES, st.data())
def test_the_figures_agree_with_numpy(matrix, data):
    array, n = np.array(matrix), len(matrix)
    alone = data.draw(st.lists(CELLS, min_size=n, max_size=n))
    assert average_at_arrival(matrix) == pytest.approx(array.diagonal().mean())
    assert average_after_all(matrix) == pytest.approx(array[-1].mean())
    assert learning_transfer(matrix, alone) == pytest.approx((array.diagonal() - alone).mean(), abs=CLOSE)
    assert gain_over_single_task(matrix, alone) == pytest.approx((array[-1] - alone).mean(), abs=CLOSE)
    assert area_under_curve(matrix) == pytest.approx(np.mean([array[i, : i + 1].mean() for i in range(n)]))
    if n > 1:
        assert backward_transfer(matrix) == pytest.approx((array[-1] - array.diagonal())[:-1].mean(), abs=CLOSE)
        assert forward_transfer(matrix) == pytest.approx(array[np.triu_indices(n, 1)].mean())
        assert partition_drift(matrix) == pytest.approx(array[-1, :-1].mean())
        since = np.where(np.tril(np.ones((n, n))) > 0, array, -np.inf)[:-1]
        assert forgetting(matrix) == pytest.approx((since.max(axis=0)[:-1] - array[-1, :-1]).mean(), abs=CLOSE)


@settings(deadline=None)
@given(SQUARES.filter(lambda matrix: len(matrix) > 1))
def test_forgetting_is_at_least_the_negative_backward_transfer(matrix):
    """They are equal for two tasks, since the first then has one score before the last."""
    assert forgetting(matrix) >= -backward_transfer(matrix) - CLOSE
    two = [row[:2] for row in matrix[:2]]
    assert forgetting(two) == pytest.approx(-backward_transfer(two))


@settings(deadline=None)
@given(SQUARES.filter(lambda matrix: len(matrix) > 1))
def test_where_less_is_better_only_the_sign_of_forgetting_changes(matrix):
    turned = [[1 - cell for cell in row] for row in matrix]
    assert forgetting(matrix, greater_is_better=False) == pytest.approx(forgetting(turned), abs=CLOSE)
    values, others = values_of(matrix), values_of(matrix, greater_is_better=False)
    assert {name for name in values if values[name] != others[name]} <= {"forgetting"}


def test_where_less_is_better_a_task_that_got_worse_is_forgotten():
    errors = [[0.2, None], [0.5, 0.1]]
    assert forgetting(errors, greater_is_better=False) == pytest.approx(0.3)
    assert forgetting(errors) == pytest.approx(-0.3)
    assert backward_transfer(errors) == pytest.approx(0.3)


def test_forgetting_takes_the_best_score_after_the_task_was_learned_and_before_the_end():
    best_between = [[0.5, None, None], [0.9, 0.5, None], [0.6, 0.5, 0.5]]
    assert forgetting(best_between) == pytest.approx((0.3 + 0.0) / 2)
    best_at_the_end = [[0.5, None], [0.7, 0.5]]
    assert forgetting(best_at_the_end) == pytest.approx(-0.2)
    best_before_it_was_learned = [[0.5, 0.9, None], [0.5, 0.6, None], [0.5, 0.4, 0.5]]
    assert forgetting(best_before_it_was_learned) == pytest.approx((0.0 + 0.2) / 2)


@settings(deadline=None)
@given(SQUARES)
def test_scores_of_tasks_still_to_come_change_forward_transfer_only(matrix):
    whole, part = values_of(matrix), values_of(lower(matrix))
    assert part.pop("forward_transfer") is None
    assert {name: whole[name] for name in part} == part


def test_a_figure_is_none_exactly_where_an_input_that_it_needs_is_missing():
    assert {name for name, value in values_of(R).items() if value is None} == {
        "learning_transfer", "gain_over_single_task", "first_task_gain", "partition_drift",
    }  # fmt: skip
    assert {name for name, value in values_of(R, alone=[0.7, None, 0.8], agreement=[]).items() if value is None} == {
        "learning_transfer", "gain_over_single_task", "partition_drift",
    }  # fmt: skip
    assert values_of(R, alone=ALONE)["learning_transfer"] == pytest.approx(BY_HAND["learning_transfer"])


def test_a_missing_cell_makes_only_the_figures_that_need_it_none():
    only_last_row = [[None] * 3, [None] * 3, R[2]]
    there = {
        name: value for name, value in values_of(only_last_row, alone=ALONE, agreement=A).items() if value is not None
    }
    assert there == pytest.approx(
        {name: BY_HAND[name] for name in ("average_after_all", "gain_over_single_task", "partition_drift")}
    )
    undefined_at_the_end = [R[0], R[1], [0.74, None, 0.85]]
    there = {name for name, value in values_of(undefined_at_the_end, alone=ALONE).items() if value is not None}
    assert there == {"average_at_arrival", "forward_transfer", "learning_transfer", "first_task_gain"}
    undefined_between = [R[0], [None, 0.82, 0.35], R[2]]
    assert (forgetting(undefined_between), area_under_curve(undefined_between)) == (None, None)
    assert backward_transfer(undefined_between) == pytest.approx(-0.050)


def test_one_task_has_averages_but_no_transfer():
    values = values_of([[0.6]], alone=[0.5], agreement=[[1.0]])
    assert {name: value for name, value in values.items() if value is not None} == {
        "average_at_arrival": 0.6, "average_after_all": 0.6, "area_under_curve": 0.6,
        "learning_transfer": pytest.approx(0.1), "gain_over_single_task": pytest.approx(0.1),
        "first_task_gain": pytest.approx(0.1),
    }  # fmt: skip


def test_without_tasks_every_figure_is_none():
    assert set(values_of([], alone=[], agreement=[]).values()) == {None}


def test_a_baseline_with_fewer_tasks_is_refused():
    with pytest.raises(ValueError, match="zip"):
        learning_transfer(R, [0.7, 0.75])


def test_a_summary_carries_the_id_of_each_formula():
    assert {name: figure["formula"] for name, figure in summarise(R).items()} == IDS


def test_formula_ids_are_unique_and_every_formula_has_a_reference():
    assert len({formula.id for formula in FORMULAS}) == len(FORMULAS) == 10
    assert all(formula.text and formula.reference for formula in FORMULAS)
