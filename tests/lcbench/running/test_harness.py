from __future__ import annotations

import pickle
from contextlib import contextmanager
from typing import ClassVar

import numpy as np
import pytest
from making import make_stream
from small_methods import ByTurns, Counter, Told

from lcbench.contract.task import Task
from lcbench.errors import ContractError, InvalidTaskError
from lcbench.running.harness import replay
from lcbench_indices.indices import Purity

PURITY = {"purity": Purity()}
TASKS = make_stream().tasks()


def test_two_tasks_of_one_name_are_refused_before_anything_is_learned():
    with pytest.raises(InvalidTaskError, match="two tasks named"):
        next(replay(Counter(), [TASKS[0], TASKS[0]], PURITY))


class Diary(Counter):
    """Labels are the number of tasks it has learned; `predict` takes notes, which must be lost."""

    predicts_unseen: ClassVar[bool] = True

    def __init__(self, *, trace=None):
        self.trace = trace

    def partial_fit(self, task):
        self.learned_ = [*getattr(self, "learned_", []), task.name]
        self.labels_ = np.full(task.n_samples, len(self.learned_))
        if self.trace is not None:
            self.objective_trace_ = np.array(self.trace)
        return self

    def predict(self, task):
        self.learned_.append("predict must not be remembered")
        return np.full(task.n_samples, 10 * len(self.learned_))


class OnlyOnce(ByTurns):
    def partial_fit(self, task):
        return self if task.name != "task-1" else super().partial_fit(task)


class Mute(ByTurns):
    def partial_fit(self, task):
        self.labels_ = super().predict(task)
        self.last_ = task.name
        return self

    def predict(self, task):
        return None


class Unpicklable(ByTurns):
    def partial_fit(self, task):
        self.secret_ = lambda: None
        return super().partial_fit(task)


def test_every_task_seen_is_scored_after_each_arrival():
    rows = [step.scores["purity"] for step in replay(Diary(), TASKS, PURITY)]
    third = pytest.approx(1 / 3)
    assert rows == [[third, None, None], [third, third, None], [third, third, third]]


@pytest.mark.parametrize(
    ("evaluate", "scored"), [("all", [1, 1, 1]), ("last", [0, 0, 1]), ("every:2", [0, 1, 1]), ("every:9", [0, 0, 1])]
)
def test_evaluate_chooses_the_steps_and_the_last_is_always_scored(evaluate, scored):
    steps = list(replay(Diary(), TASKS, PURITY, evaluate=evaluate))
    assert [step.scores["purity"][0] is not None for step in steps] == [bool(s) for s in scored]
    assert None not in steps[-1].scores["purity"]


def test_future_tasks_are_scored_for_methods_that_can():
    assert None not in next(replay(Diary(), TASKS, PURITY, future=True)).scores["purity"]
    assert next(replay(Counter(), TASKS, PURITY, future=True)).scores["purity"][1:] == [None, None]


def test_scoring_teaches_the_method_nothing():
    method = Diary()
    list(replay(method, TASKS, PURITY, future=True))
    assert method.learned_ == ["task-1", "task-2", "task-3"]


def test_the_task_just_learned_is_scored_from_labels_and_old_ones_from_predict():
    step = list(replay(Diary(), TASKS[:2], PURITY))[1]
    assert set(step.labels["task-2"]) == {2}
    assert min(step.labels["task-1"]) >= 10


def test_state_bytes_are_those_of_the_pickle_without_results_and_objectives_are_finite_or_null():
    method = Diary(trace=[1.0, np.nan, np.inf])
    step = next(replay(method, TASKS, PURITY))
    assert hasattr(method, "labels_")
    assert step.state_bytes == len(pickle.dumps(method, protocol=pickle.HIGHEST_PROTOCOL))
    assert not hasattr(pickle.loads(pickle.dumps(method)), "labels_")
    assert step.objective_trace == [1.0, None, None]


def test_times_are_logged_for_every_step():
    steps = list(replay(Diary(), TASKS, PURITY))
    assert all(step.learn_seconds > 0 for step in steps)
    assert steps[0].predict_seconds == 0
    assert steps[1].predict_seconds > 0


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (Told(), "partial_fit set no labels_ for task 'task-1'"),
        (Told(labels=np.zeros(7, dtype=int)), r"labels of shape \(7,\) for the 60 samples"),
        (Told(labels=np.zeros((60, 1), dtype=int)), r"shape \(60, 1\)"),
        (Told(labels=np.zeros(60)), "labels of type float64"),
        (Told(labels=["a"] * 60), "labels are integers"),
        (OnlyOnce(), "set no labels_ for task 'task-2'"),
        (Mute(), "predict returned nothing for task 'task-1'"),
        (Unpicklable(), "its state cannot be pickled"),
    ],
    ids=["none", "too few", "two dimensions", "floats", "texts", "those of the task before", "predict", "pickle"],
)
def test_what_breaks_the_contract_is_named_as_the_methods_fault(method, message):
    name = type(method).__name__
    with pytest.raises(ContractError, match=f"Method {name} of module .* broke its contract: .*{message}"):
        list(replay(method, TASKS, PURITY))


class Counting(ByTurns):
    """Notes its predictions, and when its state was taken, outside of itself; remembers nothing, unless told to."""

    diary: ClassVar[list[str]] = []

    def __init__(self, *, remembers=False):
        super().__init__()
        self.remembers = remembers

    def partial_fit(self, task):
        self.labels_ = np.full(task.n_samples, round(task.X.sum()))
        if self.remembers:
            self.last_ = task.name
        return self

    def predict(self, task):
        self.diary.append(f"predict {task.name}")
        return np.full(task.n_samples, round(task.X.sum()))

    def __getstate__(self):
        self.diary.append("state")
        return super().__getstate__()


@pytest.mark.parametrize(("remembers", "asked"), [(False, [1, 2]), (True, [1, 1, 2])])
def test_a_method_is_asked_again_only_when_its_state_has_changed(remembers, asked):
    Counting.diary.clear()
    list(replay(Counting(remembers=remembers), TASKS, PURITY))
    assert [line for line in Counting.diary if line != "state"] == [f"predict task-{i}" for i in asked]


def test_a_task_is_lent_for_learning_and_for_each_prediction_and_given_back_before_the_state_is_taken():
    Counting.diary.clear()

    @contextmanager
    def lend(task):
        Counting.diary.append(f"lend {task.name}")
        yield task
        Counting.diary.append(f"back {task.name}")

    list(replay(Counting(), TASKS[:2], PURITY, hand_over=lend))
    assert Counting.diary == [
        "lend task-1", "back task-1", "state",
        "lend task-2", "back task-2", "state", "lend task-1", "predict task-1", "back task-1",
    ]  # fmt: skip


def test_a_method_sees_the_lent_task_and_not_the_original():
    @contextmanager
    def lend(task):
        yield Task(task.name, np.ones((60, 12)), 3)

    steps = list(replay(Counting(), TASKS, PURITY, hand_over=lend))
    assert {int(label) for step in steps for labels in step.labels.values() for label in labels} == {60 * 12}
