from __future__ import annotations

import pickle
from contextlib import contextmanager
from typing import ClassVar

import numpy as np
import pytest

from lcbench.contract.clusterer import Clusterer
from lcbench.contract.metric import ExternalMetric
from lcbench.contract.specs import Setting
from lcbench.contract.task import Task
from lcbench.errors import ContractError, ParameterError, UnknownTaskError
from lcbench.running.harness import replay
from lcbench_indices.matching import Purity

PURITY = {"purity": Purity()}


class Diary(Clusterer):
    """Notes the tasks it is asked for; labels are the number of tasks it has learned."""

    setting: ClassVar[Setting] = Setting.LIFELONG
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


class Closed(Diary):
    predicts_unseen: ClassVar[bool] = False

    def predict(self, task):
        if task.name not in self.learned_:
            raise UnknownTaskError(task.name)
        return super().predict(task)


class OnlyOnce(Diary):
    def partial_fit(self, task):
        if not hasattr(self, "seen_"):
            self.seen_, self.labels_ = True, np.zeros(task.n_samples, dtype=int)
        return self


class Mute(Diary):
    def predict(self, task):
        return None


class Shifted(ExternalMetric):
    def score(self, table):
        raise RuntimeError("no such thing")


def test_every_task_seen_is_scored_after_each_arrival(blob_stream):
    rows = [step.scores["purity"] for step in replay(Diary(), blob_stream.tasks(), PURITY)]
    third = pytest.approx(1 / 3)
    assert rows == [[third, None, None], [third, third, None], [third, third, third]]


@pytest.mark.parametrize(
    ("evaluate", "scored"), [("all", [1, 1, 1]), ("last", [0, 0, 1]), ("every:2", [0, 1, 1]), ("every:9", [0, 0, 1])]
)
def test_evaluate_chooses_the_steps_and_the_last_is_always_scored(blob_stream, evaluate, scored):
    steps = list(replay(Diary(), blob_stream.tasks(), PURITY, evaluate=evaluate))
    assert [step.scores["purity"][0] is not None for step in steps] == [bool(s) for s in scored]
    assert None not in steps[-1].scores["purity"]


def test_future_tasks_are_scored_for_methods_that_can(blob_stream):
    tasks = blob_stream.tasks()
    assert None not in next(replay(Diary(), tasks, PURITY, future=True)).scores["purity"]
    assert next(replay(Closed(), tasks, PURITY, future=True)).scores["purity"][1:] == [None, None]


def test_scoring_teaches_the_method_nothing(blob_stream):
    method = Diary()
    list(replay(method, blob_stream.tasks(), PURITY, future=True))
    assert method.learned_ == ["task-1", "task-2", "task-3"]


def test_the_task_just_learned_is_scored_from_labels_and_old_ones_from_predict(blob_stream):
    step = list(replay(Diary(), blob_stream.tasks()[:2], PURITY))[1]
    assert set(step.labels["task-2"]) == {2}
    assert min(step.labels["task-1"]) >= 10


def test_state_bytes_is_the_length_of_the_pickle_without_the_last_labels(blob_stream):
    method = Diary(trace=[1.0, 2.0])
    step = next(replay(method, blob_stream.tasks(), PURITY))
    assert hasattr(method, "labels_")
    assert step.state_bytes == len(pickle.dumps(method, protocol=pickle.HIGHEST_PROTOCOL))
    assert not hasattr(pickle.loads(pickle.dumps(method)), "labels_")
    assert step.objective_trace == [1.0, 2.0]


def test_times_are_logged_for_every_step(blob_stream):
    steps = list(replay(Diary(), blob_stream.tasks(), PURITY))
    assert all(step.learn_seconds > 0 for step in steps)
    assert steps[0].predict_seconds == 0
    assert steps[1].predict_seconds > 0


def broken(**attributes):
    return type("Broken", (Diary,), attributes)()


def set_labels(value):
    def partial_fit(self, task):
        if value is not None:
            self.labels_ = value
        return self

    return partial_fit


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, "set no labels_"),
        (np.zeros(7, dtype=int), r"labels of shape \(7,\) for the 60 samples"),
        (np.zeros((60, 1), dtype=int), r"shape \(60, 1\)"),
        (np.zeros(60), "labels of type float64"),
        (["a"] * 60, "labels are integers"),
    ],
)
def test_labels_that_break_the_contract_are_named_as_the_methods_fault(blob_stream, labels, message):
    method = broken(partial_fit=set_labels(labels))
    with pytest.raises(ContractError, match=f"Method Broken .* broke its contract: .*{message}"):
        next(replay(method, blob_stream.tasks(), PURITY))


def test_labels_of_the_task_before_are_not_taken_for_those_of_this_task(blob_stream):
    with pytest.raises(ContractError, match="set no labels_ for task 'task-2'"):
        list(replay(OnlyOnce(), blob_stream.tasks(), PURITY))


def test_predict_is_held_to_the_contract_too(blob_stream):
    with pytest.raises(ContractError, match="predict returned nothing for task 'task-1'"):
        list(replay(Mute(), blob_stream.tasks(), PURITY))


def test_a_state_that_cannot_be_pickled_is_the_methods_fault(blob_stream):
    method = Diary()
    method.secret_ = lambda: None
    with pytest.raises(ContractError, match="cannot be pickled"):
        next(replay(method, blob_stream.tasks(), PURITY))


def test_a_metric_that_raises_gets_a_warning_and_loses_only_its_own_cells(blob_stream, caplog):
    step = next(replay(Diary(), blob_stream.tasks(), {"shifted": Shifted(), **PURITY}))
    assert step.scores["shifted"][0] is None
    assert step.scores["purity"][0] is not None
    assert "Metric 'shifted' failed on task 'task-1': RuntimeError: no such thing" in caplog.text


def test_a_wrong_evaluate_is_refused(blob_stream):
    with pytest.raises(ParameterError, match="all, last or every:N"):
        next(replay(Diary(), blob_stream.tasks(), PURITY, evaluate="every:0"))


def test_an_objective_that_is_not_finite_is_null(blob_stream):
    step = next(replay(Diary(trace=[1.0, np.nan, np.inf]), blob_stream.tasks(), PURITY))
    assert step.objective_trace == [1.0, None, None]


class Counting(Diary):
    """Counts its predictions outside of itself; remembers nothing, unless told to."""

    asked: ClassVar[list[str]] = []

    def __init__(self, *, remembers=False):
        self.remembers = remembers

    def partial_fit(self, task):
        self.labels_ = np.zeros(task.n_samples, dtype=int)
        if self.remembers:
            self.last_ = task.name
        return self

    def predict(self, task):
        self.asked.append(task.name)
        return np.zeros(task.n_samples, dtype=int)


@pytest.mark.parametrize(
    ("remembers", "asked"), [(False, ["task-1", "task-2"]), (True, ["task-1", "task-1", "task-2"])]
)
def test_a_method_is_asked_again_only_when_its_state_has_changed(blob_stream, remembers, asked):
    Counting.asked.clear()
    list(replay(Counting(remembers=remembers), blob_stream.tasks(), PURITY))
    assert Counting.asked == asked


class Sums(Diary):
    """Its labels are the sum of the data it is handed; `diary` says when its state was taken."""

    diary: ClassVar[list[str]] = []

    def partial_fit(self, task):
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.full(task.n_samples, round(task.X.sum()))

    def __getstate__(self):
        self.diary.append("state")
        return super().__getstate__()


def test_a_task_is_lent_for_learning_and_for_each_prediction_and_given_back_before_the_state_is_taken(blob_stream):
    Sums.diary.clear()

    @contextmanager
    def lend(task):
        Sums.diary.append(f"lend {task.name}")
        yield task
        Sums.diary.append(f"back {task.name}")

    list(replay(Sums(), blob_stream.tasks()[:2], PURITY, hand_over=lend))
    assert Sums.diary == [
        "lend task-1", "back task-1", "state",
        "lend task-2", "back task-2", "state", "lend task-1", "back task-1",
    ]  # fmt: skip


def test_a_method_sees_the_lent_task_and_not_the_original(blob_stream):
    other = np.ones((60, 12))

    @contextmanager
    def lend(task):
        yield Task(task.name, other, 3)

    steps = list(replay(Sums(), blob_stream.tasks(), PURITY, hand_over=lend))
    assert {int(label) for step in steps for labels in step.labels.values() for label in labels} == {60 * 12}
