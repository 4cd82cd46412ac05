from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import NearestCentroid

from lcbench_multitask.linear_map import map_to_centres, map_to_rotation


def problem():
    """An embedding of 60 samples near three axes, of any length, and the map from 9 features that gives it."""
    generator = np.random.default_rng(0)
    labels = np.arange(60) % 3
    turned = np.linalg.qr(generator.standard_normal((3, 3)))[0]
    F = (np.eye(3)[labels] + 0.3 * generator.standard_normal((60, 3))) @ turned * generator.uniform(0.5, 2, (60, 1))
    W = generator.standard_normal((9, 3))
    W[[2, 7]] = 0.0
    b = generator.standard_normal(3)
    X = (F - b) @ np.linalg.pinv(W)
    np.testing.assert_allclose(X @ W + b, F, atol=1e-9)
    return X, W, b, F, labels


@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_nearest_centre_is_that_of_scikit_learn(unit, kind):
    X, W, b, F, labels = problem()
    learned = map_to_centres(W, b, F, labels, unit=unit)
    new = X + 0.5 * np.random.default_rng(1).standard_normal(X.shape)
    rows = F / np.linalg.norm(F, axis=1, keepdims=True) if unit else F
    embedded = new @ W + b
    embedded = embedded / np.linalg.norm(embedded, axis=1, keepdims=True) if unit else embedded
    expected = NearestCentroid().fit(rows, labels).predict(embedded)
    assert len(set(expected)) == 3
    np.testing.assert_array_equal(learned.labels(kind(new)), expected)


def test_the_rotation_is_the_nearest_of_all():
    from scipy.linalg import orthogonal_procrustes

    X, W, b, F, labels = problem()
    Q = orthogonal_procrustes(F / np.linalg.norm(F, axis=1, keepdims=True), np.eye(3)[labels])[0]
    learned = map_to_rotation(W, b, F, labels)
    np.testing.assert_allclose(learned.axes, Q, atol=1e-9)
    np.testing.assert_array_equal(learned.labels(X), (F @ Q).argmax(axis=1))


def test_zero_rows_are_not_kept():
    X, W, b, F, labels = problem()
    for learned in (map_to_centres(W, b, F, labels, unit=True), map_to_rotation(W, b, F, labels)):
        np.testing.assert_array_equal(learned.features, [0, 1, 3, 4, 5, 6, 8])
        assert learned.W.shape == (7, 3)
        X[:, [2, 7]] = 99.0
        assert (learned.labels(X) == labels).mean() > 0.9


def test_an_empty_cluster_gets_no_sample():
    X, W, b, F, labels = problem()
    apart = np.where(labels == 1, 4, labels)
    for learn in (map_to_rotation, lambda *given: map_to_centres(*given, unit=True)):
        found, plain = learn(W, b, F, apart).labels(X), learn(W, b, F, labels).labels(X)
        np.testing.assert_array_equal(found, np.where(plain == 1, 4, plain))
    assert set(map_to_rotation(W, b, F, np.minimum(labels, 1)).labels(X)) == {0, 1}
