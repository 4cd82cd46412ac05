"""Rows of a task for river: scaled as the first task says, then dicts from the number of a feature to its value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse

from lcbench import FloatArray, Matrix, derive_seed

ROUNDING = 1e-9  # a deviation below this share of the common one is that of a feature that does not change


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The mean and the deviation of features, learned from one task and kept for all that follow.

    Rows with more than `directions` features are first projected on that many random directions, which keeps
    distances nearly as they are (Johnson and Lindenstrauss, 1984). The directions come from the seed and are not kept.
    """

    mean: FloatArray
    deviation: FloatArray
    directions: int
    seed: int

    @classmethod
    def of(cls, X: Matrix, *, common: bool, directions: int, seed: int) -> Self:
        """The scale of the rows of `X`; `common` divides all features by the root of their mean variance.

        So are features that do not change in `X`, as nothing is known of their deviation.
        """
        rows = projected(X, directions, seed)
        deviation = rows.std(axis=0)
        overall = math.sqrt(float((deviation**2).mean())) or 1.0
        shared = common | (deviation <= ROUNDING * overall)
        return cls(rows.mean(axis=0), np.where(shared, overall, deviation), directions, seed)

    def of_rows(self, X: Matrix) -> FloatArray:
        """The rows of `X` in this scale."""
        scaled: FloatArray = (projected(X, self.directions, self.seed) - self.mean) / self.deviation
        return scaled


def projected(X: Matrix, directions: int, seed: int) -> FloatArray:
    """The rows of `X`, dense, on `directions` random directions if they have more features."""
    d = X.shape[1]
    if d > directions:
        generator = np.random.default_rng(derive_seed(seed, "directions"))
        X = X @ (generator.standard_normal((d, directions)) / math.sqrt(directions))
    dense: FloatArray = X.toarray() if sparse.issparse(X) else np.asarray(X)
    return dense


def as_dicts(X: Matrix) -> Iterator[dict[int, float]]:
    """The rows as river takes them; of a sparse row the features that are not zero."""
    if not sparse.issparse(X):
        yield from (dict(enumerate(row)) for row in X.tolist())
        return
    for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        yield dict(zip(X.indices[start:end].tolist(), X.data[start:end].tolist(), strict=True))
