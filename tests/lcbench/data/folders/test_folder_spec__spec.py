from __future__ import annotations

import os
import pickle
import re
from pathlib import Path

import pytest

from lcbench.contract.specs import resolve_params
from lcbench.data.folders.folder_spec import SOURCE, folder_spec
from lcbench.errors import InvalidTaskError, ParameterError
from lcbench.registry.catalogue import Registry


def digest() -> str:
    return folder_spec("./mine").digest


def test_a_folder_has_a_spec_that_could_be_registered(array_folder):
    spec = folder_spec("./mine")
    assert spec.name == "mine"
    assert spec.fixed["folder"] == str(array_folder.absolute())
    assert [shape.name for shape in spec.shapes({})] == ["task-1", "task-2", "task-10"]
    assert re.fullmatch(r"folder-1-[0-9a-f]{64}", spec.digest)
    assert spec.summary == "3 .npz files, one per task"
    assert spec.card.what == "your own data: 3 .npz files, one per task"
    assert spec.card.source == str(array_folder.absolute())
    assert Registry().streams.check(spec, SOURCE) is spec
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_the_name_comes_from_the_folder_wherever_one_stands(array_folder, monkeypatch):
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


@pytest.mark.parametrize(
    ("file", "params"),
    [
        ("a.npz", ["clusters"]),
        ("a.csv", ["label", "clusters"]),
        ("a/b/1.txt", ["clusters", "weighting", "max_features", "idf"]),
    ],
)
def test_only_parameters_that_do_something_are_taken(write, file, params):
    write({file: ""})
    spec = folder_spec("./mine")
    assert [param.name for param in spec.params] == params
    for name in {"label", "weighting"} - set(params):
        with pytest.raises(ParameterError, match=f"Stream 'mine' has no parameter '{name}'"):
            resolve_params("Stream 'mine'", spec.params, {name: "x"})


def test_stream_toml_gives_the_defaults(write):
    write(
        {"a/b/1.txt": "", "stream.toml": 'clusters = 3\n[text]\nweighting = "log"\nmax_features = "none"\nidf = "pool"'}
    )
    assert resolve_params("s", folder_spec("./mine").params, {}) == {
        "clusters": 3, "weighting": "log", "max_features": None, "idf": "pool",
    }  # fmt: skip


def test_the_digest_is_that_of_names_and_contents_and_of_nothing_else(array_folder, write):
    before = digest()
    os.utime(array_folder / "task-1.npz")
    write({"README.md": "other files", ".hidden.npz": "x"})
    write({"stream.toml": 'name = "other"\nwhat = "said"\nclusters = 3'})  # the name and clusters are in every record
    array_folder.rename("moved")
    assert folder_spec("./moved").digest == before


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "task-1.npz").write_bytes((folder / "task-2.npz").read_bytes()),
        lambda folder: (folder / "task-1.npz").rename(folder / "task-3.npz"),
        lambda folder: (folder / "task-1.npz").unlink(),
        lambda folder: (folder / "stream.toml").write_text('[[tasks]]\nfile = "task-1.npz"'),
    ],
)
def test_other_files_are_another_digest(array_folder, change):
    before = digest()
    change(array_folder)
    assert digest() != before


def test_settings_that_change_the_tasks_change_the_digest(text_folder, write):
    settings = (
        "", "[text]\nmin_df = 1", '[text]\nstop_words = "none"', "[text]\npattern = 'a+'",
        '[text]\nencoding = "latin-1"',
        '[[tasks]]\nfile = "texas"\n[[tasks]]\nfile = "cornell"',
        '[[tasks]]\nfile = "cornell"\nname = "new"\n[[tasks]]\nfile = "texas"',
        '[[tasks]]\nfile = "cornell"\nclusters = 3\n[[tasks]]\nfile = "texas"',
    )  # fmt: skip
    digests = {write({"stream.toml": text}) and digest() for text in settings}
    assert len(digests) == len(settings)


def test_a_text_that_moves_to_another_class_is_another_digest(text_folder):
    before = digest()
    (text_folder / "texas/course/1.txt").rename(text_folder / "texas/student/9.txt")
    assert digest() != before


def test_a_file_that_may_not_be_read_is_named(array_folder, monkeypatch):
    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("lcbench.data.folders.content_hash._hash", refuse)
    with pytest.raises(InvalidTaskError, match=r"task-1\.npz' cannot be read \(Permission denied\)\."):
        digest()


def test_names_that_are_no_utf8_can_be_hashed(write):
    write({})
    try:
        Path(os.fsdecode(b"mine/caf\xe9.csv")).write_text("x\n1\n")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert digest().startswith("folder-1-")
