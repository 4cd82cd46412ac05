from __future__ import annotations

import pickle

import numpy as np

from lcbench.contract.clusterer import SingleTaskClusterer
from lcbench.contract.specs import Setting


class Halves(SingleTaskClusterer):
    def predict(self, task):
        return np.arange(task.n_samples) * 2 // task.n_samples


def test_learning_is_predicting_and_leaves_no_trace(make_task):
    task = make_task("a").task
    method, fresh = Halves(), pickle.dumps(Halves())
    assert (method.partial_fit(task).labels_ == method.predict(task)).all()
    assert pickle.dumps(method) == fresh
    assert (method.setting, method.predicts_unseen) == (Setting.SINGLE_TASK, True)
