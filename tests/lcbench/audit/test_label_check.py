from __future__ import annotations

import warnings

import numpy as np
import pytest

from lcbench.audit.label_check import StepError, compared, first_difference
from lcbench.records.record import Step

ORDER = ("a", "b", "c")
LABELS = [  # of each step: the task just learned, and those before it
    {"a": np.array([0, 0, 1])},
    {"b": np.array([1, 0]), "a": np.array([0, 1, 1])},
    {"c": np.array([2]), "a": np.array([0, 1, 1]), "b": np.array([1, 0])},
]


def step(learned, labels):
    return Step(
        learned=learned, task=ORDER[learned - 1], learn_seconds=0.0, predict_seconds=0.0, pickle_seconds=0.0,
        metric_seconds=0.0, state_bytes=0, scores={}, labels=labels, agreement=[], largest=[],
        objective_trace=None,
    )  # fmt: skip


def replayed(**changed):
    """The steps of the run, with other labels for tasks of the second step."""
    for i, labels in enumerate(LABELS):
        yield step(i + 1, {**labels, **changed} if i == 1 else labels)


def fails(error, after):
    for i, labels in enumerate(LABELS[:after]):
        yield step(i + 1, labels)
    raise error


def said(steps):
    result = compared(steps, LABELS, ORDER)
    assert result.pop("seconds") >= 0
    return result


@pytest.mark.parametrize(
    ("steps", "result"),
    [
        (replayed(), {"passed": True}),
        (replayed(a=np.array([1, 0, 1])), {"passed": False, "step": 2, "task": "a", "samples": 2}),
        (fails(ValueError("NaN"), 1), {"passed": False, "step": 2, "task": "b", "error": "ValueError: NaN"}),
        (fails(SystemExit(4), 1), {"passed": False, "step": 2, "task": "b", "error": "SystemExit: 4"}),
        (fails(StepError("it ended"), 1), {"passed": False, "step": 2, "task": "b", "error": "it ended"}),
        (fails(StepError("x" * 9999), 0), {"passed": False, "step": 1, "task": "a", "error": "x" * 500}),
        (fails(ValueError("late"), 3), {"passed": False, "step": 3, "task": "c", "error": "ValueError: late"}),
    ],
    ids=["same", "other labels", "error", "exit", "error of a step", "long error", "after the last"],
)
def test_the_first_difference_or_error_is_named_with_its_step_and_task(steps, result):
    assert said(steps) == result


@pytest.mark.parametrize(
    ("found", "expected", "samples"),
    [([0, 1], [1, 0], 2), (None, [0, 0, 1], 3), ([0, 0], [0, 0, 1], 3)],
    ids=["the same groups under other numbers", "no labels", "labels of another length"],
)
def test_labels_are_compared_sample_by_sample(found, expected, samples):
    labels = {} if found is None else {"b": np.array(found)}
    assert first_difference(labels, {"b": np.array(expected)}) == {"task": "b", "samples": samples}


def test_nothing_is_run_after_the_first_difference():
    def steps():
        yield step(1, {"a": np.array([1, 1, 1])})
        raise AssertionError("the second step was run")

    assert said(steps()) == {"passed": False, "step": 1, "task": "a", "samples": 2}


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
