"""Measures by cosines how similar the tasks of a stream are, and their classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from lcbench.contract.task import FloatArray, LabelledTask


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """Cosines between means of samples, each sample scaled to length 1 before.

    `tasks[i][j]` is the cosine between two tasks. `same_class` is the mean cosine over pairs of classes that have the
    same name and belong to different tasks, `other_class` the mean over pairs with different names; None without pairs.
    """

    tasks: FloatArray
    same_class: float | None
    other_class: float | None


def similarity(tasks: Sequence[LabelledTask]) -> Similarity:
    """Compares tasks, and classes across tasks: those of the same name, and those of different names."""
    rows = [normalize(labelled.task.X) for labelled in tasks]
    between_tasks = cosine_similarity([_mean(X) for X in rows])
    owners, names, centroids = [], [], []
    for t, (labelled, X) in enumerate(zip(tasks, rows, strict=True)):
        for code, name in enumerate(labelled.classes):
            owners.append(t)
            names.append(name)
            centroids.append(_mean(X[np.flatnonzero(labelled.y == code)]))
    if not centroids:
        return Similarity(between_tasks, None, None)
    cosines = cosine_similarity(centroids)
    apart = np.not_equal.outer(owners, owners)
    alike = np.equal.outer(np.array(names), np.array(names))
    return Similarity(between_tasks, _average(cosines[apart & alike]), _average(cosines[apart & ~alike]))


def _mean(X: Any) -> FloatArray:
    mean: FloatArray = np.asarray(X.mean(axis=0)).ravel()
    return mean


def _average(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None
