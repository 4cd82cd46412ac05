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
    average_before_learning,
    backward,
    backward_transfer,
    first_task_noise,
    forgetting,
    forward,
    gain_over_single_task,
    learning_gain,
    own_gain,
    partition_agreement,
    solo_average,
    summarise,
    total_transfer,
)

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
SOLO = [0.78, 0.76, 0.86]
ALONE = [0.70, 0.75, 0.80]
A = [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
BY_HAND = {
    "average_at_arrival": (0.80 + 0.82 + 0.85) / 3,
    "average_after_all": (0.74 + 0.78 + 0.85) / 3,
    "backward_transfer": -0.050,  # ((.74 - .80) + (.78 - .82)) / 2
    "forgetting": 0.050,  # ((max(.80, .70) - .74) + (.82 - .78)) / 2
    "solo_average": 0.80,  # (.78 + .76 + .86) / 3
    "forward": 0.07 / 3,  # (.02 + .06 - .01) / 3
    "backward": -0.10 / 3,  # (-.06 - .04 + 0) / 3
    "total_transfer": -0.01,  # (-.04 + .02 - .01) / 3
    "first_task_noise": 0.02,  # .80 - .78
    "own_gain": 0.05,  # (.08 + .01 + .06) / 3
    "learning_gain": 0.22 / 3,  # (.10 + .07 + .05) / 3
    "gain_over_single_task": 0.04,  # (.04 + .03 + .05) / 3
    "average_before_learning": 0.30,  # (.30 + .25 + .35) / 3
    "partition_agreement": 0.7,  # (.5 + .9) / 2
    "area_under_curve": (0.80 + 0.76 + 0.79) / 3,
}
IDS = {
    "average_at_arrival": "mean-diagonal",
    "average_after_all": "mean-last-row",
    "backward_transfer": "last-minus-diagonal",
    "forgetting": "best-since-learned-minus-last",
    "solo_average": "mean-solo",
    "forward": "diagonal-minus-solo",
    "backward": "last-minus-diagonal-over-all",
    "total_transfer": "last-minus-solo",
    "first_task_noise": "first-minus-solo",
    "own_gain": "solo-minus-alone",
    "learning_gain": "diagonal-minus-alone",
    "gain_over_single_task": "last-minus-alone",
    "average_before_learning": "mean-upper-triangle",
    "partition_agreement": "mean-ari-last-with-learned",
    "area_under_curve": "mean-of-means-so-far",
}
CELLS = st.floats(0, 1)
SQUARES = st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=n, max_size=n))
CLOSE = 1e-12
NEED_SOLO = {"solo_average", "forward", "total_transfer", "first_task_noise", "own_gain"}
NEED_ALONE = {"own_gain", "learning_gain", "gain_over_single_task"}


def values_of(*given, **named):
    return {name: figure["value"] for name, figure in summarise(*given, **named).items()}


def lower(matrix):
    return [[cell if j <= i else None for j, cell in enumerate(row)] for i, row in enumerate(matrix)]


def test_every_figure_of_a_hand_worked_matrix():
    assert values_of(R, solo=SOLO, alone=ALONE, agreement=A) == pytest.approx(BY_HAND)


@settings(deadline=None)
@given(SQUARES, st.data())
def test_the_figures_agree_with_numpy(matrix, data):
    array, n = np.array(matrix), len(matrix)
    alone, solo = (data.draw(st.lists(CELLS, min_size=n, max_size=n)) for _ in range(2))
    assert average_at_arrival(matrix) == pytest.approx(array.diagonal().mean())
    assert average_after_all(matrix) == pytest.approx(array[-1].mean())
    assert solo_average(solo) == pytest.approx(np.mean(solo))
    assert forward(matrix, solo) == pytest.approx((array.diagonal() - solo).mean(), abs=CLOSE)
    assert backward(matrix) == pytest.approx((array[-1] - array.diagonal()).mean(), abs=CLOSE)
    assert total_transfer(matrix, solo) == pytest.approx((array[-1] - solo).mean(), abs=CLOSE)
    assert first_task_noise(matrix, solo) == matrix[0][0] - solo[0]
    assert own_gain(solo, alone) == pytest.approx(np.subtract(solo, alone).mean(), abs=CLOSE)
    assert learning_gain(matrix, alone) == pytest.approx((array.diagonal() - alone).mean(), abs=CLOSE)
    assert gain_over_single_task(matrix, alone) == pytest.approx((array[-1] - alone).mean(), abs=CLOSE)
    assert area_under_curve(matrix) == pytest.approx(np.mean([array[i, : i + 1].mean() for i in range(n)]))
    if n > 1:
        assert backward_transfer(matrix) == pytest.approx((array[-1] - array.diagonal())[:-1].mean(), abs=CLOSE)
        assert average_before_learning(matrix) == pytest.approx(array[np.triu_indices(n, 1)].mean())
        assert partition_agreement(matrix) == pytest.approx(array[-1, :-1].mean())
        since = np.where(np.tril(np.ones((n, n))) > 0, array, -np.inf)[:-1]
        assert forgetting(matrix) == pytest.approx((since.max(axis=0)[:-1] - array[-1, :-1]).mean(), abs=CLOSE)


@settings(deadline=None)
@given(SQUARES, st.data())
def test_the_parts_add_up_to_the_total_transfer_and_to_the_gain_over_the_baseline(matrix, data):
    alone, solo = (data.draw(st.lists(CELLS, min_size=len(matrix), max_size=len(matrix))) for _ in range(2))
    found = values_of(matrix, solo=solo, alone=alone)
    assert found["total_transfer"] == pytest.approx(found["forward"] + found["backward"], abs=CLOSE)
    gain = found["own_gain"] + found["forward"] + found["backward"]
    assert found["gain_over_single_task"] == pytest.approx(gain, abs=CLOSE)
    assert found["learning_gain"] == pytest.approx(found["own_gain"] + found["forward"], abs=CLOSE)
    assert found["average_after_all"] == pytest.approx(found["solo_average"] + found["total_transfer"], abs=CLOSE)


@settings(deadline=None)
@given(SQUARES.filter(lambda matrix: len(matrix) > 1))
def test_backward_is_the_published_backward_transfer_with_the_last_task_counted_as_zero(matrix):
    tasks = len(matrix)
    assert tasks * backward(matrix) == pytest.approx((tasks - 1) * backward_transfer(matrix), abs=CLOSE)


def test_where_each_task_scores_as_it_does_alone_there_is_no_transfer_whatever_the_baseline():
    kept = [[cell if j <= i else None for j, cell in enumerate(SOLO)] for i in range(3)]
    found = values_of(kept, solo=SOLO, alone=ALONE)
    assert [found[name] for name in ("forward", "backward", "total_transfer", "first_task_noise")] == [0.0] * 4
    assert found["own_gain"] == found["gain_over_single_task"] == pytest.approx(0.05)


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
def test_scores_of_tasks_still_to_come_change_the_average_before_learning_only(matrix):
    whole, part = values_of(matrix), values_of(lower(matrix))
    assert part.pop("average_before_learning") is None
    assert {name: whole[name] for name in part} == part


def test_a_figure_is_none_exactly_where_an_input_that_it_needs_is_missing():
    def missing(**named):
        return {name for name, value in values_of(R, **named).items() if value is None}

    assert missing() == NEED_SOLO | NEED_ALONE | {"partition_agreement"}
    assert missing(agreement=A) == NEED_SOLO | NEED_ALONE
    assert missing(solo=SOLO, agreement=A) == NEED_ALONE
    assert missing(alone=ALONE, agreement=A) == NEED_SOLO
    assert missing(solo=SOLO, alone=[0.7, None, 0.8], agreement=[]) == NEED_ALONE | {"partition_agreement"}
    # the noise of the first task needs that one alone
    assert missing(solo=[0.78, None, 0.86], alone=ALONE, agreement=A) == NEED_SOLO - {"first_task_noise"}


def test_a_missing_cell_makes_only_the_figures_that_need_it_none():
    only_last_row = [[None] * 3, [None] * 3, R[2]]
    there = {
        name: value
        for name, value in values_of(only_last_row, solo=SOLO, alone=ALONE, agreement=A).items()
        if value is not None
    }
    from_the_end = ("average_after_all", "total_transfer", "gain_over_single_task", "partition_agreement")
    assert there == pytest.approx({name: BY_HAND[name] for name in (*from_the_end, "solo_average", "own_gain")})
    undefined_at_the_end = [R[0], R[1], [0.74, None, 0.85]]
    found = values_of(undefined_at_the_end, solo=SOLO, alone=ALONE)
    assert {name for name, value in found.items() if value is not None} == {
        "average_at_arrival", "solo_average", "forward", "first_task_noise", "own_gain", "learning_gain",
        "average_before_learning",
    }  # fmt: skip
    undefined_between = [R[0], [None, 0.82, 0.35], R[2]]
    assert (forgetting(undefined_between), area_under_curve(undefined_between)) == (None, None)
    assert backward_transfer(undefined_between) == pytest.approx(-0.050)
    assert backward(undefined_between) == pytest.approx(-0.10 / 3)


def test_one_task_has_averages_gains_and_seed_noise_but_nothing_that_came_later():
    values = values_of([[0.6]], solo=[0.56], alone=[0.5], agreement=[[1.0]])
    assert {name: value for name, value in values.items() if value is not None} == {
        "average_at_arrival": 0.6, "average_after_all": 0.6, "area_under_curve": 0.6,
        "learning_gain": pytest.approx(0.1), "gain_over_single_task": pytest.approx(0.1), "solo_average": 0.56,
        "own_gain": pytest.approx(0.06), "forward": pytest.approx(0.04), "first_task_noise": pytest.approx(0.04),
        "backward": 0.0, "total_transfer": pytest.approx(0.04),
    }  # fmt: skip


def test_without_tasks_every_figure_is_none():
    assert set(values_of([], solo=[], alone=[], agreement=[]).values()) == {None}


def test_a_baseline_or_solo_scores_of_fewer_tasks_are_refused():
    for formula in (learning_gain, gain_over_single_task, forward, total_transfer):
        with pytest.raises(ValueError, match="zip"):
            formula(R, [0.7, 0.75])


def test_a_summary_carries_the_id_of_each_formula():
    assert {name: figure["formula"] for name, figure in summarise(R).items()} == IDS


def test_formula_ids_are_unique_and_every_formula_has_a_reference():
    assert len({formula.id for formula in FORMULAS}) == len(FORMULAS) == 15
    assert all(formula.text and formula.reference for formula in FORMULAS)
