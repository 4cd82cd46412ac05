from __future__ import annotations

import os
from pathlib import Path

import pytest

from lcbench.errors import OutputError
from lcbench.writing import write_whole


def test_a_file_is_written_and_replaced_and_nothing_else_is_left(tmp_path):
    for content in (b"first", b"", b"\x00second"):
        write_whole(tmp_path / "file", content)
        assert (tmp_path / "file").read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_at_any_step_keeps_the_old_file_and_leaves_nothing_else(tmp_path, monkeypatch, step):
    write_whole(tmp_path / "file", b"old")

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*{"fsync": (os, "fsync"), "replace": (Path, "replace")}[step], fails)
    with pytest.raises(OutputError, match=r"file' could not be written \(No space left on device\)"):
        write_whole(tmp_path / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def test_the_file_has_its_name_only_when_all_of_it_is_on_the_disk(tmp_path, monkeypatch):
    write_whole(tmp_path / "file", b"old")
    seen = []
    flush = os.fsync

    def watched(descriptor):
        flush(descriptor)
        seen.append((tmp_path / "file").read_bytes())

    monkeypatch.setattr(os, "fsync", watched)
    write_whole(tmp_path / "file", b"new")
    assert seen == [b"old"]
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("where", ["missing/file", "blocked/file", "folder"])
def test_a_place_that_cannot_be_written_is_an_output_error(tmp_path, where):
    (tmp_path / "blocked").write_text("a file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="could not be written"):
        write_whole(tmp_path / where, b"x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["blocked", "folder"]
