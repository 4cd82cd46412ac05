"""Rows that are sparse but for multiples of one row, such as centred ones, and what is computed of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lcbench import FloatArray, IntArray, Matrix

BLOCK_BYTES = 250_000  # small blocks stay in the cache, and the system has no pages to find for them


@dataclass(frozen=True, slots=True, eq=False)
class Shifted:
    """The rows s_i - c_i m: `matrix` S, sparse or dense, less the multiples `shifts` of one row `by`, if there is one.

    Centred sparse rows have this form, and all weighted sums of them, so that neither is ever made dense.
    """

    matrix: Matrix
    shifts: FloatArray
    by: FloatArray | None = None

    @classmethod
    def plain(cls, matrix: Matrix) -> Shifted:
        """The rows of a matrix as they are."""
        return cls(matrix, np.zeros(matrix.shape[0]))

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def times(self, B: FloatArray) -> FloatArray:
        """(S - c mᵀ) B, for a dense B."""
        product: FloatArray = self.matrix @ B
        return product if self.by is None else product - np.outer(self.shifts, self.by @ B)

    def sums(self, R: FloatArray) -> FloatArray:
        """Rᵀ (S - c mᵀ), for a dense R."""
        product: FloatArray = (self.matrix.T @ R).T
        return product if self.by is None else product - np.outer(self.shifts @ R, self.by)

    def products(self, other: Matrix) -> FloatArray:
        """The products with all rows of another matrix, sparse if this one is."""
        product: FloatArray = _dense(self.matrix @ other.T)
        return product if self.by is None else product - np.outer(self.shifts, other @ self.by)

    def products_within(self, parts: IntArray) -> FloatArray:
        """The products of rows of the same part with each other; those of other rows are not meant.

        A column of its own for each part and feature leaves all other products of sparse rows out.
        """
        S = self.matrix
        if sparse.issparse(S):
            d = S.shape[1]
            columns = S.indices + np.repeat(parts * d, np.diff(S.indptr))
            S = sparse.csr_array((S.data, columns, S.indptr), shape=(len(self), d * (int(parts.max()) + 1)))
        product: FloatArray = _dense(S @ S.T)
        if self.by is None:
            return product
        cross: FloatArray = np.outer(self.shifts, self.matrix @ self.by - 0.5 * (self.by @ self.by) * self.shifts)
        return product - cross - cross.T

    def combined(self, V: Any) -> Shifted:
        """V (S - c mᵀ), for a sparse V."""
        return Shifted(V @ self.matrix, V @ self.shifts, self.by)

    def above(self, other: Shifted) -> Shifted:
        """These rows above the others, of which only one may be shifted."""
        stack = sparse.vstack if sparse.issparse(self.matrix) else np.vstack
        both = (self, other)
        by = next((rows.by for rows in both if rows.by is not None), None)
        return Shifted(stack([rows.matrix for rows in both]), np.concatenate([rows.shifts for rows in both]), by)

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """The rows, some at a time, written out as float32."""
        step = max(1, BLOCK_BYTES // (4 * self.matrix.shape[1]))
        shifts, by = self.shifts.astype(np.float32), None if self.by is None else self.by.astype(np.float32)
        for start in range(0, len(self), step):
            here = slice(start, start + step)
            block = _dense(self.matrix[here]).astype(np.float32)
            yield block if by is None else block - np.outer(shifts[here], by)


def _dense(A: Any) -> Any:
    return A.toarray() if sparse.issparse(A) else A
