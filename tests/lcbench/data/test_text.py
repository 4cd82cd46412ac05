from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer, TfidfTransformer

from lcbench.data.text import (
    LETTER_WORDS,
    NoWordsError,
    Rarity,
    WordRules,
    count_known_words,
    count_words,
    lengths,
    weigh,
)
from lcbench.data.text_parameters import IDFS, WEIGHTINGS

TEXTS = ["Tin, tin and gold!", "The GOLD price: 3 gold bars.", "zinc x_ray", "", "price of tin2 zinc"]
DOCUMENTS = st.lists(st.text("abcABC .,1_é\n", max_size=30), min_size=1, max_size=6)


def test_words_are_lower_case_of_two_or_more_letters_and_no_stop_words():
    counted = count_words(TEXTS, WordRules())
    assert counted.words == ("bars", "gold", "price", "tin", "zinc")
    np.testing.assert_array_equal(
        counted.counts.toarray(),
        [[0, 1, 0, 2, 0], [1, 2, 1, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0], [0, 0, 1, 0, 1]],
    )


def test_stop_words_are_counted_if_the_rules_say_so():
    assert "the" in count_words(TEXTS, WordRules(stop_words=False)).words
    assert "the" in ENGLISH_STOP_WORDS


def test_letters_of_other_languages_are_words_under_the_other_pattern_only():
    text = ["Café Straße naïve ab1c"]
    assert count_words(text, WordRules(pattern=LETTER_WORDS)).words == ("café", "naïve", "straße")
    with pytest.raises(NoWordsError):
        count_words(text, WordRules())


def test_a_word_is_kept_if_it_is_in_at_least_min_df_documents():
    assert count_words(TEXTS, WordRules(min_df=2)).words == ("gold", "price", "zinc")  # tin stands twice, in one
    with pytest.raises(NoWordsError, match="no word stands in 3 documents"):
        count_words(TEXTS, WordRules(min_df=3))


def test_min_df_is_applied_before_max_features():
    texts = ["tin tin tin tin gold", "gold zinc", "zinc"]
    assert count_words(texts, WordRules(min_df=2, max_features=1)).words == ("gold",)


@pytest.mark.parametrize("texts", [[], [""], ["the of a I 12 x"]])
def test_documents_without_words_raise_a_no_words_error(texts):
    with pytest.raises(NoWordsError, match="no word is left in any document"):
        count_words(texts, WordRules())


@settings(max_examples=60, deadline=None)
@given(texts=DOCUMENTS, min_df=st.integers(1, 2))
def test_counts_are_those_of_scikit_learn(texts, min_df):
    reference = CountVectorizer(token_pattern=r"\b[a-z][a-z]+\b", stop_words="english", min_df=min_df)
    try:
        expected = reference.fit_transform(texts).toarray()
    except ValueError:
        with pytest.raises(NoWordsError):
            count_words(texts, WordRules(min_df=min_df))
        return
    counted = count_words(texts, WordRules(min_df=min_df))
    assert counted.words == tuple(reference.get_feature_names_out())
    np.testing.assert_array_equal(counted.counts.toarray(), expected)


@settings(max_examples=40, deadline=None)
@given(texts=DOCUMENTS, most=st.integers(1, 4))
def test_no_word_left_out_is_more_frequent_than_one_that_is_kept(texts, most):
    try:
        every = count_words(texts, WordRules())
    except NoWordsError:
        return
    some = count_words(texts, WordRules(max_features=most))
    totals = dict(zip(every.words, every.counts.sum(axis=0), strict=True))
    ranked = sorted(totals, key=lambda word: (-totals[word], word))
    assert some.words == tuple(sorted(ranked[:most]))
    kept = [every.words.index(word) for word in some.words]
    np.testing.assert_array_equal(some.counts.toarray(), every.counts.toarray()[:, kept])
    assert some.counts.has_sorted_indices


FIRST = np.array([[2, 0, 1, 1], [0, 0, 3, 1], [4, 0, 0, 1]])
COUNTS = hnp.arrays(np.int64, st.tuples(st.integers(1, 5), st.just(4)), elements=st.integers(0, 4))


def weighted(weighting: str, idf: str, tasks) -> list[np.ndarray]:
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
        values = {"counts": tf, "binary": tf > 0, "log": log, "sqrt": tf**0.5, "tfidf": tf * rarity}
        values["sublinear-tfidf"] = log * rarity
        found.append(values[weighting].astype(float))
    return found


@settings(max_examples=30, deadline=None)
@given(tasks=st.lists(COUNTS, min_size=1, max_size=3))
def test_every_weighting_follows_its_formula_on_dense_arrays(tasks):
    for weighting, idf in product(WEIGHTINGS, IDFS):
        for found, expected in zip(weighted(weighting, idf, tasks), by_hand(tasks, weighting, idf), strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=f"{weighting}, {idf}")


def test_scikit_learns_unsmoothed_tfidf_is_ours_plus_the_counts():
    theirs = TfidfTransformer(norm=None, smooth_idf=False).fit_transform(FIRST[:, [0, 2, 3]]).toarray()
    np.testing.assert_allclose(theirs - FIRST[:, [0, 2, 3]], weighted("tfidf", "task", (FIRST[:, [0, 2, 3]],))[0])


@pytest.mark.parametrize("weighting", ["counts", "tfidf"])
def test_the_counts_that_were_given_do_not_change(weighting):
    counts = sparse.csr_array(FIRST)
    before = counts.toarray()
    (matrix,) = weigh([counts], weighting, "pool")
    matrix.data[:] = -1
    np.testing.assert_array_equal(counts.toarray(), before)


def test_known_words_are_counted_as_they_are_when_they_are_chosen():
    texts = ["the cat sat on the cat", "a dog and a cat", "bird"]
    chosen = count_words(texts, WordRules())
    again = count_known_words(texts, chosen.words, WordRules())
    assert (again != chosen.counts).nnz == 0
    assert count_known_words(["unknown words"], chosen.words, WordRules()).nnz == 0


def test_the_length_of_a_text_is_its_number_of_words_without_stop_words():
    assert lengths(["The cat, the CAT and 2 dogs", "a the", ""], WordRules()) == [3, 0, 0]


def test_the_rarity_of_other_documents_is_used_where_it_is_asked_for():
    held_out = Rarity.of([sparse.csr_array([[1, 0], [2, 1], [3, 0], [0, 0]])])
    task = sparse.csr_array([[1.0, 2.0]])
    (matrix,) = weigh([task], "tfidf", "held-out", held_out)
    assert matrix.toarray() == pytest.approx(np.array([[np.log(4 / 3), 2 * np.log(4)]]))
    (matrix,) = weigh([task], "tfidf", "task", held_out)
    assert matrix.toarray() == pytest.approx(np.array([[0.0, 0.0]]))
