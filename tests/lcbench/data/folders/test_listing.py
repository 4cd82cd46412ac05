from __future__ import annotations

import os
from pathlib import Path

import pytest

from lcbench.data.folders.listing import Kind, find_tasks, inside, is_hidden, kind_of, suffix_of
from lcbench.errors import InvalidTaskError


def found(only: set[str] | None = None) -> dict[str, tuple[str, ...]]:
    return find_tasks(Path("mine"), "./mine", only=only)


def test_hidden_and_other_files_are_ignored(write):
    write(
        {
            "a.csv": "",
            "README.md": "",
            "notes.txt": "",
            ".b.csv": "",
            "._a.csv": "",
            "plots/a.png": "",
            ".git/x.txt": "",
        }
    )
    assert found() == {"a.csv": ("a.csv",)}


def test_texts_are_found_in_their_class_or_right_in_the_task_and_no_deeper(write):
    write(
        {"a/x/1.txt": "", "a/y/2.TXT": "", "a/y/deep/3.txt": "", "b/4.txt": "", "b/5.html": "", "c/deep/er/6.txt": ""}
    )
    assert found() == {"a": ("a/x/1.txt", "a/y/2.TXT"), "b": ("b/4.txt",)}


def test_links_to_folders_are_followed(write):
    write({"elsewhere/1.txt": ""}, "other")
    write({"a/1.txt": ""})
    Path("mine/b").symlink_to(Path("other/elsewhere").absolute())
    assert found() == {"a": ("a/1.txt",), "b": ("b/1.txt",)}


def test_a_broken_link_is_an_error_and_not_skipped(write):
    write({"a.csv": ""})
    Path("mine/b.csv").symlink_to("gone.csv")
    with pytest.raises(InvalidTaskError, match=r"^'\./mine/b\.csv' is no regular file, or a link that leads nowhere"):
        found()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_without_being_opened(write):
    write({"a/x/1.txt": ""})
    os.mkfifo("mine/a/x/2.txt")
    with pytest.raises(InvalidTaskError, match=r"^'\./mine/a/x/2\.txt' is no regular file"):
        found()


def test_texts_beside_the_folders_of_their_classes_are_refused(write):
    write({"a/x/1.txt": "", "a/2.txt": ""})
    with pytest.raises(
        InvalidTaskError, match=r"'\./mine/a/2\.txt' stands beside the folders of classes and '\./mine/a/x/1"
    ):
        found()


def test_files_of_several_kinds_are_all_listed_in_the_order_of_their_names(write):
    write({"b.NPZ": "", "a.csv": "", "d.parquet": "", "c.tsv": "", "e/1.txt": ""})
    assert list(found()) == ["a.csv", "b.NPZ", "c.tsv", "d.parquet", "e"]


def test_only_the_names_asked_for_are_looked_at(write):
    write({"a.csv": "", "b.csv": "", "bad/x/1.txt": "", "bad/2.txt": ""})
    assert found(only={"b.csv", "gone.csv"}) == {"b.csv": ("b.csv",)}
    with pytest.raises(InvalidTaskError, match="stands beside the folders of classes"):
        found(only={"bad"})


def test_a_folder_that_cannot_be_listed_is_named():
    with pytest.raises(InvalidTaskError, match=r"^'\./mine' cannot be read \(No such file or directory\)\.$"):
        found()


@pytest.mark.parametrize(
    ("file", "suffix", "kind"),
    [
        ("a.npz", ".npz", Kind.ARRAYS),
        ("A.CSV", ".csv", Kind.TABLES),
        ("a.b.tsv", ".tsv", Kind.TABLES),
        ("a.Parquet", ".parquet", Kind.TABLES),
        ("task/class/1.txt", ".txt", Kind.TEXTS),
    ],
)
def test_the_kind_of_a_file_follows_from_its_ending_in_any_case(file, suffix, kind):
    assert (suffix_of(file), kind_of(file)) == (suffix, kind)


def test_a_name_with_a_leading_dot_is_hidden():
    assert [is_hidden(name) for name in (".git", "._a.csv", "a.csv", "a.")] == [True, True, False, False]


def test_errors_name_a_file_with_one_slash_after_the_folder():
    assert inside("./mine", "a.csv") == inside("./mine/", "a.csv") == "./mine/a.csv"
