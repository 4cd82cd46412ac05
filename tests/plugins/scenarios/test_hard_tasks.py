"""Tasks at the edge of what is possible, through every method of the L2SC paper and its ancestors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from lcbench.contract.metric import Contingency
from lcbench.contract.task import Task
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_multitask.lssmtc import LSSMTC
from lcbench_multitask.mbc import MBC
from lcbench_multitask.mtcmrl import MTCMRL
from lcbench_multitask.smbc import SMBC
from lcbench_multitask.smkc import SMKC
from lcbench_spectral.onestepsc import OnestepSC
from lcbench_spectral.tsc import TSC

METHODS = [
    OnestepSC(),
    TSC(),
    MBC(),
    MBC(divergence="kl"),
    SMBC(),
    SMBC(divergence="kl"),
    SMKC(max_iter=10),
    SMKC(max_iter=10, kernel="gaussian"),
    MTCMRL(max_iter=10),
    LSSMTC(max_iter=20),
]
every_method = pytest.mark.parametrize("method", METHODS, ids=str)


def groups(n: int, k: int, seed: int = 0) -> np.ndarray:
    """`k` far groups of 12 features."""
    generator = np.random.default_rng(seed)
    return np.kron(np.eye(k), np.ones(12 // k))[np.arange(n) % k] + 0.05 * generator.random((n, 12))


X = groups(30, 3)
STREAMS = {
    "different numbers of clusters": [(groups(40, 4), 4), (groups(30, 2), 2), (X, 3)],
    "one cluster among others": [(X, 1), (X, 3), (X, 1)],
    "one cluster everywhere": [(X, 1), (X, 1)],
    "as many samples as clusters": [(X[:3], 3), (X, 3), (X[3:6], 3)],
    "one sample more than clusters": [(X[:4], 3), (X[4:8], 3)],
    "one sample": [(X[:1], 1), (X[:1], 1)],
    "zero rows": [(np.vstack([X, np.zeros((4, 12))]), 3), (X[::-1], 3)],
    "nothing but zeros": [(np.zeros((9, 12)), 3), (X, 3)],
    "every row many times": [(np.repeat(groups(6, 3), 6, axis=0), 3), (np.repeat(X[:3], 9, axis=0), 2)],
    "all rows equal": [(np.ones((12, 12)), 3), (X, 3)],
    "the same task twice": [(X, 3), (X, 3)],
    "more clusters than the transport simplex takes": [
        (np.random.default_rng(0).random((40, 24)), 12),
        (np.random.default_rng(1).random((40, 24)), 11),
    ],
}


def learned(method, tasks):
    method = clone(method)
    for task in tasks:
        labels = method.partial_fit(task).labels_
        assert labels.dtype == np.int64
        assert labels.shape == (task.n_samples,)
        assert labels.min() >= 0
        assert labels.max() < task.n_clusters
        assert np.isfinite(method.objective_trace_).all()
    return method


@every_method
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
@pytest.mark.filterwarnings("error")
def test_every_task_is_clustered_the_same_dense_or_sparse_and_after_a_pickle(method, stream):
    tasks = [Task(f"task-{i}", X, k) for i, (X, k) in enumerate(stream)]
    csr = [Task(task.name, sparse.csr_array(task.X), task.n_clusters) for task in tasks]
    dense, other = learned(method, tasks), learned(method, csr)
    copy = pickle.loads(pickle.dumps(dense))
    for task in tasks:
        labels = dense.predict(task)
        np.testing.assert_array_equal(labels, copy.predict(task))
        alive = task.X.any(axis=1)  # a zero row is as near to one group as to another
        if alive.any():
            assert AdjustedRandIndex().score(Contingency(labels[alive], other.predict(task)[alive])) == 1.0


@every_method
def test_counts_may_come_as_any_type_of_number(method):
    generator = np.random.default_rng(0)
    counts = [generator.poisson(0.3 + 3 * groups(30, 3, seed)).astype(np.int64) for seed in range(2)]
    methods = [
        learned(method, [Task(str(i), X.astype(kind), 3) for i, X in enumerate(counts)])
        for kind in (np.float64, np.float32, np.int64, np.uint8)
    ]
    for i, X in enumerate(counts):
        first, *others = [one.predict(Task(str(i), X, 3)) for one in methods]
        for labels in others:
            np.testing.assert_array_equal(labels, first)
