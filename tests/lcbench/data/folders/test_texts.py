from __future__ import annotations

import hashlib
import logging

import numpy as np
import pytest

import lcbench
from lcbench.errors import InvalidTaskError, ParameterError


def tasks(**params):
    return lcbench.load_stream("./mine", **params).tasks()


def rows_by_class(labelled):
    return sorted(zip([labelled.classes[c] for c in labelled.y], map(tuple, labelled.task.X.toarray()), strict=True))


def test_counts_worked_by_hand(text_folder):
    cornell, texas = tasks(weighting="counts")
    assert (
        cornell.task.feature_names == texas.task.feature_names == ("course", "exams", "friends", "hobbies", "homework")
    )
    assert rows_by_class(texas) == [
        ("course", (0, 2, 0, 0, 1)), ("course", (1, 0, 0, 0, 1)), ("student", (0, 0, 1, 1, 0)),
    ]  # fmt: skip
    assert (cornell.classes, cornell.task.n_clusters) == (("course", "student"), 2)


def test_weights_are_tfidf_over_all_tasks_or_with_idf_task_over_one(text_folder):
    counts = [labelled.task.X.toarray() for labelled in tasks(weighting="counts")]
    pool = np.vstack(counts)
    for labelled, own in zip(tasks(), counts, strict=True):
        np.testing.assert_allclose(labelled.task.X.toarray(), own * np.log(7 / (pool > 0).sum(axis=0)))
    alone = counts[0] * np.log(4 / (counts[0] > 0).sum(axis=0))
    np.testing.assert_allclose(tasks(idf="task")[0].task.X.toarray(), alone)


def test_the_most_frequent_words_are_kept(text_folder):
    assert tasks(max_features=2)[0].task.feature_names == ("exams", "homework")  # 5 and 4; hobbies 4 too
    assert tasks(max_features="none")[0].task.n_features == 5


def test_rows_are_in_the_order_of_the_hashes_of_the_texts(text_folder):
    (labelled, _) = tasks(weighting="counts")
    files = sorted(text_folder.glob("cornell/*/*.txt"), key=lambda file: hashlib.sha256(file.read_bytes()).digest())
    assert [labelled.classes[code] for code in labelled.y] == [file.parent.name for file in files]


def test_texts_may_have_no_classes(write):
    write({"a/1.txt": "red blue", "a/2.txt": "blue red", "b/1.txt": "red", "b/2.txt": "blue"})
    assert [(t.y, t.task.n_clusters) for t in tasks(clusters=2)] == [(None, 2), (None, 2)]


def test_tasks_with_and_without_classes_may_be_mixed(text_folder, write):
    write({"utah/1.txt": "Homework in every course", "utah/2.txt": "Friends and hobbies"})
    with pytest.raises(
        InvalidTaskError, match=r"^Task 'utah' of stream '\./mine' has no labels, so say how many clusters"
    ):
        tasks()
    write({"stream.toml": '[[tasks]]\nfile = "utah"\nclusters = 2\n[[tasks]]\nfile = "texas"'})
    utah, texas = tasks()
    assert (utah.y, utah.task.n_clusters, texas.task.n_clusters) == (None, 2, 2)


def test_texts_without_a_counted_word_are_dropped_with_a_warning(text_folder, write, caplog):
    write({"texas/student/2.txt": "Zanzibar!", "texas/student/3.txt": ""})
    with caplog.at_level(logging.WARNING, "lcbench"):
        texas = tasks()[1]
    assert texas.task.n_samples == len(texas.y) == 3
    assert caplog.messages == [
        "Stream './mine': 2 of the 5 texts of task 'texas' hold no word that is counted and are left out."
    ]


def test_a_task_without_any_counted_word_is_refused(text_folder, write):
    write({"utah/course/1.txt": "Zanzibar", "utah/course/2.txt": "the"})
    with pytest.raises(
        InvalidTaskError, match=r"^None of the 2 texts of task 'utah' of '\./mine' holds a word that is counted"
    ):
        tasks()


def test_texts_that_share_no_word_are_refused_with_the_settings_to_change(write):
    write({"a/x/1.txt": "red", "a/y/1.txt": "blue"})
    with pytest.raises(
        InvalidTaskError,
        match=r"^The texts of '\./mine' cannot be compared, as no word stands in 2 documents: set min_df",
    ):
        tasks()
    write({"stream.toml": "[text]\nmin_df = 1"})
    assert tasks()[0].task.feature_names == ("blue", "red")


def test_stream_toml_sets_pattern_stop_words_and_weighting(write):
    write({"a/x/1.txt": "The C3PO and the R2", "a/y/1.txt": "the R2"})
    write({"stream.toml": "[text]\nmin_df = 1\nstop_words = 'none'\npattern = '[a-z0-9]+'\nweighting = 'binary'"})
    assert tasks()[0].task.feature_names == ("and", "c3po", "r2", "the")
    assert tasks(weighting="counts")[0].task.X.max() == 2
    assert tasks()[0].task.X.max() == 1


@pytest.mark.parametrize("marked", [b"\xef\xbb\xbfcaf\xc3\xa9 noir", "café noir".encode("utf-16")])
def test_text_is_utf8_or_has_a_byte_order_mark(write, marked):
    write({"a/x/1.txt": marked, "a/y/2.txt": "noir café"})
    assert tasks()[0].task.feature_names == ("café", "noir")


def test_text_that_is_not_utf8_is_refused_with_the_setting_for_its_encoding(write):
    write({"a/x/1.txt": "café noir".encode("latin-1"), "a/y/2.txt": "café noir noir".encode("latin-1")})
    with pytest.raises(
        InvalidTaskError,
        match=r"^'\./mine/a/x/1\.txt' is not UTF-8 text: save it as such, or set "
        r"encoding under \[text\] in stream\.toml to what it is, such as .*\"latin-1\"\.$",
    ):
        tasks()
    write({"stream.toml": '[text]\nencoding = "ascii"'})
    with pytest.raises(InvalidTaskError, match="is not ASCII text: save it as such, or set encoding"):
        tasks()
    write({"stream.toml": '[text]\nencoding = "latin-1"'})
    assert tasks()[0].task.feature_names == ("café", "noir")


def test_an_idf_that_changes_nothing_is_refused(text_folder):
    with pytest.raises(ParameterError, match=r"^Stream '\./mine': idf=task changes nothing with weighting=counts"):
        tasks(weighting="counts", idf="task")
