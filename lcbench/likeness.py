"""How alike the tasks of a stream are: what there is to transfer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.task import FloatArray, LabelledTask


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """Cosines between means of samples, each sample scaled to length 1 before.

    `tasks[i][j]` compares two tasks; `same_class` is the mean over the classes of one name in two tasks, `other_class`
    over those of different names in two tasks, None where there are none.
    """

    tasks: FloatArray
    same_class: float | None
    other_class: float | None


def likeness(tasks: Sequence[LabelledTask]) -> Likeness:
    """How alike the tasks are, and whether a class is more like itself in another task than like the others."""
    rows = [_unit_rows(labelled.task.X) for labelled in tasks]
    means = np.array([_mean(X) for X in rows])
    same: list[float] = []
    other: list[float] = []
    centroids = [
        {name: _mean(X[np.flatnonzero(labelled.y == code)]) for code, name in enumerate(labelled.classes)}
        for labelled, X in zip(tasks, rows, strict=True)
    ]
    for i, first in enumerate(centroids):
        for second in centroids[:i]:
            for name, centroid in first.items():
                for with_name, with_centroid in second.items():
                    (same if name == with_name else other).append(_cosine(centroid, with_centroid))
    products = np.array([[_cosine(a, b) for b in means] for a in means])
    return Likeness(products, fmean(same) if same else None, fmean(other) if other else None)


def _unit_rows(X: Any) -> Any:
    if sparse.issparse(X):
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
        return sparse.csr_array(sparse.diags_array(scale) @ X)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return np.divide(X, norms, out=np.zeros_like(X), where=norms > 0)


def _mean(X: Any) -> FloatArray:
    mean: FloatArray = np.asarray(X.mean(axis=0)).ravel()
    return mean


def _cosine(a: FloatArray, b: FloatArray) -> float:
    scale = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / scale if scale > 0 else 0.0
