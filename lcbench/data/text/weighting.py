"""Weights counted words: raw counts, binary, log, tf-idf, sublinear tf-idf.

With tf its count in the document, df the number of documents that hold it and N the number of documents:

    counts           tf
    binary           1
    log              1 + ln tf
    tfidf            tf ln(N / df)
    sublinear-tfidf  (1 + ln tf) ln(N / df)

No smoothing, and rows are not normalised: scikit-learn's TfidfTransformer does both and is another formula. A word that
stands in every document has the weight 0 under the two with idf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.task import FloatArray
from lcbench.data.text.parameters import WITH_IDF


def weigh(tasks: Sequence[Any], weighting: str, idf: str) -> list[Any]:
    """Weight the CSR matrices of counts, one per task; df and N are those of all tasks, or of each alone."""
    weighted = [_with_data(counts, _frequency(counts.data, weighting)) for counts in tasks]
    if weighting not in WITH_IDF:
        return weighted
    if idf == "task":
        return [_scaled(matrix, _rarity([counts])) for matrix, counts in zip(weighted, tasks, strict=True)]
    rarity = _rarity(tasks)
    return [_scaled(matrix, rarity) for matrix in weighted]


def _frequency(counts: Any, weighting: str) -> FloatArray:
    tf: FloatArray = np.asarray(counts, dtype=np.float64)
    if weighting == "binary":
        return np.ones_like(tf)
    return 1 + np.log(tf) if weighting in ("log", "sublinear-tfidf") else tf


def _rarity(tasks: Sequence[Any]) -> FloatArray:
    """ln(N / df) of every word; for a word in no document df is taken as 1, and no entry uses it."""
    documents = sum(counts.shape[0] for counts in tasks)
    frequency = sum(np.bincount(counts.indices, minlength=counts.shape[1]) for counts in tasks)
    rarity: FloatArray = np.log(documents / np.maximum(frequency, 1))
    return rarity


def _scaled(matrix: Any, rarity: FloatArray) -> Any:
    return _with_data(matrix, matrix.data * rarity[matrix.indices])


def _with_data(matrix: Any, data: FloatArray) -> Any:
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
