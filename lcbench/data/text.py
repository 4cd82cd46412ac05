"""Turns texts into matrices: counts the words of documents, then weights the counts.

The same documents always give the same matrix. With tf a word's count in the document, df the number of documents that
hold it and N the number of documents, the weightings are:

    counts           tf
    binary           1
    log              1 + ln tf
    sqrt             tf^0.5
    tfidf            tf ln(N / df)
    sublinear-tfidf  (1 + ln tf) ln(N / df)

No smoothing, and rows are not normalised: scikit-learn's TfidfTransformer does both and is another formula. A word that
stands in every document has the weight 0 under the two with idf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.task import FloatArray
from lcbench.data.text_parameters import WITH_IDF

ASCII_WORDS = r"\b[a-z][a-z]+\b"
LETTER_WORDS = r"\b[^\W\d_]{2,}\b"


class NoWordsError(ValueError):
    """No document has a word that is counted."""


@dataclass(frozen=True, slots=True)
class WordRules:
    """Rules for the words that are counted in a lower-cased text.

    Counted are words that match `pattern`, are no English stop words (scikit-learn's list) if `stop_words` is true, and
    stand in at least `min_df` documents; of these the `max_features` most frequent by total count, ties in alphabetical
    order.
    """

    pattern: str = ASCII_WORDS
    stop_words: bool = True
    min_df: int = 1
    max_features: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """`counts[i, j]` is how often `words[j]` stands in document i; words are in alphabetical order."""

    words: tuple[str, ...]
    counts: Any


def count_words(texts: Sequence[str], rules: WordRules) -> WordCounts:
    """Count in each text the words that `rules` allow."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    vectorizer = CountVectorizer(
        token_pattern=rules.pattern,
        stop_words=sorted(ENGLISH_STOP_WORDS) if rules.stop_words else None,
        dtype=np.int64,
    )
    try:
        counts = sparse.csr_array(vectorizer.fit_transform(texts))
    except ValueError as error:
        raise NoWordsError("no word is left in any document") from error
    words = np.asarray(vectorizer.get_feature_names_out(), dtype=object)
    enough = np.flatnonzero(np.bincount(counts.indices, minlength=len(words)) >= rules.min_df)
    totals = np.asarray(counts.sum(axis=0)).ravel()[enough]
    ranked = enough[np.lexsort((enough, -totals))]  # columns are in alphabetical order already
    kept = np.sort(ranked[: rules.max_features])
    if not len(kept):
        raise NoWordsError(f"no word stands in {rules.min_df} documents")
    chosen = counts[:, kept]
    chosen.sort_indices()
    return WordCounts(tuple(map(str, words[kept])), chosen)


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
    if weighting == "sqrt":
        return np.sqrt(tf)
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
