from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from lcbench.data.text.words import LETTER_WORDS, NoWordsError, WordRules, count_words

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


@pytest.mark.parametrize(
    ("most", "words"),
    [
        (1, "gold"),
        (2, "gold price"),
        (3, "gold price tin"),
        (4, "gold price tin zinc"),
        (9, "bars gold price tin zinc"),
    ],
)
def test_the_most_frequent_words_are_kept_and_ties_go_by_the_alphabet(most, words):
    assert count_words(TEXTS, WordRules(max_features=most)).words == tuple(words.split())


def test_the_order_of_the_documents_does_not_decide_ties():
    texts = ["beta alpha", "gamma delta", "delta alpha"]
    for order in (texts, texts[::-1]):
        assert count_words(order, WordRules(max_features=3)).words == ("alpha", "beta", "delta")


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
