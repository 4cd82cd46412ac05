from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.records.formulas import (
    FORMULAS,
    area_under_curve,
    backward,
    backward_transfer,
    forgetting,
    forward,
    gain_over_single_task,
    learning_gain,
    summarise,
    total_transfer,
)

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
SOLO = [0.78, 0.76, 0.86]
ALONE = [0.70, 0.75, 0.80]
A = [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
BY_HAND = {  # with the ids of their formulas, which records hold
    "average_at_arrival": ("mean-diagonal", (0.80 + 0.82 + 0.85) / 3),
    "average_after_all": ("mean-last-row", (0.74 + 0.78 + 0.85) / 3),
    "backward_transfer": ("last-minus-diagonal", -0.050),  # ((.74 - .80) + (.78 - .82)) / 2
    "forgetting": ("best-since-learned-minus-last", 0.050),  # ((max(.80, .70) - .74) + (.82 - .78)) / 2
    "solo_average": ("mean-solo", 0.80),  # (.78 + .76 + .86) / 3
    "forward": ("diagonal-minus-solo", 0.07 / 3),  # (.02 + .06 - .01) / 3
    "backward": ("last-minus-diagonal-over-all", -0.10 / 3),  # (-.06 - .04 + 0) / 3
    "total_transfer": ("last-minus-solo", -0.01),  # (-.04 + .02 - .01) / 3
    "first_task_noise": ("first-minus-solo", 0.02),  # .80 - .78
    "own_gain": ("solo-minus-alone", 0.05),  # (.08 + .01 + .06) / 3
    "learning_gain": ("diagonal-minus-alone", 0.22 / 3),  # (.10 + .07 + .05) / 3
    "gain_over_single_task": ("last-minus-alone", 0.04),  # (.04 + .03 + .05) / 3
    "average_before_learning": ("mean-upper-triangle", 0.30),  # (.30 + .25 + .35) / 3
    "partition_agreement": ("mean-ari-last-with-learned", 0.7),  # (.5 + .9) / 2
    "area_under_curve": ("mean-of-means-so-far", (0.80 + 0.76 + 0.79) / 3),
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


def test_every_figure_of_a_hand_worked_matrix_and_the_id_of_its_formula():
    found = summarise(R, solo=SOLO, alone=ALONE, agreement=A)
    assert {name: (figure["formula"], figure["value"]) for name, figure in found.items()} == {
        name: (formula, pytest.approx(value)) for name, (formula, value) in BY_HAND.items()
    }
    assert list(found) == list(BY_HAND)


@settings(deadline=None)
@given(SQUARES, st.data())
def test_the_figures_agree_with_numpy_and_the_parts_add_up(matrix, data):
    n = len(matrix)
    alone, solo = (np.array(data.draw(st.lists(CELLS, min_size=n, max_size=n))) for _ in range(2))
    array = np.array(matrix)
    diagonal, last = array.diagonal(), array[-1]
    since = np.where(np.tril(np.ones((n, n))) > 0, array, -np.inf)[:-1]
    expected = {
        "average_at_arrival": diagonal.mean(),
        "average_after_all": last.mean(),
        "solo_average": solo.mean(),
        "forward": (diagonal - solo).mean(),
        "backward": (last - diagonal).mean(),
        "total_transfer": (last - solo).mean(),
        "first_task_noise": matrix[0][0] - solo[0],
        "own_gain": (solo - alone).mean(),
        "learning_gain": (diagonal - alone).mean(),
        "gain_over_single_task": (last - alone).mean(),
        "area_under_curve": np.mean([array[i, : i + 1].mean() for i in range(n)]),
        "backward_transfer": (last - diagonal)[:-1].mean() if n > 1 else None,
        "average_before_learning": array[np.triu_indices(n, 1)].mean() if n > 1 else None,
        "partition_agreement": last[:-1].mean() if n > 1 else None,
        "forgetting": (since.max(axis=0)[:-1] - last[:-1]).mean() if n > 1 else None,
    }
    found = values_of(matrix, solo=solo, alone=alone, agreement=matrix)
    assert found == pytest.approx(expected, abs=CLOSE)
    parts = found["forward"] + found["backward"]
    assert found["total_transfer"] == pytest.approx(parts, abs=CLOSE)
    assert found["gain_over_single_task"] == pytest.approx(found["own_gain"] + parts, abs=CLOSE)


@settings(deadline=None)
@given(SQUARES.filter(lambda matrix: len(matrix) > 1))
def test_where_less_is_better_only_the_sign_of_forgetting_changes(matrix):
    turned = [[1 - cell for cell in row] for row in matrix]
    assert forgetting(matrix, greater_is_better=False) == pytest.approx(forgetting(turned), abs=CLOSE)
    values, others = values_of(matrix), values_of(matrix, greater_is_better=False)
    assert {name for name in values if values[name] != others[name]} <= {"forgetting"}


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
    assert there == pytest.approx({name: BY_HAND[name][1] for name in (*from_the_end, "solo_average", "own_gain")})
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


def test_without_tasks_every_figure_is_none():
    assert set(values_of([], solo=[], alone=[], agreement=[]).values()) == {None}


def test_a_figure_beyond_the_largest_number_is_none_and_the_others_stay():
    large = 1.5e308
    found = values_of([[large, None], [-large, large]], solo=[-large, -large])
    assert found["average_after_all"] == 0.0
    assert (found["average_at_arrival"], found["backward"], found["forward"]) == (None, None, None)


def test_a_baseline_or_solo_scores_of_fewer_tasks_are_refused():
    for formula in (learning_gain, gain_over_single_task, forward, total_transfer):
        with pytest.raises(ValueError, match="zip"):
            formula(R, [0.7, 0.75])


def test_every_formula_has_a_reference():
    assert all(formula.text and formula.reference for formula in FORMULAS)
