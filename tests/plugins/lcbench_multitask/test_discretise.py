from __future__ import annotations

import numpy as np
import pytest

from lcbench.contract.metric import Contingency
from lcbench_indices.pairs import AdjustedRandIndex
from lcbench_multitask import discretise
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


def nearness(F, labels, k) -> float:
    """What the best rotation for these labels reaches: the sum of the singular values of Fᵀ Y."""
    F = F / np.linalg.norm(F, axis=1, keepdims=True)
    return np.linalg.svd(F.T @ np.eye(k)[labels], compute_uv=False).sum()


def test_more_starts_are_never_worse_and_sometimes_better(monkeypatch):
    gains = []
    for seed in range(8):
        F = np.random.default_rng(seed).standard_normal((40, 5))
        monkeypatch.setattr(discretise, "STARTS", 1)
        one = nearness(F, rotation_labels(F, 5, seed=seed), 5)
        monkeypatch.setattr(discretise, "STARTS", 20)
        gains.append(nearness(F, rotation_labels(F, 5, seed=seed), 5) - one)
    assert min(gains) > -1e-9
    assert max(gains) > 1e-3


def test_the_axes_of_a_start_are_the_rows_least_like_those_before():
    F = np.array([[1.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.6, 0.0, 0.8], [0.0, 0.8, 0.6], [0.1, 0.9, 0.1]])
    np.testing.assert_array_equal(discretise._axes(F, 3, 0), F[[0, 3, 4]].T)


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
