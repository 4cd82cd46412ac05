from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from lcbench.data.folders import content_hash as module
from lcbench.data.folders.content_hash import file_hashes

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


EXPECTED = {"a.csv": hashlib.sha256(b"one").hexdigest(), "b/c.txt": hashlib.sha256(b"two").hexdigest()}


def test_files_are_hashed_once(folder, read):
    assert both(folder) == both(folder) == EXPECTED
    assert read == ["a.csv", "c.txt"]


def test_large_files_are_hashed_in_pieces(write):
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


def test_a_file_that_has_just_changed_is_not_remembered(folder, read):
    (folder / "a.csv").write_text("six")
    both(folder)
    (folder / "a.csv").write_text("ten")  # as long, and perhaps within the same tick of the clock
    assert both(folder)["a.csv"] == hashlib.sha256(b"ten").hexdigest()
    assert read == ["a.csv", "c.txt", "a.csv"]


def test_a_file_from_the_future_is_not_remembered(folder, read):
    later = LONG_AGO * 2
    os.utime(folder / "a.csv", ns=(later, later))
    both(folder)
    both(folder)
    assert read == ["a.csv", "c.txt", "a.csv"]


def test_folders_do_not_share_what_is_remembered(folder, write):
    both(folder)
    other = write({"a.csv": "ONE", "b/c.txt": "TWO"}, "other").absolute()
    for file in ("a.csv", "b/c.txt"):
        os.utime(other / file, ns=(LONG_AGO, LONG_AGO))
    assert both(other)["a.csv"] == hashlib.sha256(b"ONE").hexdigest()


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b'{"folder": 1}', b'{"files": {"a.csv": 3}}', b"[" * 100_000, b"\xff"]
)
def test_a_damaged_cache_is_no_cache(folder, cache, read, damage):
    both(folder)
    (file,) = (cache / "hashes").iterdir()
    file.write_bytes(damage)
    assert both(folder) == EXPECTED
    assert read == ["a.csv", "c.txt"] * 2


def test_the_cache_of_another_folder_is_not_believed(folder, cache, read):
    both(folder)
    (file,) = (cache / "hashes").iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), "folder": "/elsewhere"}))
    both(folder)
    assert read == ["a.csv", "c.txt"] * 2


def test_a_cache_that_cannot_be_written_is_done_without(folder, cache):
    cache.write_text("a file where the folder should be")
    assert both(folder) == EXPECTED


def test_without_the_cache_nothing_is_remembered(folder, cache, read):
    file_hashes(folder, ["a.csv"], cached=False)
    file_hashes(folder, ["a.csv"], cached=False)
    assert read == ["a.csv", "a.csv"]
    assert not cache.exists()
