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
from lcbench.data.text_parameters import POOL, TASK, WITH_IDF

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


@dataclass(frozen=True, slots=True, eq=False)
class Rarity:
    """The numbers that idf is made of: documents N, and how many of them hold each word (df)."""

    documents: int
    holding: Any

    @classmethod
    def of(cls, matrices: Sequence[Any]) -> Rarity:
        """That of the rows of all CSR matrices of counts together."""
        holding = sum(np.bincount(counts.indices, minlength=counts.shape[1]) for counts in matrices)
        return cls(sum(counts.shape[0] for counts in matrices), holding)

    @property
    def idf(self) -> FloatArray:
        """ln(N / df) of every word; for a word in no document df is taken as 1."""
        idf: FloatArray = np.log(self.documents / np.maximum(self.holding, 1))
        return idf


def count_words(texts: Sequence[str], rules: WordRules) -> WordCounts:
    """Count in each text the words that `rules` allow."""
    vectorizer = _vectorizer(rules)
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


def count_known_words(texts: Sequence[str], words: Sequence[str], rules: WordRules) -> Any:
    """A CSR matrix that has for each text how often it holds each of `words`, which `count_words` chose elsewhere."""
    counts = sparse.csr_array(_vectorizer(rules, words).transform(texts))
    counts.sort_indices()
    return counts


def lengths(texts: Sequence[str], rules: WordRules) -> list[int]:
    """The number of words of each text, rare ones too: those that match the pattern and are no stop words."""
    analyse = _vectorizer(rules).build_analyzer()
    return [len(analyse(text)) for text in texts]


def _vectorizer(rules: WordRules, words: Sequence[str] | None = None) -> Any:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    return CountVectorizer(
        token_pattern=rules.pattern,
        stop_words=sorted(ENGLISH_STOP_WORDS) if rules.stop_words else None,
        dtype=np.int64,
        vocabulary=words,
    )


def weigh(tasks: Sequence[Any], weighting: str, idf: str, held_out: Rarity | None = None) -> list[Any]:
    """Weight the CSR matrices of counts, one per task; df and N are of all tasks, of each alone, or `held_out`."""
    weighted = [_with_data(counts, _frequency(counts.data, weighting)) for counts in tasks]
    if weighting not in WITH_IDF:
        return weighted
    if idf == TASK:
        return [_scaled(matrix, Rarity.of([counts])) for matrix, counts in zip(weighted, tasks, strict=True)]
    rarity = Rarity.of(tasks) if idf == POOL or held_out is None else held_out
    return [_scaled(matrix, rarity) for matrix in weighted]


def _frequency(counts: Any, weighting: str) -> FloatArray:
    tf: FloatArray = np.asarray(counts, dtype=np.float64)
    if weighting == "binary":
        return np.ones_like(tf)
    if weighting == "sqrt":
        return np.sqrt(tf)
    return 1 + np.log(tf) if weighting in ("log", "sublinear-tfidf") else tf


def _scaled(matrix: Any, rarity: Rarity) -> Any:
    return _with_data(matrix, matrix.data * rarity.idf[matrix.indices])


def _with_data(matrix: Any, data: FloatArray) -> Any:
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
