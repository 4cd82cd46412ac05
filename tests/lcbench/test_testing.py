from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from lcbench import testing
from lcbench.contract.clusterer import Clusterer
from lcbench.contract.specs import Setting
from lcbench.errors import UnknownTaskError, UnsuitableTaskError
from lcbench.testing import check_method

TICKS = count()  # changes at every use, and is not part of any method's state


class Sound(Clusterer):
    """Keeps the contract: random labels that hang on the seed, for tasks whose names it has learned."""

    setting = Setting.LIFELONG

    def __init__(self, *, share=0.5, random_state=None):
        self.share = share
        self.random_state = random_state

    def partial_fit(self, task):
        self.names_ = (*getattr(self, "names_", ()), task.name)
        self.labels_ = self.draw(task)
        return self

    def predict(self, task):
        if task.name not in self.names_:
            raise UnknownTaskError(f"never learned {task.name}")
        return self.draw(task)

    def draw(self, task):
        return (np.random.default_rng(self.random_state).random(task.n_samples) < self.share).astype(int)


class TextSetting(Sound):
    setting = "lifelong"


class Converts(Sound):
    def __init__(self, *, share=0.5):
        self.share = [share]


class DropsParameter(Sound):
    def __init__(self, *, share=0.5):
        self.random_state = 0


class WritesWhileLearning(Sound):
    def partial_fit(self, task):
        (task.X.data if sparse.issparse(task.X) else task.X)[0] = 0.0
        return super().partial_fit(task)


class WritesWhilePredicting(Sound):
    def predict(self, task):
        (task.X.data if sparse.issparse(task.X) else task.X)[0] = 0.0
        return super().predict(task)


class SwapsTheData(Sound):
    """The parts of a sparse matrix are read-only, but they can be replaced."""

    def partial_fit(self, task):
        if sparse.issparse(task.X):
            task.X.data = task.X.data + 1
        return super().partial_fit(task)


class ReturnsNothing(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)


class LabelsTheFirstTaskOnly(Sound):
    def partial_fit(self, task):
        if hasattr(self, "names_"):
            self.names_ = (*self.names_, task.name)
            return self
        return super().partial_fit(task)


class FloatLabels(Sound):
    def draw(self, task):
        return super().draw(task).astype(float)


class OneLabelTooFew(Sound):
    def draw(self, task):
        return super().draw(task)[1:]


class HoldsAFunction(Sound):
    def partial_fit(self, task):
        self.function_ = lambda: None
        return super().partial_fit(task)


class PicklesItsLabels(Sound):
    def __getstate__(self):
        return dict(vars(self))


class CountsPredictions(Sound):
    def predict(self, task):
        self.predictions_ = getattr(self, "predictions_", 0) + 1
        return super().predict(task)


class PredictsTooFew(Sound):
    def predict(self, task):
        return super().predict(task)[1:]


class Wavers(Sound):
    def predict(self, task):
        return super().predict(task) + next(TICKS)


class ForgetsInItsPickle(Sound):
    """Predicts from something that its pickle leaves out."""

    def partial_fit(self, task):
        self.offset_ = 1
        return super().partial_fit(task)

    def __getstate__(self):
        return {key: value for key, value in super().__getstate__().items() if key != "offset_"}

    def predict(self, task):
        return super().predict(task) + getattr(self, "offset_", 0)


class IgnoresItsSeed(Sound):
    def partial_fit(self, task):
        super().partial_fit(task)
        self.labels_ = self.labels_ + next(TICKS)
        return self


class Guesses(Sound):
    def predict(self, task):
        return self.draw(task)


class RaisesKeyError(Sound):
    def predict(self, task):
        return {name: self.draw(task) for name in self.names_}[task.name]


class PromisesTooMuch(Sound):
    predicts_unseen = True


class NoSparse(Sound):
    def partial_fit(self, task):
        if sparse.issparse(task.X):
            raise UnsuitableTaskError("dense data only")
        return super().partial_fit(task)


class NothingAtAll(Sound):
    def partial_fit(self, task):
        raise UnsuitableTaskError("no task is good enough")


def name_of(method) -> str:
    return method.__name__ if isinstance(method, type) else type(method).__name__


BROKEN = [
    ("check_setting", Sound, "Sound is not an instance of a subclass of lcbench.Clusterer."),
    ("check_setting", TextSetting(), "TextSetting has no setting, or one that is not an lcbench.Setting."),
    ("check_constructor", Converts(), "Converts does not store its parameters as they are in its constructor: "),
    ("check_constructor", DropsParameter(), "DropsParameter does not store its parameters as they are in its con"),
    ("check_data_untouched", WritesWhileLearning(), "WritesWhileLearning writes to the data of a task (assignment "),
    ("check_data_untouched", WritesWhilePredicting(), "WritesWhilePredicting writes to the data of a task (assign"),
    ("check_data_untouched", SwapsTheData(), "SwapsTheData changed the data of task 'blobs-1'."),
    ("check_partial_fit", ReturnsNothing(), "ReturnsNothing does not return itself from partial_fit: end it with"),
    ("check_partial_fit", LabelsTheFirstTaskOnly(), "partial_fit set no labels_ for task 'blobs-2'."),
    ("check_partial_fit", FloatLabels(), "partial_fit gave labels of type float64 for task 'blobs-1'; labels are"),
    ("check_partial_fit", OneLabelTooFew(), "partial_fit gave labels of shape (23,) for the 24 samples of task"),
    ("check_state", HoldsAFunction(), "its state cannot be pickled"),
    ("check_state", PicklesItsLabels(), "PicklesItsLabels keeps labels_ in its pickle: __getstate__ of Clusterer"),
    ("check_predict", CountsPredictions(), "CountsPredictions changed its state when it predicted task 'blobs-1'."),
    ("check_predict", PredictsTooFew(), "predict gave labels of shape (23,) for the 24 samples of task 'blobs-1'."),
    ("check_predict", Wavers(), "Wavers predicts other labels when it is asked for task 'blobs-1' again."),
    ("check_predict", ForgetsInItsPickle(), "ForgetsInItsPickle predicts other labels when it is asked for task "),
    ("check_repeatable", IgnoresItsSeed(), "IgnoresItsSeed gives task 'blobs-1' other labels in a fresh instance"),
    ("check_unknown_task", Guesses(), "Guesses returns labels when it predicts a task that it never learned: with "
     "predicts_unseen = False a method raises UnknownTaskError."),
    ("check_unknown_task", RaisesKeyError(), "RaisesKeyError raises KeyError when it predicts a task that it never"),
    ("check_unknown_task", PromisesTooMuch(), "PromisesTooMuch raises UnknownTaskError when it predicts a task that "
     "it never learned: with predicts_unseen = True a method returns labels."),
]  # fmt: skip
every_broken_method = pytest.mark.parametrize(
    ("check", "method", "sentence"), BROKEN, ids=[name_of(method) for _, method, _ in BROKEN]
)


@every_broken_method
def test_a_broken_method_fails_the_check_of_what_it_broke_with_its_class_named(check, method, sentence):
    with pytest.raises(AssertionError) as caught:
        getattr(testing, check)(method, testing.example_tasks(sparse.csr_array))
    assert sentence in str(caught.value)
    assert name_of(method) in str(caught.value)


@every_broken_method
def test_a_broken_method_fails_all_checks_together_with_the_same_sentence(check, method, sentence):
    with pytest.raises(AssertionError) as caught:
        check_method(method)
    assert sentence in str(caught.value)


def test_every_check_has_a_method_that_fails_it():
    written = {name for name in vars(testing) if name.startswith("check_")} - {"check_method"}
    assert {check.__name__ for check in testing.CHECKS} == written == {check for check, _, _ in BROKEN}


@pytest.mark.parametrize("method", [Sound(), Sound(share=0.2, random_state=3), NoSparse()], ids=repr)
def test_a_method_that_keeps_the_contract_passes_and_is_left_as_it_was(method):
    before = dict(vars(method))
    check_method(method)
    assert vars(method) == before


def test_a_method_that_refuses_every_task_is_not_said_to_be_good():
    with pytest.raises(AssertionError, match="NothingAtAll refused every task, so that nothing was checked"):
        check_method(NothingAtAll())
    with pytest.raises(AssertionError, match="NoSparse refused every task"):
        check_method(NoSparse(), testing.example_tasks(sparse.csr_array))


def test_a_method_can_be_checked_on_tasks_of_its_authors_own(make_task):
    tasks = [make_task("mine", n=15).task]
    check_method(Sound(), tasks)
    with pytest.raises(AssertionError, match=r"shape \(14,\) for the 15 samples of task 'mine'"):
        check_method(OneLabelTooFew(), tasks)


def test_an_error_of_the_methods_own_is_not_hidden():
    class Crashes(Sound):
        def partial_fit(self, task):
            raise ValueError("singular matrix")

    with pytest.raises(ValueError, match="singular matrix"):
        check_method(Crashes())


def test_the_method_of_the_sample_plugin_passes(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "sample_plugin"))
    from lcbench_sample.carry_kmeans import CarryKMeans

    check_method(CarryKMeans())
