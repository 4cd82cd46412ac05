"""The rows of a task as CPSC sees them: powers of their features, scaled to length 1, with and without their mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from lcbench import FloatArray, Matrix
from lcbench_condensed.shifted import Shifted
from lcbench_spectral.scaling import scaled, squared_norms, unit_rows

CHUNK_BYTES = 4_000_000  # a block that fits into the cache is three times as quick as one of 32 MB
LEAST_SQUARE = 1e-12  # of the length of a centred row: one that is nearer to the mean counts as no longer than this


class Rows:
    """Unit rows y = sign(x)|x|^power / ‖.‖, and centred unit rows z = (y - m) / ‖y - m‖, m the mean of all y.

    A row of zeros has no direction: its y and z are 0. A sparse X is never made dense: the `z` are multiples of y less
    multiples of m. `similarities` compares the z if `centred`, else the y.
    """

    def __init__(self, X: Matrix, power: float, *, centred: bool) -> None:
        self.n, self.d = X.shape
        self.is_sparse = sparse.issparse(X)
        self.centred = centred
        self._Y = unit_rows(_signed_power(X, power))
        self._transposed = self._Y.T.tocsr() if self.is_sparse else self._Y.T
        norms = squared_norms(self._Y)
        self.is_zero = norms == 0
        self.mean: FloatArray = np.asarray(self._Y.mean(axis=0)).ravel()
        self._shared: FloatArray = self._Y @ self.mean
        squares = norms - 2.0 * self._shared + self.mean @ self.mean
        self._scale = np.where(self.is_zero, 0.0, 1.0 / np.sqrt(np.maximum(squares, LEAST_SQUARE)))
        if self.is_sparse:
            self.z = Shifted(scaled(self._Y, self._scale), self._scale, self.mean)
        else:
            self.z = Shifted.plain((self._Y - self.mean) * self._scale[:, None])

    def similarities(self) -> Iterator[tuple[int, FloatArray]]:
        """Blocks of rows of the matrix of cosines, each with the number of its first row."""
        step = max(1, CHUNK_BYTES // (8 * self.n))
        for start in range(0, self.n, step):
            here = slice(start, start + step)
            product = self._Y[here] @ self._transposed
            block = product.toarray() if sparse.issparse(product) else product
            if self.centred:
                block -= self._shared[here, None] + (self._shared - self.mean @ self.mean)
                block *= self._scale[here, None] * self._scale
            yield start, block


def _signed_power(X: Matrix, power: float) -> Matrix:
    if not sparse.issparse(X):
        return np.sign(X) * np.abs(X) ** power
    data = np.sign(X.data) * np.abs(X.data) ** power
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)
