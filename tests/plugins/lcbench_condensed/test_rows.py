from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity

from lcbench_condensed import rows
from lcbench_condensed.rows import Rows


@pytest.fixture
def data() -> np.ndarray:
    generator = np.random.default_rng(0)
    return generator.poisson(1.0, (30, 12)) * generator.choice([-1.0, 1.0], 12)  # some features are negative


def centred(X: np.ndarray) -> np.ndarray:
    """The rows z, worked out on the dense matrix."""
    Y = np.sign(X) * np.sqrt(np.abs(X))
    Y /= np.linalg.norm(Y, axis=1, keepdims=True)
    Z = Y - Y.mean(axis=0)
    return Z / np.linalg.norm(Z, axis=1, keepdims=True)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_products_are_those_with_the_centred_unit_rows_without_making_a_sparse_matrix_dense(data, kind):
    found, Z = Rows(kind(data), 0.5, centred=True), centred(data)
    B, R = np.random.default_rng(1).normal(size=(12, 3)), np.random.default_rng(2).random((30, 4))
    np.testing.assert_allclose(found.z.times(B), Z @ B, atol=1e-12)
    np.testing.assert_allclose(found.z.sums(R), R.T @ Z, atol=1e-12)
    assert sparse.issparse(found.z.matrix) == (kind is sparse.csr_array)


@pytest.mark.parametrize("chunk", [rows.CHUNK_BYTES, 7 * 8 * 30])
def test_similarities_are_cosines_of_roots_or_of_centred_roots(data, chunk, monkeypatch):
    monkeypatch.setattr(rows, "CHUNK_BYTES", chunk)
    roots = np.sign(data) * np.sqrt(np.abs(data))
    for centre, expected in ((False, cosine_similarity(roots)), (True, cosine_similarity(centred(data)))):
        for kind in (np.asarray, sparse.csr_array):
            blocks = list(Rows(kind(data), 0.5, centred=centre).similarities())
            assert [start for start, _ in blocks] == list(range(0, 30, len(blocks[0][1])))
            np.testing.assert_allclose(np.vstack([block for _, block in blocks]), expected, atol=1e-12)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_row_of_zeros_has_no_direction(data, kind):
    data[4] = 0
    found = Rows(kind(data), 0.5, centred=True)
    assert np.flatnonzero(found.is_zero).tolist() == [4]
    assert not found.z.times(np.eye(12))[4].any()


def test_rows_that_are_all_alike_give_finite_products():
    for kind in (np.asarray, sparse.csr_array):
        assert np.isfinite(Rows(kind(np.ones((5, 3))), 0.5, centred=True).z.times(np.eye(3))).all()
