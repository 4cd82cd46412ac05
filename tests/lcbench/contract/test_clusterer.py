from __future__ import annotations

import pickle

import numpy as np
import pytest
from making import make_task
from sklearn.base import clone
from small_methods import Counter

from lcbench.contract.clusterer import Clusterer, SingleTaskClusterer
from lcbench.contract.specs import Setting

TASK = make_task("a").task


class Halves(SingleTaskClusterer):
    def predict(self, task):
        return np.arange(task.n_samples) * 2 // task.n_samples


class Traced(Counter):
    """A method with a parameter and with a result beside the labels."""

    def __init__(self, *, first=0):
        self.first = first

    def partial_fit(self, task):
        self.objective_trace_ = [1.0]
        return super().partial_fit(task)


def test_the_pickle_holds_what_was_learned_without_the_results_for_the_last_task():
    method = Traced().partial_fit(TASK).partial_fit(make_task("b").task)
    copy = pickle.loads(pickle.dumps(method))
    assert vars(copy) == {"first": 0, "learned_": ["a", "b"]}
    assert hasattr(method, "labels_"), "pickling takes nothing from the method itself"
    assert (copy.predict(TASK) == 2).all()


def test_scikit_learn_clones_a_method_with_its_parameters_and_without_what_it_learned():
    assert vars(clone(Traced(first=5).partial_fit(TASK))) == {"first": 5}


@pytest.mark.parametrize("missing", ["partial_fit", "predict"])
def test_a_method_without_partial_fit_or_predict_cannot_be_made(missing):
    methods = {name: lambda self, task: None for name in ("partial_fit", "predict") if name != missing}
    with pytest.raises(TypeError, match=missing):
        type("Unfinished", (Clusterer,), methods)()


def test_learning_is_predicting_and_leaves_no_trace():
    method, fresh = Halves(), pickle.dumps(Halves())
    assert (method.partial_fit(TASK).labels_ == method.predict(TASK)).all()
    assert pickle.dumps(method) == fresh
    assert (method.setting, method.predicts_unseen) == (Setting.SINGLE_TASK, True)
