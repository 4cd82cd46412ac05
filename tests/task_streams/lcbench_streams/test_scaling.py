from __future__ import annotations

import numpy as np
from sklearn.preprocessing import minmax_scale

from lcbench_streams.scaling import min_max


def test_columns_are_scaled_as_scikit_learn_does():
    X = np.random.default_rng(0).normal(size=(20, 4))
    np.testing.assert_allclose(min_max(X), minmax_scale(X))


def test_a_column_of_equal_values_becomes_zero():
    assert min_max(np.array([[5.0, 1.0], [5.0, 3.0]])).tolist() == [[0.0, 0.0], [0.0, 1.0]]
