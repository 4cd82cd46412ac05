"""Checks for authors of methods: `check_method` tests that a method keeps its contract.

Each check works on fresh copies of the method and raises AssertionError with one sentence that names the class and
what it broke. Tasks that the method refuses with UnsuitableTaskError are passed over.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from lcbench.contract.clusterer import OUTPUTS, Clusterer
from lcbench.contract.specs import Setting
from lcbench.contract.stream import content_digest
from lcbench.contract.task import LabelledTask, Task
from lcbench.errors import ContractError, UnsuitableTaskError
from lcbench.running.harness import checked_labels, pickled_state

__all__ = ["check_method"]


def check_method(method: Clusterer, tasks: Sequence[Task] | None = None) -> None:
    """Run every check on `method`: on `tasks`, or on small dense and sparse tasks that are made here."""
    streams = [tasks] if tasks is not None else [example_tasks(np.asarray), example_tasks(sparse.csr_array)]
    for stream in streams:
        for check in CHECKS:
            check(method, stream)
    if not any(_learned(method, stream)[1] for stream in streams):
        raise _broken(method, "refused every task, so that nothing was checked: hand over tasks that it takes")


def example_tasks(container: Any) -> tuple[Task, ...]:
    """Two tasks of far, non-negative blobs of different sizes; `container` makes their matrices dense or sparse."""
    generator, centres = np.random.default_rng(0), np.kron(np.eye(3), np.ones(3))
    return tuple(
        Task(name, container(centres[np.arange(n) % k] + 0.05 * generator.random((n, 9))), k)
        for name, n, k in (("blobs-1", 24, 3), ("blobs-2", 20, 2))
    )


@contextmanager
def _contract_errors_fail() -> Iterator[None]:
    """Turns the harness's ContractError, whose sentence names the class, into an AssertionError."""
    try:
        yield
    except ContractError as error:
        raise AssertionError(str(error)) from error


def check_setting(method: Clusterer, tasks: Sequence[Task]) -> None:
    """The method is an instance of Clusterer, and its `setting` is a Setting."""
    if not isinstance(method, Clusterer):
        raise _broken(method, "is not an instance of a subclass of lcbench.Clusterer")
    if not isinstance(getattr(method, "setting", None), Setting):
        raise _broken(method, "has no setting, or one that is not an lcbench.Setting")


def check_constructor(method: Clusterer, tasks: Sequence[Task]) -> None:
    """The constructor stores its parameters as they are: scikit-learn can clone the method."""
    try:
        clone(method)
    except (AttributeError, RuntimeError, TypeError) as error:
        raise _broken(method, f"does not store its parameters as they are in its constructor: {error}") from error


def check_data_untouched(method: Clusterer, tasks: Sequence[Task]) -> None:
    """Neither `partial_fit` nor `predict` writes to the data of a task."""
    fresh, copies = _fresh(method), pickle.loads(pickle.dumps(tuple(tasks)))  # other checks must not see damage
    try:
        for task, _ in _learning(fresh, copies):
            fresh.predict(task)
    except ValueError as error:
        if "read-only" in str(error):
            raise _broken(method, f"writes to the data of a task ({error})") from error
        raise
    for task, copy in zip(tasks, copies, strict=True):
        if content_digest([LabelledTask(task, None)]) != content_digest([LabelledTask(copy, None)]):
            raise _broken(method, f"changed the data of task '{task.name}'")


@_contract_errors_fail()
def check_partial_fit(method: Clusterer, tasks: Sequence[Task]) -> None:
    """`partial_fit` returns the method itself and sets `labels_`, one integer per sample."""
    fresh = _fresh(method)
    for task, returned in _learning(fresh, tasks):
        if returned is not fresh:
            raise _broken(method, "does not return itself from partial_fit: end it with 'return self'")
        checked_labels(fresh, task, getattr(fresh, "labels_", None), "partial_fit")


@_contract_errors_fail()
def check_state(method: Clusterer, tasks: Sequence[Task]) -> None:
    """The method pickles, and the pickle leaves out its results for the last task."""
    state = vars(pickle.loads(pickled_state(_learned(method, tasks)[0])))
    for name in OUTPUTS:
        if name in state:
            raise _broken(method, f"keeps {name} in its pickle: __getstate__ of Clusterer leaves it out")


@_contract_errors_fail()
def check_predict(method: Clusterer, tasks: Sequence[Task]) -> None:
    """`predict` changes nothing and gives the same labels again, also from a pickled copy."""
    learned, accepted = _learned(method, tasks)
    for task in accepted:
        before = pickled_state(learned)
        labels = checked_labels(learned, task, learned.predict(task), "predict")
        if pickled_state(learned) != before:
            raise _broken(method, f"changed its state when it predicted task '{task.name}'")
        for again in (learned, pickle.loads(before)):
            if not np.array_equal(labels, again.predict(task)):
                raise _broken(method, f"predicts other labels when it is asked for task '{task.name}' again")


def check_repeatable(method: Clusterer, tasks: Sequence[Task]) -> None:
    """Two fresh instances with the same `random_state` give the same labels."""
    one, other = _fresh(method), _fresh(method)
    for task, _ in _learning(one, tasks):
        if not np.array_equal(one.labels_, other.partial_fit(task).labels_):
            raise _broken(method, f"gives task '{task.name}' other labels in a fresh instance with the same seed")


def check_unknown_task(method: Clusterer, tasks: Sequence[Task]) -> None:
    """`predict` of a task that was never learned raises UnknownTaskError, unless `predicts_unseen` is true."""
    learned, accepted = _learned(method, tasks)
    for task in accepted[:1]:
        answer, wanted = "returns labels", "returns labels" if method.predicts_unseen else "raises UnknownTaskError"
        try:
            learned.predict(Task(f"{task.name}, never learned", task.X, task.n_clusters, task.feature_names))
        except Exception as error:
            answer = f"raises {type(error).__name__}"
        if answer != wanted:
            rule = f"with predicts_unseen = {method.predicts_unseen} a method {wanted}"
            raise _broken(method, f"{answer} when it predicts a task that it never learned: {rule}")


CHECKS = (
    check_setting, check_constructor, check_data_untouched, check_partial_fit, check_state, check_predict,
    check_repeatable, check_unknown_task,
)  # fmt: skip


def _fresh(method: Clusterer) -> Clusterer:
    """A copy of the method that has learned nothing, with its seed set as in a run."""
    fresh: Clusterer = clone(method)
    return fresh.set_params(random_state=0) if "random_state" in fresh.get_params(deep=False) else fresh


def _learning(fresh: Clusterer, tasks: Sequence[Task]) -> Iterator[tuple[Task, Any]]:
    """Hands over the tasks one by one; yields each that was not refused, with what `partial_fit` returned."""
    for task in tasks:
        fresh.__dict__.pop("labels_", None)  # labels of the task before must not pass for this one's
        try:
            returned = fresh.partial_fit(task)
        except UnsuitableTaskError:
            continue
        yield task, returned


def _learned(method: Clusterer, tasks: Sequence[Task]) -> tuple[Clusterer, list[Task]]:
    """A fresh copy of the method that has learned `tasks`, and those of them that it did not refuse."""
    fresh = _fresh(method)
    return fresh, [task for task, _ in _learning(fresh, tasks)]


def _broken(method: object, what: str) -> AssertionError:
    name = method.__name__ if isinstance(method, type) else type(method).__name__
    return AssertionError(f"{name} {what}.")
