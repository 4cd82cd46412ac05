"""Checks of a method on data: read-only, sparse or permuted samples, and hard tasks."""

from __future__ import annotations

import pickle
from itertools import chain

import numpy as np
from scipy import sparse

from lcbench.contract.metric import Contingency
from lcbench.contract.specs import Setting
from lcbench.contract.stream import content_digest
from lcbench.contract.task import IntArray, LabelledTask, Matrix, Task
from lcbench.registry.plugin_code import READ_ONLY
from lcbench.running.harness import checked_labels
from lcbench.testing.checks import CheckList, SkippedError
from lcbench.testing.example_tasks import HARD_TASKS, as_sparse, classes, far_groups
from lcbench.testing.subjects import MethodSubject, learning

DATA_CHECKS = CheckList()
_ANSWER = "Cluster such a task, or raise lcbench.UnsuitableTaskError with a sentence that says what to do."


@DATA_CHECKS.add("Work on a copy: X = task.X.copy().")
def check_data_untouched(subject: MethodSubject) -> None:
    """Neither `partial_fit` nor `predict` writes to the data of a task, even where it could."""
    for tasks in subject.streams:
        copies: tuple[Task, ...] = pickle.loads(pickle.dumps(tuple(tasks)))
        for copy in copies:
            object.__setattr__(copy, "X", _writable(copy.X))
        subject.learn_and_predict(copies)
        for task, copy in zip(tasks, copies, strict=True):
            same = content_digest([LabelledTask(task, None)]) == content_digest([LabelledTask(copy, None)])
            assert same, f"{subject.name} changed the data of task '{task.name}'."


@DATA_CHECKS.add(f"{READ_ONLY}.")
def check_read_only(subject: MethodSubject) -> None:
    """It takes tasks whose data are read-only, dense and sparse, as every run hands them over."""
    for tasks in subject.streams:
        try:
            subject.learn_and_predict(tasks)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            kind = "sparse" if sparse.issparse(tasks[0].X) else "dense"
            raise AssertionError(f"{subject.name} cannot work on read-only {kind} data ({error}).") from error


@DATA_CHECKS.add("Let nothing depend on whether zeros are stored; refuse what you cannot take by UnsuitableTaskError.")
def check_dense_and_sparse(subject: MethodSubject) -> None:
    """Far groups are parted in the same way, whether their samples come dense or sparse."""
    dense, csr = (subject.labels(tasks) for tasks in (far_groups(), as_sparse(far_groups())))
    both = [name for name in dense if name in csr]
    if not both:
        raise SkippedError("it takes no sparse tasks, or no dense ones")
    for name in both:
        assert _same(dense[name], csr[name]), f"{subject.name} parts '{name}' differently when it is sparse."


@DATA_CHECKS.add("Let the order of samples decide nothing.")
def check_permuted_rows(subject: MethodSubject) -> None:
    """Far groups that were found are found in another order of the samples as well."""
    tasks, generator = far_groups(), np.random.default_rng(0)
    truth = {task.name: classes(task) for task in tasks}
    rows = {task.name: generator.permutation(task.n_samples) for task in tasks}
    permuted = tuple(Task(task.name, task.X[rows[task.name]], task.n_clusters) for task in tasks)
    found = subject.labels(tasks)
    if not found or not all(_same(labels, truth[name]) for name, labels in found.items()):
        raise SkippedError("it does not find groups that are far apart, so that there is nothing to compare")
    for name, labels in subject.labels(permuted).items():
        same = _same(labels, truth[name][rows[name]])
        assert same, f"{subject.name} finds other groups in '{name}' when its samples come in another order."


@DATA_CHECKS.add(_ANSWER, of_errors=True)
def check_one_task(subject: MethodSubject) -> None:
    """A stream of one task is clustered."""
    _answers(subject, "one task")


@DATA_CHECKS.add(_ANSWER, of_errors=True)
def check_tiny_tasks(subject: MethodSubject) -> None:
    """Tasks with as many samples as clusters, or one more, are clustered or refused in a sentence."""
    _answers(subject, "tiny tasks")


@DATA_CHECKS.add(_ANSWER, of_errors=True)
def check_zero_rows(subject: MethodSubject) -> None:
    """Tasks with samples that are all zero, and one of nothing else, are clustered or refused in a sentence."""
    _answers(subject, "zero rows")


@DATA_CHECKS.add(_ANSWER, of_errors=True)
def check_one_cluster(subject: MethodSubject) -> None:
    """Tasks of one cluster among others are clustered or refused in a sentence."""
    _answers(subject, "one cluster")


@DATA_CHECKS.add(_ANSWER, of_errors=True)
def check_more_clusters(subject: MethodSubject) -> None:
    """A task with more clusters than any before it is clustered or refused in a sentence."""
    _answers(subject, "more clusters than before")


@DATA_CHECKS.add(_ANSWER, of_errors=True)
def check_negative_features(subject: MethodSubject) -> None:
    """Tasks with negative features are clustered or refused in a sentence."""
    _answers(subject, "negative features")


def _answers(subject: MethodSubject, kind: str) -> None:
    """Hands over hard tasks; each gets labels that keep the contract, or is refused."""
    tasks, met = HARD_TASKS[kind], []
    method = subject.fresh()
    pooled = max(task.n_clusters for task in tasks) if method.setting is Setting.MULTI_TASK else 0
    for new, _ in learning(method, tasks):
        met.append(new)
        learned = (new, getattr(method, "labels_", None), "partial_fit")
        for task, labels, source in chain([learned], ((old, method.predict(old), "predict") for old in met)):
            checked = checked_labels(method, task, labels, source)
            found, most = len(np.unique(checked)), max(task.n_clusters, pooled)
            assert found <= most, f"{subject.name} gave {found} clusters to a task that has {most} ({source})."


def _same(one: IntArray, other: IntArray) -> bool:
    return Contingency(one, other).adjusted_rand_index == 1.0


def _writable(X: Matrix) -> Matrix:
    copy = X.copy()
    for array in (copy.data, copy.indices, copy.indptr) if sparse.issparse(copy) else (copy,):
        array.flags.writeable = True
    return copy
