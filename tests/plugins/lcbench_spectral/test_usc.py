from __future__ import annotations

import numpy as np

import lcbench
from lcbench.contract.task import LabelledTask
from lcbench_spectral.stsc import StSC
from lcbench_spectral.usc import USC


def test_pooled_spectral_clustering_of_one_task_is_stsc():
    task = lcbench.load_stream("digits").tasks()[0].task
    assert (USC().partial_fit(task).labels_ == StSC().partial_fit(task).labels_).all()


def test_pooled_spectral_clustering_is_stsc_of_the_stacked_tasks(make_task):
    a, b = make_task("a", seed=0), make_task("b", seed=1, n=45)
    pooled = USC().partial_fit(a.task).partial_fit(b.task)
    stacked = LabelledTask.from_arrays("a", np.vstack([a.task.X, b.task.X]), np.concatenate([a.y, b.y]))
    both = np.concatenate([pooled.predict(a.task), pooled.labels_])
    assert (both == StSC().predict(stacked.task)).all()
