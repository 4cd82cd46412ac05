"""Checks of a method's contract: constructor, spec, labels, predictions, pickles and seeds."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from lcbench.contract.clusterer import OUTPUTS, Clusterer
from lcbench.contract.specs import Setting
from lcbench.contract.task import IntArray, Task
from lcbench.errors import UnknownTaskError
from lcbench.registry.spec_check import method_differences
from lcbench.running.harness import checked_labels, pickled_state
from lcbench.running.randomness import GlobalGenerators
from lcbench.testing.checks import CheckList
from lcbench.testing.subjects import MethodSubject, agrees_with_spec, learning

CONTRACT_CHECKS = CheckList()


@CONTRACT_CHECKS.add("Derive the class from lcbench.Clusterer and write `setting = Setting.LIFELONG`, say, in it.")
def check_class(subject: MethodSubject) -> None:
    """It is an instance of Clusterer, and its `setting` is a Setting."""
    method = subject.build()
    assert isinstance(method, Clusterer), f"{type(method).__name__} is not derived from lcbench.Clusterer."
    assert isinstance(getattr(method, "setting", None), Setting), f"{subject.name} has no setting that is a Setting."


@CONTRACT_CHECKS.add("Let __init__ take keywords with defaults, do `self.name = name` for each, and nothing else.")
def check_constructor(subject: MethodSubject) -> None:
    """The constructor stores every parameter as it is, under its own name."""
    method = subject.build()
    try:
        clone(method)
        stored = method.get_params(deep=False)
    except (AttributeError, RuntimeError, TypeError) as error:
        raise AssertionError(f"{subject.name} does not store its parameters as they are: {error}") from error
    if subject.spec is not None:
        positional = [
            parameter.name
            for parameter in inspect.signature(type(method)).parameters.values()
            if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
        ]
        assert not positional, f"{subject.name} has parameters without a default: {', '.join(positional)}."
    assert set(vars(method)) <= {*stored}, (
        f"{subject.name} does more in its constructor than store parameters: it sets "
        f"{', '.join(sorted(set(vars(method)) - set(stored)))}."
    )


@CONTRACT_CHECKS.add("Make the MethodSpec and the class say the same.")
def check_spec(subject: MethodSubject) -> None:
    """The spec says what the class is: parameters, defaults and setting."""
    agrees_with_spec(subject, method_differences)


@CONTRACT_CHECKS.add("End partial_fit with `return self`, after `self.labels_ = ...`: an integer for every sample.")
def check_labels(subject: MethodSubject) -> None:
    """`partial_fit` returns the method itself and sets `labels_`, one integer per sample."""
    taken = False
    for tasks in subject.streams:
        fresh = subject.fresh()
        for task, returned in learning(fresh, tasks):
            taken = True
            assert returned is fresh, f"{subject.name} does not return itself from partial_fit."
            checked_labels(fresh, task, getattr(fresh, "labels_", None), "partial_fit")
    assert taken, f"{subject.name} refused every task, so that nothing was checked: hand over tasks that it takes."


@CONTRACT_CHECKS.add("Return one integer for every sample of the task from predict.")
def check_predict(subject: MethodSubject) -> None:
    """`predict` returns one integer per sample for every task that was learned."""
    for method, task in _learned(subject):
        checked_labels(method, task, method.predict(task), "predict")


@CONTRACT_CHECKS.add("A task has task.n_clusters clusters: merge those that are too many.")
def check_clusters(subject: MethodSubject) -> None:
    """No task gets more clusters than it asks for; one of a pooled, multi-task method no more than the largest."""
    for tasks in subject.streams:
        fresh = subject.fresh()
        pooled = max(task.n_clusters for task in tasks) if fresh.setting is Setting.MULTI_TASK else 0
        met = []
        for task, _ in learning(fresh, tasks):
            met.append(task)
            for each, labels in ((task, fresh.labels_), *((old, fresh.predict(old)) for old in met)):
                found, most = len(set(np.asarray(labels).tolist())), max(each.n_clusters, pooled)
                assert found <= most, f"{subject.name} gave {found} clusters to a task that has {most}."


@CONTRACT_CHECKS.add("Let predict work on copies: set no attribute, and move no random generator that is kept.")
def check_predict_changes_nothing(subject: MethodSubject) -> None:
    """`predict` changes nothing and gives the same labels again."""
    for method, task in _learned(subject):
        before = pickled_state(method)
        labels = method.predict(task)
        assert pickled_state(method) == before, f"{subject.name} changed its state when it predicted '{task.name}'."
        again = method.predict(task)
        assert np.array_equal(labels, again), f"{subject.name} predicts '{task.name}' differently when asked again."


@CONTRACT_CHECKS.add("Raise lcbench.UnknownTaskError for a task that was never learned, or set predicts_unseen = True.")
def check_unseen_task(subject: MethodSubject) -> None:
    """`predict` of a task that it never learned gives labels if `predicts_unseen`, else it raises UnknownTaskError."""
    for method, task in _learned(subject):
        wanted = "labels" if method.predicts_unseen else "UnknownTaskError"
        try:
            method.predict(Task(f"{task.name}, never learned", task.X, task.n_clusters, task.feature_names))
            answer = "labels"
        except UnknownTaskError:
            answer = "UnknownTaskError"
        except Exception as error:
            if method.predicts_unseen:  # it is told what it raised, not what it should have raised
                raise
            answer = type(error).__name__
        assert answer == wanted, (
            f"{subject.name} answers with {answer} when it predicts a task that it never learned; with "
            f"predicts_unseen = {method.predicts_unseen} that is {wanted}."
        )


@CONTRACT_CHECKS.add(
    "Keep all that predict and partial_fit need in attributes that pickle: no lambdas, no open files; and take all "
    "randomness from random_state."
)
def check_pickle(subject: MethodSubject) -> None:
    """It pickles without its results for the last task, and the copy goes on with the same labels."""
    for tasks in subject.streams:
        method, accepted = subject.learned(tasks[:-1])
        copy = pickle.loads(pickled_state(method))
        for name in OUTPUTS:
            assert name not in vars(copy), f"{subject.name} keeps {name} in its pickle, which Clusterer leaves out."
        for task in accepted:
            same = np.array_equal(method.predict(task), copy.predict(task))
            assert same, f"{subject.name} predicts '{task.name}' differently from its pickle."
        for task, _ in learning(method, tasks[-1:]):
            copy.partial_fit(task)
            same = np.array_equal(method.labels_, copy.labels_)
            assert same, f"{subject.name} learns '{task.name}' differently from its pickle."


@CONTRACT_CHECKS.add("Take all randomness from random_state: np.random.default_rng(self.random_state), say.")
def check_seed(subject: MethodSubject) -> None:
    """Fresh instances with the same `random_state` give the same labels, whatever the global generators do."""
    for tasks in subject.streams:
        one, other = (_labels_under(subject, tasks, seed) for seed in (1, 2))
        for name in one:
            same = np.array_equal(one[name], other[name])
            assert same, f"{subject.name} gives '{name}' other labels in a fresh instance with the same seed."


def _labels_under(subject: MethodSubject, tasks: Sequence[Task], seed: int) -> dict[str, IntArray]:
    """The labels of a fresh instance, with the global generators of Python and numpy set to a seed."""
    with GlobalGenerators(seed):
        return subject.labels(tasks)


def _learned(subject: MethodSubject) -> Iterator[tuple[Any, Task]]:
    """A method that has learned all tasks, with each of those that it did not refuse, dense and sparse."""
    for tasks in subject.streams:
        method, accepted = subject.learned(tasks)
        for task in accepted:
            yield method, task
