from __future__ import annotations

import os
import pickle
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcbench.contract.specs import resolve_params
from lcbench.data.folders.folder_spec import SOURCE, content_hash, folder_spec, name_from
from lcbench.data.folders.layout import read_layout
from lcbench.errors import InvalidTaskError, ParameterError
from lcbench.registry.catalogue import Registry
from lcbench.registry.names import is_name


def test_a_folder_has_a_spec_that_could_be_registered(array_folder):
    spec = folder_spec("./mine")
    assert spec.name == "mine"
    assert spec.fixed["folder"] == str(array_folder.absolute())
    assert [shape.name for shape in spec.shapes({})] == ["task-1", "task-2", "task-10"]
    assert re.fullmatch(r"folder-1-[0-9a-f]{64}", spec.digest)
    assert spec.digest == f"folder-1-{content_hash(read_layout(array_folder, './mine'))}"
    assert spec.summary == "3 .npz files, one per task"
    assert spec.card.what == "your own data: 3 .npz files, one per task"
    assert spec.card.source == str(array_folder.absolute())
    assert Registry().streams.check(spec, SOURCE) is spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_the_name_comes_from_the_folder_whatever_the_working_directory(array_folder, monkeypatch):
    assert folder_spec(str(array_folder.absolute()) + "/").name == "mine"
    monkeypatch.chdir(array_folder)
    assert folder_spec(".").name == folder_spec("../mine").name == "mine"
    assert folder_spec(".").digest == folder_spec("../mine").digest


def test_a_tilde_is_the_home_folder(array_folder, monkeypatch):
    monkeypatch.setenv("HOME", str(Path.cwd()))
    monkeypatch.setenv("USERPROFILE", str(Path.cwd()))
    assert folder_spec("~/mine").name == "mine"


def test_stream_toml_names_the_stream_unless_the_caller_does(array_folder, write):
    write({"stream.toml": 'name = "blobs"\nwhat = "Blobs"\nsource = "a generator"\nlicence = "CC0"'})
    spec = folder_spec("./mine")
    assert (spec.name, spec.card.what, spec.card.source, spec.card.licence) == ("blobs", "Blobs", "a generator", "CC0")
    assert folder_spec("./mine", name="other").name == "other"


def test_the_summary_counts_files_by_their_ending_and_texts_by_their_task(write, text_folder):
    assert folder_spec("./mine").summary == "7 texts in 2 folders, one per task"
    write({"a.csv": "", "b.TSV": "", "c.csv": ""}, "tables")
    assert folder_spec("./tables").summary == "3 .csv and .tsv files, one per task"


def test_the_card_says_how_texts_become_words(write, text_folder):
    (note,) = folder_spec("./mine").card.notes
    assert note.startswith("Words are two letters or more, of any alphabet, lower-cased, without scikit-learn's ")
    assert "in at least 2 texts; texts are read as utf-8." in note
    write({"stream.toml": "[text]\nmin_df = 1\nstop_words = 'none'\npattern = '[a-z]+'\nencoding = 'latin-1'"})
    (note,) = folder_spec("./mine").card.notes
    assert note.startswith("Words are what matches [a-z]+, lower-cased, stop words included, in at least 1 text; ")
    assert "texts are read as latin-1." in note


def test_a_path_is_made_absolute_without_following_links(array_folder):
    Path("link").symlink_to(array_folder.absolute())
    assert folder_spec("./link/../link").fixed["folder"] == str(Path.cwd() / "link")


@given(st.text(max_size=20))
def test_every_folder_has_a_name_that_a_stream_may_have(basename):
    assert is_name(name_from(basename))


@pytest.mark.parametrize(
    ("basename", "name"),
    [
        ("A_b.c-1", "A_b.c-1"),
        ("9news", "9news"),
        ("my data (2)", "my-data-2"),
        (".hidden", "hidden"),
        ("数据", "folder"),
        ("", "folder"),
    ],
)
def test_characters_that_a_name_cannot_have_are_replaced(basename, name):
    assert name_from(basename) == name


@pytest.mark.parametrize(
    ("file", "params"),
    [
        ("a.npz", ["clusters"]),
        ("a.csv", ["label", "clusters"]),
        ("a/b/1.txt", ["clusters", "weighting", "max_features", "idf"]),
    ],
)
def test_a_folder_takes_only_the_parameters_that_have_an_effect_on_its_kind(write, file, params):
    write({file: ""})
    spec = folder_spec("./mine")
    assert [param.name for param in spec.params] == params
    for name in {"label", "weighting"} - set(params):
        with pytest.raises(ParameterError, match=f"Stream 'mine' has no parameter '{name}'"):
            resolve_params("Stream 'mine'", spec.params, {name: "x"})


def test_the_defaults_are_taken_from_stream_toml(write):
    write(
        {"a/b/1.txt": "", "stream.toml": 'clusters = 3\n[text]\nweighting = "log"\nmax_features = "none"\nidf = "pool"'}
    )
    assert resolve_params("s", folder_spec("./mine").params, {}) == {
        "clusters": 3, "weighting": "log", "max_features": None, "idf": "pool",
    }  # fmt: skip


def content(folder: str = "mine") -> str:
    return content_hash(read_layout(Path(folder).absolute(), f"./{folder}"))


def test_the_hash_depends_on_names_and_contents_of_task_files_alone(array_folder, write):
    before = content()
    os.utime(array_folder / "task-1.npz")
    write({"README.md": "other files", ".hidden.npz": "x"})
    write({"stream.toml": 'name = "other"\nwhat = "said"\nclusters = 3'})  # the name and clusters are in every record
    array_folder.rename("moved")
    assert content("moved") == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "task-1.npz").write_bytes((folder / "task-2.npz").read_bytes()),
        lambda folder: (folder / "task-1.npz").rename(folder / "task-3.npz"),
        lambda folder: (folder / "task-1.npz").unlink(),
        lambda folder: (folder / "stream.toml").write_text('[[tasks]]\nfile = "task-1.npz"'),
    ],
)
def test_a_changed_renamed_removed_or_unlisted_file_changes_the_hash(array_folder, change):
    before = content()
    change(array_folder)
    assert content() != before


def test_settings_that_change_the_tasks_change_the_hash(text_folder, write):
    settings = (
        "", "[text]\nmin_df = 1", '[text]\nstop_words = "none"', "[text]\npattern = 'a+'",
        '[text]\nencoding = "latin-1"',
        '[[tasks]]\nfile = "texas"\n[[tasks]]\nfile = "cornell"',
        '[[tasks]]\nfile = "cornell"\nname = "new"\n[[tasks]]\nfile = "texas"',
        '[[tasks]]\nfile = "cornell"\nclusters = 3\n[[tasks]]\nfile = "texas"',
    )  # fmt: skip
    hashes = {write({"stream.toml": text}) and content() for text in settings}
    assert len(hashes) == len(settings)


def test_a_file_without_permission_to_read_is_named(array_folder, monkeypatch):
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("lcbench.data.folders.folder_spec._hash", refuse)
    with pytest.raises(InvalidTaskError, match=r"task-1\.npz' cannot be read \(Permission denied\)\."):
        content()


def test_a_file_whose_name_is_not_utf8_can_be_hashed(write):
    write({})
    try:
        Path(os.fsdecode(b"mine/caf\xe9.csv")).write_text("x\n1\n")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert re.fullmatch("[0-9a-f]{64}", content())
