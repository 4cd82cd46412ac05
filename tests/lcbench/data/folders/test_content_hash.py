from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from lcbench.data.folders import content_hash as module
from lcbench.data.folders.content_hash import content_hash, file_hashes
from lcbench.data.folders.layout import read_layout
from lcbench.errors import InvalidTaskError

LONG_AGO = 1_600_000_000_000_000_000


@pytest.fixture
def folder(write) -> Path:
    """Two files that were written long ago."""
    path = write({"a.csv": "one", "b/c.txt": "two"}).absolute()
    for file in ("a.csv", "b/c.txt"):
        os.utime(path / file, ns=(LONG_AGO, LONG_AGO))
    return path


@pytest.fixture
def read(monkeypatch) -> list[str]:
    """The files that were read to hash them."""
    files: list[str] = []
    genuine = module._hash

    def hash_and_note(path: Path) -> str:
        files.append(path.name)
        return genuine(path)

    monkeypatch.setattr(module, "_hash", hash_and_note)
    return files


def both(folder: Path) -> dict[str, str]:
    return file_hashes(folder, ["a.csv", "b/c.txt"])


def content(folder: str = "mine") -> str:
    return content_hash(read_layout(Path(folder).absolute(), f"./{folder}"))


EXPECTED = {"a.csv": hashlib.sha256(b"one").hexdigest(), "b/c.txt": hashlib.sha256(b"two").hexdigest()}


def test_an_unchanged_file_is_read_once_and_then_its_hash_comes_from_the_cache(folder, read):
    assert both(folder) == both(folder) == EXPECTED
    assert read == ["a.csv", "c.txt"]


def test_a_large_file_has_the_hash_that_hashlib_gives(write):
    content = os.urandom(3 * (1 << 20) + 17)
    folder = write({"a.npz": content}).absolute()
    assert file_hashes(folder, ["a.npz"]) == {"a.npz": hashlib.sha256(content).hexdigest()}


def test_a_file_that_has_another_size_or_time_is_read_again(folder, read):
    both(folder)
    read.clear()
    (folder / "a.csv").write_text("three")
    os.utime(folder / "a.csv", ns=(LONG_AGO, LONG_AGO))
    assert both(folder)["a.csv"] == hashlib.sha256(b"three").hexdigest()
    os.utime(folder / "a.csv", ns=(LONG_AGO + 1, LONG_AGO + 1))
    both(folder)
    assert read == ["a.csv", "a.csv"]


def test_a_file_that_has_just_changed_is_not_cached(folder, read):
    (folder / "a.csv").write_text("six")
    both(folder)
    (folder / "a.csv").write_text("ten")  # as long, and perhaps within the same tick of the clock
    assert both(folder)["a.csv"] == hashlib.sha256(b"ten").hexdigest()
    assert read == ["a.csv", "c.txt", "a.csv"]


def test_a_file_with_a_modification_time_in_the_future_is_not_cached(folder, read):
    later = LONG_AGO * 2
    os.utime(folder / "a.csv", ns=(later, later))
    both(folder)
    both(folder)
    assert read == ["a.csv", "c.txt", "a.csv"]


def test_two_folders_do_not_share_cached_hashes(folder, write):
    both(folder)
    other = write({"a.csv": "ONE", "b/c.txt": "TWO"}, "other").absolute()
    for file in ("a.csv", "b/c.txt"):
        os.utime(other / file, ns=(LONG_AGO, LONG_AGO))
    assert both(other)["a.csv"] == hashlib.sha256(b"ONE").hexdigest()


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"folder": 1}', b'{"files": {"a.csv": 3}}', b"[" * 100_000, b"\xff"]
)
def test_a_damaged_cache_is_ignored(folder, cache, read, damage):
    both(folder)
    (file,) = (cache / "hashes").iterdir()
    file.write_bytes(damage)
    assert both(folder) == EXPECTED
    assert read == ["a.csv", "c.txt"] * 2


def test_a_cache_file_written_for_another_folder_is_ignored(folder, cache, read):
    both(folder)
    (file,) = (cache / "hashes").iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), "folder": "/elsewhere"}))
    both(folder)
    assert read == ["a.csv", "c.txt"] * 2


def test_a_cache_that_cannot_be_written_is_no_error(folder, cache):
    cache.write_text("a file where the folder should be")
    assert both(folder) == EXPECTED


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

    monkeypatch.setattr(module, "_hash", refuse)
    with pytest.raises(InvalidTaskError, match=r"task-1\.npz' cannot be read \(Permission denied\)\."):
        content()


def test_a_file_whose_name_is_not_utf8_can_be_hashed(write):
    write({})
    try:
        Path(os.fsdecode(b"mine/caf\xe9.csv")).write_text("x\n1\n")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert re.fullmatch("[0-9a-f]{64}", content())
