from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lcbench.errors import OutputError
from lcbench.writing import ONE_DAY, make_folder, sweep, whole_file, write_whole


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
    assert seen[0] == b"old"  # the file, under its temporary name
    assert seen[1:] == ([b"new"] if os.name == "posix" else [])  # and then the folder
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("where", ["missing/file", "blocked/file", "folder"])
def test_a_place_that_cannot_be_written_is_an_output_error(tmp_path, where):
    (tmp_path / "blocked").write_text("a file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="could not be written"):
        write_whole(tmp_path / where, b"x")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["blocked", "folder"]


@pytest.fixture
def temporary(tmp_path):
    """The temporary name that a process of this machine gives a file `file`."""
    with whole_file(tmp_path / "file") as opened:
        name = Path(opened.name).name
    assert re.fullmatch(rf"\.file\.[0-9a-f]{{8}}-{os.getpid()}-[0-9a-f]{{8}}\.tmp", name)
    (tmp_path / "file").unlink()
    return name


@pytest.fixture
def gone():
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_file_is_written_in_pieces_and_there_when_the_block_ends(tmp_path):
    with whole_file(tmp_path / "file") as file:
        file.write(b"one ")
        assert not (tmp_path / "file").exists()
        file.write(b"two")
    assert (tmp_path / "file").read_bytes() == b"one two"


@pytest.mark.parametrize("error", [KeyError("x"), KeyboardInterrupt()], ids=repr)
def test_a_block_that_breaks_off_leaves_the_old_file_and_nothing_else(tmp_path, error):
    def break_off():
        with whole_file(tmp_path / "file") as file:
            file.write(b"half")
            raise error

    write_whole(tmp_path / "file", b"old")
    with pytest.raises(type(error)):
        break_off()
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


@pytest.mark.skipif(os.name != "posix", reason="folders are not flushed there")
@pytest.mark.parametrize(("number", "fails"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_file_system_that_cannot_flush_folders_is_no_failure_but_a_broken_disk_is(
    tmp_path, monkeypatch, number, fails
):
    flush = os.fsync

    def only_files(descriptor):
        if Path(tmp_path, "file").exists():
            raise OSError(number, os.strerror(number))
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    if fails:
        with pytest.raises(OutputError, match="could not be written"):
            write_whole(tmp_path / "file", b"new")
    else:
        write_whole(tmp_path / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]


def test_a_sweep_removes_what_processes_of_this_machine_left_that_are_gone(tmp_path, temporary, gone):
    alive = tmp_path / temporary
    dead = tmp_path / temporary.replace(f"-{os.getpid()}-", f"-{gone}-")
    elsewhere = tmp_path / re.sub(r"\.[0-9a-f]{8}-\d+-", f".00000000-{gone}-", temporary)
    before = tmp_path / f".file.{gone}-01234567.tmp"  # without a machine: there is no telling
    others = [tmp_path / name for name in ("file", "x.tmp", ".hidden.tmp", ".file.tmp")]
    for path in (alive, dead, elsewhere, before, *others):
        path.write_bytes(b"x")
    sweep(tmp_path)
    assert set(tmp_path.iterdir()) == {alive, elsewhere, before, *others}


def test_a_sweep_removes_what_anybody_left_a_day_ago(tmp_path, temporary):
    names = [temporary, re.sub(r"\.[0-9a-f]{8}-", ".00000000-", temporary), ".file.17-01234567.tmp", "file", ".x.tmp"]
    for name in names:
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time(), time.time() - ONE_DAY - 60))
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"file", ".x.tmp"}


def test_a_sweep_of_a_missing_folder_or_of_a_file_does_nothing(tmp_path):
    sweep(tmp_path / "missing")
    (tmp_path / "file").write_text("x")
    sweep(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 1), (errno.EDQUOT, 1), (errno.EACCES, 2)])
def test_a_full_disk_is_no_usage_error(tmp_path, monkeypatch, number, code):
    def full(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=os.strerror(number)) as refused:
        write_whole(tmp_path / "file", b"content")
    assert refused.value.exit_code == code
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_made_with_those_above_it_and_the_reason_is_told_where_it_cannot_be(tmp_path):
    for _ in range(2):
        make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"The folder '.*below' cannot be made \(Not a directory\)"):
        make_folder(tmp_path / "file" / "below")
