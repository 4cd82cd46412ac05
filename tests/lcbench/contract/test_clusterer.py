from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from lcbench.contract.clusterer import Clusterer, SingleTaskClusterer
from lcbench.contract.specs import Setting


class Halves(SingleTaskClusterer):
    def predict(self, task):
        return np.arange(task.n_samples) * 2 // task.n_samples


class Counter(Clusterer):
    """Remembers how many tasks it has learned."""

    setting = Setting.LIFELONG

    def __init__(self, *, first=0):
        self.first = first

    def partial_fit(self, task):
        self.learned_ = getattr(self, "learned_", self.first) + 1
        self.labels_, self.objective_trace_ = np.zeros(task.n_samples, dtype=int), [1.0]
        return self

    def predict(self, task):
        return np.full(task.n_samples, self.learned_)


def test_the_pickle_holds_what_was_learned_without_the_results_for_the_last_task(make_task):
    method = Counter().partial_fit(make_task("a").task).partial_fit(make_task("b").task)
    copy = pickle.loads(pickle.dumps(method))
    assert vars(copy) == {"first": 0, "learned_": 2}
    assert hasattr(method, "labels_"), "pickling takes nothing from the method itself"
    assert (copy.predict(make_task("a").task) == 2).all()


def test_scikit_learn_clones_a_method_with_its_parameters_and_without_what_it_learned(make_task):
    copy = clone(Counter(first=5).partial_fit(make_task("a").task))
    assert vars(copy) == {"first": 5}


@pytest.mark.parametrize("missing", ["partial_fit", "predict"])
def test_a_method_without_partial_fit_or_predict_cannot_be_made(missing):
    methods = {name: lambda self, task: None for name in ("partial_fit", "predict") if name != missing}
    with pytest.raises(TypeError, match=missing):
        type("Unfinished", (Clusterer,), methods)()


def test_learning_is_predicting_and_leaves_no_trace(make_task):
    task = make_task("a").task
    method, fresh = Halves(), pickle.dumps(Halves())
    assert (method.partial_fit(task).labels_ == method.predict(task)).all()
    assert pickle.dumps(method) == fresh
    assert (method.setting, method.predicts_unseen) == (Setting.SINGLE_TASK, True)
