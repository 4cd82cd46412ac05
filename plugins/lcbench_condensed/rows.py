"""The rows of a task as CPSC sees them: powers of their features, scaled to length 1, with and without their mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from lcbench import FloatArray, Matrix
from lcbench_spectral.scaling import squared_norms, unit_rows

CHUNK_BYTES = 32_000_000
LEAST_SQUARE = 1e-12  # of the length of a centred row: one that is nearer to the mean counts as no longer than this


class Rows:
    """Unit rows y = sign(x)|x|^power / ‖.‖, and centred unit rows z = (y - m) / ‖y - m‖, m the mean of all y.

    A sparse X is never made dense: products with z are products with y, corrected by m.

    `similarities` compares the y of a sparse X and the z of a dense one. Counts of words have their zero where nothing
    is said, and a common mean says little; the features of dense data have a common offset that hides what differs.
    """

    def __init__(self, X: Matrix, power: float) -> None:
        self.n, self.d = X.shape
        self.is_sparse = sparse.issparse(X)
        Y = unit_rows(_signed_power(X, power))
        self.mean: FloatArray = np.asarray(Y.mean(axis=0)).ravel()
        if self.is_sparse:
            self._Y = Y
            self._transposed = Y.T.tocsr()
            squares = squared_norms(Y) - 2.0 * (Y @ self.mean) + self.mean @ self.mean
            self._scale = 1.0 / np.sqrt(np.maximum(squares, LEAST_SQUARE))
            self.is_zero = squared_norms(Y) == 0
        else:
            Z = Y - self.mean
            self._Y = Z / np.sqrt(np.maximum(squared_norms(Z), LEAST_SQUARE))[:, None]
            self.is_zero = np.zeros(self.n, dtype=bool)  # a centred row has a direction of its own

    def times(self, B: FloatArray) -> FloatArray:
        """Z B, for a B of d rows."""
        product: FloatArray = self._Y @ B
        return (product - self.mean @ B) * self._scale[:, None] if self.is_sparse else product

    def sums(self, R: Any) -> FloatArray:
        """Rᵀ Z, for a dense or sparse R of n rows."""
        if not self.is_sparse:
            return np.asarray(R.T @ self._Y)
        if sparse.issparse(R):
            scaled = (sparse.diags_array(self._scale) @ R).tocsr()
            product = (scaled.T @ self._Y).toarray()
        else:
            scaled = R * self._scale[:, None]
            product = (self._transposed @ scaled).T
        return np.asarray(product - np.outer(scaled.sum(axis=0), self.mean))

    def similarities(self) -> Iterator[tuple[int, FloatArray]]:
        """Blocks of rows of the matrix of cosines, each with the number of its first row."""
        step = max(1, CHUNK_BYTES // (8 * self.n))
        for start in range(0, self.n, step):
            block = self._Y[start : start + step] @ (self._transposed if self.is_sparse else self._Y.T)
            yield start, block.toarray() if self.is_sparse else block


def _signed_power(X: Matrix, power: float) -> Matrix:
    if not sparse.issparse(X):
        return np.sign(X) * np.abs(X) ** power
    data = np.sign(X.data) * np.abs(X.data) ** power
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
