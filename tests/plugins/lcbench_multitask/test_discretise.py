from __future__ import annotations

import numpy as np
import pytest

from lcbench.metric import Contingency
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_multitask.discretise import rotation_labels


def agreement(a, b) -> float:
    return AdjustedRandIndex().score(Contingency(a, b))


def rotated_indicators(k: int = 4, n: int = 80, noise: float = 0.0):
    generator = np.random.default_rng(0)
    y = np.arange(n) % k
    Q = np.linalg.qr(generator.standard_normal((k, k)))[0]
    return y, (np.eye(k)[y] + noise * generator.standard_normal((n, k))) @ Q


@pytest.mark.parametrize("k", [2, 3, 5])
def test_rotated_indicators_are_found_exactly(k):
    y, F = rotated_indicators(k)
    assert agreement(y, rotation_labels(F * np.linspace(0.1, 3, len(F))[:, None], k, seed=0)) == 1.0


def test_it_agrees_with_scikit_learns_discretisation():
    from sklearn.cluster._spectral import discretize

    _, F = rotated_indicators(noise=0.25)
    assert agreement(discretize(F, random_state=0), rotation_labels(F, 4, seed=0)) == 1.0


def test_one_cluster_zero_rows_and_repetition():
    _, F = rotated_indicators(noise=0.3)
    assert not rotation_labels(F, 1, seed=0).any()
    F[:3] = 0.0
    labels = rotation_labels(F, 4, seed=5)
    assert (labels[:3] == 0).all()
    assert labels.dtype == np.int64
    np.testing.assert_array_equal(labels, rotation_labels(F, 4, seed=5))


def test_equal_rows_leave_clusters_empty_and_do_no_harm():
    assert len(set(rotation_labels(np.ones((10, 3)), 3, seed=0))) == 1
