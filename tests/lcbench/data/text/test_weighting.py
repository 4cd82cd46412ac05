from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from lcbench.data.text.parameters import IDFS, WEIGHTINGS
from lcbench.data.text.weighting import weigh

FIRST = np.array([[2, 0, 1, 1], [0, 0, 3, 1], [4, 0, 0, 1]])
SECOND = np.array([[1, 1, 0, 1], [0, 0, 0, 0]])
COUNTS = hnp.arrays(np.int64, st.tuples(st.integers(1, 5), st.just(4)), elements=st.integers(0, 4))


def weighted(weighting: str, idf: str = "pool", tasks=(FIRST, SECOND)) -> list[np.ndarray]:
    return [matrix.toarray() for matrix in weigh([sparse.csr_array(task) for task in tasks], weighting, idf)]


def by_hand(tasks: list[np.ndarray], weighting: str, idf: str) -> list[np.ndarray]:
    """The formulas on dense arrays."""
    pool = np.vstack(tasks)
    found = []
    for tf in tasks:
        base = pool if idf == "pool" else tf
        df = np.count_nonzero(base, axis=0)
        rarity = np.log(len(base) / np.where(df == 0, 1, df))
        log = np.where(tf > 0, 1 + np.log(np.where(tf > 0, tf, 1)), 0)
        values = {"counts": tf, "binary": tf > 0, "log": log, "tfidf": tf * rarity, "sublinear-tfidf": log * rarity}
        found.append(values[weighting].astype(float))
    return found


def test_tfidf_with_pooled_documents_of_a_hand_worked_case():
    N, df = 5, np.array([3, 1, 2, 4])
    first, second = weighted("tfidf")
    np.testing.assert_allclose(first, FIRST * np.log(N / df))
    np.testing.assert_allclose(second, SECOND * np.log(N / df))


def test_tfidf_of_a_task_alone_does_not_know_the_other_tasks():
    first, second = weighted("tfidf", "task")
    np.testing.assert_allclose(first[0], [2 * np.log(3 / 2), 0, np.log(3 / 2), 0])
    np.testing.assert_allclose(second[0], [np.log(2), np.log(2), 0, np.log(2)])
    alone = weighted("tfidf", "task", (FIRST, SECOND * 7, FIRST))[0]
    np.testing.assert_array_equal(alone, first)


def test_pooled_tfidf_looks_ahead_to_later_tasks():
    assert not np.allclose(weighted("tfidf", "pool", (FIRST,))[0], weighted("tfidf")[0])


def test_a_word_in_every_document_weighs_nothing_under_idf():
    assert weighted("tfidf", "task")[0][:, 3].tolist() == [0, 0, 0]
    assert weighted("log", "pool")[0][:, 3].tolist() == [1, 1, 1]


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("idf", IDFS)
@settings(max_examples=30, deadline=None)
@given(tasks=st.lists(COUNTS, min_size=1, max_size=3))
def test_every_weighting_follows_its_formula_on_dense_arrays(weighting, idf, tasks):
    for found, expected in zip(weighted(weighting, idf, tasks), by_hand(tasks, weighting, idf), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"norm": None}, {"norm": None, "smooth_idf": False}])
def test_scikit_learns_tfidf_is_another_formula(options):
    counts = FIRST[:, [0, 2, 3]]
    theirs = TfidfTransformer(**options).fit_transform(counts).toarray()
    assert not np.allclose(theirs, weighted("tfidf", "task", (counts,))[0])


def test_scikit_learns_unsmoothed_tfidf_is_ours_plus_the_counts():
    theirs = TfidfTransformer(norm=None, smooth_idf=False).fit_transform(FIRST[:, [0, 2, 3]]).toarray()
    np.testing.assert_allclose(theirs - FIRST[:, [0, 2, 3]], weighted("tfidf", "task", (FIRST[:, [0, 2, 3]],))[0])


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_the_counts_that_were_given_do_not_change(weighting):
    counts = sparse.csr_array(FIRST)
    before = counts.toarray()
    (matrix,) = weigh([counts], weighting, "pool")
    matrix.data[:] = -1
    np.testing.assert_array_equal(counts.toarray(), before)
