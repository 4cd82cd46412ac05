"""Counts the words of documents into a sparse matrix. The same documents always give the same matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

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
