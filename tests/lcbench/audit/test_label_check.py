from __future__ import annotations

import warnings

import numpy as np
import pytest

from lcbench.audit.label_check import NotImportableError, StepError, compared, first_difference
from lcbench.records.record import Step

ORDER = ("a", "b", "c")
LABELS = [  # of each step: the task just learned, and those before it
    {"a": np.array([0, 0, 1])},
    {"b": np.array([1, 0]), "a": np.array([0, 1, 1])},
    {"c": np.array([2]), "a": np.array([0, 1, 1]), "b": np.array([1, 0])},
]


def step(learned, labels):
    return Step(
        learned=learned, task=ORDER[learned - 1], learn_seconds=0.0, predict_seconds=0.0, metric_seconds=0.0,
        state_bytes=0, scores={}, labels=labels, agreement=[], objective_trace=None,
    )  # fmt: skip


def replayed(**changed):
    """The steps of the run, with other labels for tasks of the second step."""
    for i, labels in enumerate(LABELS):
        yield step(i + 1, {**labels, **changed} if i == 1 else labels)


def said(steps):
    result = compared(steps, LABELS, ORDER)
    assert result.pop("seconds") >= 0
    return result


def test_the_same_labels_in_every_step_pass():
    assert said(replayed()) == {"passed": True}


def test_the_first_step_and_task_that_differ_are_named_with_the_number_of_samples():
    assert said(replayed(a=np.array([1, 0, 1]))) == {"passed": False, "step": 2, "task": "a", "samples": 2}


def test_the_same_groups_under_other_numbers_are_a_difference():
    assert first_difference({"b": np.array([0, 1])}, {"b": np.array([1, 0])}) == {"task": "b", "samples": 2}


def test_a_task_without_labels_or_with_labels_of_another_length_differs_in_all_samples():
    expected = {"a": np.array([0, 0, 1])}
    assert first_difference({}, expected) == {"task": "a", "samples": 3}
    assert first_difference({"a": np.array([0, 0])}, expected) == {"task": "a", "samples": 3}


def test_nothing_is_run_after_the_first_difference():
    def steps():
        yield step(1, {"a": np.array([1, 1, 1])})
        raise AssertionError("the second step was run")

    assert said(steps()) == {"passed": False, "step": 1, "task": "a", "samples": 2}


def fails(error, after):
    for i, labels in enumerate(LABELS[:after]):
        yield step(i + 1, labels)
    raise error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("NaN"), "ValueError: NaN"),
        (SystemExit(4), "SystemExit: 4"),
        (StepError("its process ended itself"), "its process ended itself"),
    ],
)
def test_an_error_is_a_difference_at_the_step_that_raised_it(error, words):
    assert said(fails(error, after=1)) == {"passed": False, "step": 2, "task": "b", "error": words}


def test_an_error_after_the_last_step_is_put_down_to_the_last_task():
    assert said(fails(ValueError("late"), after=3))["task"] == "c"


def test_a_long_error_is_cut_to_500_characters():
    assert said(fails(StepError("x" * 9999), after=0))["error"] == "x" * 500


def test_a_method_that_cannot_be_rebuilt_neither_passes_nor_fails():
    result = said(fails(NotImportableError("ModuleNotFoundError: mine"), after=0))
    assert result == {
        "passed": None,
        "reason": "a fresh process cannot rebuild the method: ModuleNotFoundError: mine",
    }


def test_the_interrupt_of_a_user_is_no_finding():
    with pytest.raises(KeyboardInterrupt):
        compared(fails(KeyboardInterrupt(), after=1), LABELS, ORDER)


def test_warnings_of_the_replay_are_not_shown_again():
    def steps():
        warnings.warn("once more", UserWarning, stacklevel=2)
        yield from replayed()

    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        assert said(steps()) == {"passed": True}
    assert shown == []
