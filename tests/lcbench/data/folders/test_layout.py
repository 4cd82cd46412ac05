from __future__ import annotations

import os
from pathlib import Path

import pytest

import lcbench
from lcbench.data.folders.layout import Kind, find_tasks, inside, read_layout
from lcbench.errors import InvalidTaskError, ParameterError, UnknownNameError


def layout(folder: Path = Path("mine")):
    return read_layout(folder.absolute(), f"./{folder}")


def names(found) -> list[str]:
    return [task.name for task in found.tasks]


def test_tasks_are_the_files_in_natural_order(array_folder):
    found = layout()
    assert found.kind is Kind.ARRAYS
    assert names(found) == ["task-1", "task-2", "task-10"]
    assert found.files == ("task-1.npz", "task-2.npz", "task-10.npz")


def test_tables_of_different_formats_are_one_kind(write):
    write({"a.csv": "", "b.TSV": "", "c.parquet": ""})
    assert layout().kind is Kind.TABLES
    assert names(layout()) == ["a", "b", "c"]


NO_TASK = r"^'\./mine' holds no task( \(it has \d.*\))?: .* task/cluster/\*\.txt, or task/\*\.txt"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ("a.npz b.csv", r"^'\./mine/a\.npz' and '\./mine/b\.csv' are of two kinds: "),
        ("a.csv b/x/1.txt", r"^'\./mine/a\.csv' and '\./mine/b/x/1\.txt' are of two kinds: "),
        ("a/1.txt b.npz c.npz", r"^'\./mine/a/1\.txt' and '\./mine/b\.npz' are of two kinds: "),
        ("a.csv a.tsv", r"^'\./mine/a\.csv' and '\./mine/a\.tsv' are both task 'a': give each a name"),
        ("a/x/1.txt a/2.txt", r"'\./mine/a/2\.txt' stands beside the folders of classes and '\./mine/a/x/1"),
        ("", NO_TASK),
        ("README.md", NO_TASK),
        ("1.txt 2.txt", NO_TASK),
        ("a/b/c/1.txt", NO_TASK),
    ],
)
def test_files_that_are_no_tasks_of_one_kind_and_different_names_are_refused(write, files, message):
    write(dict.fromkeys(files.split(), ""))
    with pytest.raises(InvalidTaskError, match=message):
        layout()


def test_a_misspelt_folder_gets_a_suggestion():
    Path("my-stream").mkdir()
    Path("my-strean.csv").touch()
    with pytest.raises(UnknownNameError, match=r"^There is no folder './my-steam'\. Did you mean 'my-stream'\?$"):
        layout(Path("my-steam"))
    with pytest.raises(UnknownNameError, match=r"^There is no folder './a/b'\.$"):
        layout(Path("a/b"))


def test_a_file_in_place_of_a_folder_is_refused():
    Path("a.csv").touch()
    with pytest.raises(
        InvalidTaskError, match=r"^'\./a\.csv' is a file, but a stream is a folder with one \.npz, \.csv"
    ):
        layout(Path("a.csv"))


def test_stream_toml_names_and_orders_the_tasks_and_leaves_out_the_others(write):
    write({"a.csv": "", "b.csv": "", "c.npz": "", "d/1.txt": "", "d/x/2.txt": ""})
    write({"stream.toml": '[[tasks]]\nfile = "b.csv"\n[[tasks]]\nfile = "a.csv"\nname = "the first"'})
    found = layout()
    assert [(task.name, task.files) for task in found.tasks] == [("b", ("b.csv",)), ("the first", ("a.csv",))]


def test_clusters_of_tasks_go_before_clusters_of_the_stream(write):
    write({"a.csv": "", "b.csv": "", "stream.toml": "clusters = 4"})
    assert (layout().clusters, [task.clusters for task in layout().tasks]) == (4, [None, None])
    write({"stream.toml": 'clusters = 4\n[[tasks]]\nfile = "a.csv"\nclusters = 2\n[[tasks]]\nfile = "b.csv"'})
    assert (layout().clusters, [task.clusters for task in layout().tasks]) == (None, [2, 4])


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (
            '[[tasks]]\nfile = "task1.csv"',
            r"lists 'task1\.csv', which is no task in that folder\. Did you mean 'task-1\.csv'\?",
        ),
        ('[[tasks]]\nfile = "../task-1.csv"', r"lists '\.\./task-1\.csv', which is no task"),
        ('[[tasks]]\nfile = ".hidden.csv"', r"lists '\.hidden\.csv', which is no task"),
        ('[[tasks]]\nfile = "task-1.csv"\n[[tasks]]\nfile = "task-1.csv"\nname = "b"', r"lists 'task-1\.csv' twice\."),
        ("[text]", r"sets 'text', which is for folders of texts and does nothing for tables: leave it out\."),
    ],
)
def test_a_stream_toml_that_does_not_fit_the_folder_is_refused(write, toml, message):
    write({"task-1.csv": "", ".hidden.csv": "", "stream.toml": toml})
    with pytest.raises(ParameterError, match=r"^'\./mine/stream\.toml' " + message):
        layout()


@pytest.mark.parametrize("setting", ['label = "y"', 'drop = ["y"]'])
@pytest.mark.parametrize(("file", "kind"), [("a.npz", "arrays"), ("a/1.txt", "texts")])
def test_settings_of_tables_are_refused_for_arrays_and_texts(write, setting, file, kind):
    write({file: "", "stream.toml": setting})
    with pytest.raises(
        ParameterError, match=rf"which is for tables \(\.csv, \.tsv, \.parquet\) and does nothing for {kind}"
    ):
        layout()


def test_parameters_with_colons_between_them_are_explained():
    Path("csv").mkdir()
    with pytest.raises(ParameterError, match=r"written key=value with commas between them, as in \./csv:clusters=4"):
        lcbench.load_stream("./csv:label=topic:clusters=2")


def found(only: set[str] | None = None) -> dict[str, tuple[str, ...]]:
    return find_tasks(Path("mine"), "./mine", only=only)


def test_hidden_and_other_files_are_ignored(write):
    ignored = ("README.md", "notes.txt", ".b.csv", "._a.csv", "plots/a.png", ".git/x.txt")
    write(dict.fromkeys(("a.csv", *ignored), ""))
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


def test_errors_name_a_file_with_one_slash_after_the_folder():
    assert inside("./mine", "a.csv") == inside("./mine/", "a.csv") == "./mine/a.csv"
