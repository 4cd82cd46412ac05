"""Everything is compared with the same rows, written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from lcbench_condensed import shifted
from lcbench_condensed.shifted import Shifted

generator = np.random.default_rng(0)
S = sparse.random_array((9, 6), density=0.4, rng=generator).tocsr()
c, m = generator.random(9), generator.normal(size=6)
CASES = {
    "sparse, shifted": (Shifted(S, c, m), S.toarray() - np.outer(c, m)),
    "sparse, plain": (Shifted.plain(S), S.toarray()),
    "dense, plain": (Shifted.plain(S.toarray()), S.toarray()),
}


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request):
    return request.param


def test_products_with_dense_matrices(case):
    rows, written = case
    B, R = generator.normal(size=(6, 3)), generator.random((9, 2))
    assert len(rows) == 9
    np.testing.assert_allclose(rows.times(B), written @ B)
    np.testing.assert_allclose(rows.sums(R), R.T @ written)


def test_products_with_rows_of_the_same_kind(case):
    rows, written = case
    np.testing.assert_allclose(rows.products(rows.matrix[:4]), written @ S.toarray()[:4].T, atol=1e-12)


def test_products_of_rows_of_the_same_part_with_each_other(case):
    rows, written = case
    parts = np.array([0, 2, 2, 0, 1, 2, 0, 0, 2])
    same = parts[:, None] == parts
    np.testing.assert_allclose(rows.products_within(parts)[same], (written @ written.T)[same], atol=1e-12)


def test_sums_and_stacks_of_rows_keep_their_form(case):
    rows, written = case
    V = sparse.csr_array(generator.random((3, 9)))
    stacked = rows.above(Shifted.plain(rows.matrix[:2])).combined(sparse.eye_array(11).tocsr())
    assert sparse.issparse(stacked.matrix) == sparse.issparse(rows.matrix)
    np.testing.assert_allclose(rows.combined(V).times(np.eye(6)), V @ written)
    np.testing.assert_allclose(stacked.times(np.eye(6)), np.vstack([written, S.toarray()[:2]]))


@pytest.mark.parametrize("size", [1, 4 * 6 * 4, 10**6])
def test_rows_are_written_out_some_at_a_time(case, size, monkeypatch):
    monkeypatch.setattr(shifted, "BLOCK_BYTES", size)
    rows, written = case
    blocks = list(rows.blocks())
    assert max(map(len, blocks)) == min(9, max(1, size // 24))
    np.testing.assert_allclose(np.vstack(blocks), written, atol=1e-6)
