from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import StandardScaler

from lcbench_river.rows import Scale, as_dicts, projected

X = np.random.default_rng(0).random((50, 6)) * np.array([1, 5, 1, 3, 2, 1]) + np.arange(6)
OTHER = np.random.default_rng(1).random((20, 6))


def test_features_are_scaled_as_scikit_learn_does_by_the_task_they_were_learned_from():
    scale = Scale.of(X, common=False, directions=10, seed=0)
    np.testing.assert_allclose(scale.of_rows(OTHER), StandardScaler().fit(X).transform(OTHER))


def test_a_common_deviation_keeps_the_ratios_of_distances_and_gives_a_variance_of_one_on_average():
    scaled = Scale.of(X, common=True, directions=10, seed=0).of_rows(X)
    ratios = euclidean_distances(scaled)[0, 1:] / euclidean_distances(X)[0, 1:]
    np.testing.assert_allclose(ratios, ratios[0])
    assert scaled.var(axis=0).mean() == pytest.approx(1.0)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("common", [True, False])
def test_a_feature_that_never_changed_is_not_blown_up_by_later_tasks(common):
    still = X.copy()
    still[:, 2] = 1.0
    scale = Scale.of(still, common=common, directions=10, seed=0)
    assert np.abs(scale.of_rows(OTHER)).max() < 20
    for constant in (np.ones((5, 3)), np.zeros((1, 3))):
        assert np.isfinite(Scale.of(constant, common=common, directions=10, seed=0).of_rows(OTHER[:, :3])).all()


def test_long_rows_are_projected_so_that_distances_stay_nearly_as_they_are():
    long = np.random.default_rng(0).random((30, 3000))
    short = projected(long, 400, seed=1)
    assert short.shape == (30, 400)
    pairs = np.triu_indices(30, 1)
    ratios = euclidean_distances(short)[pairs] / euclidean_distances(long)[pairs]
    assert abs(ratios.mean() - 1) < 0.05
    assert ratios.std() < 0.1
    np.testing.assert_allclose(projected(sparse.csr_array(long), 400, seed=1), short)
    assert not np.allclose(projected(long, 400, seed=2), short)


def test_rows_become_dicts_of_all_features_or_of_those_that_are_not_zero():
    rows = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]])
    assert next(as_dicts(rows)) == {0: 0.0, 1: 2.0, 2: 0.0}
    assert list(as_dicts(sparse.csr_array(rows))) == [{1: 2.0}, {}, {0: 1.0, 2: 3.0}]
