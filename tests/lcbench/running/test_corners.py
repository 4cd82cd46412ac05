from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from lcbench.errors import OutputError
from lcbench.running.corners import PREFIX, Corners, remove_folder


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_every_corner_is_a_new_empty_folder_that_only_its_user_enters(temporary):
    corners = Corners()
    first, second = corners.new(), corners.new()
    assert first != second
    for corner in (first, second):
        assert list(corner.iterdir()) == []
        assert corner.is_relative_to(temporary.resolve())
        assert corner.stat().st_mode & 0o777 == 0o700
    corners.close()


def test_nothing_is_made_before_it_is_needed_and_nothing_is_left_at_the_end(temporary):
    corners = Corners()
    assert list(temporary.iterdir()) == []
    (corners.new() / "file").write_text("x")
    corners.close()
    assert list(temporary.iterdir()) == []
    corners.close()
    assert corners.new().is_dir(), "it may be used again"
    corners.close()


def test_a_folder_that_somebody_removed_is_made_again(temporary):
    corners = Corners()
    remove_folder(corners.new().parent)
    assert corners.new().is_dir()
    corners.close()


@pytest.mark.parametrize("name", ["d", "d" * 200])  # many folders deep, and with paths that are too long as well
def test_a_folder_is_removed_however_deep_a_method_made_it(temporary, name):
    folder = temporary / "deep"
    folder.mkdir()
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.fchmod(here, 0)
    os.close(here)
    remove_folder(folder)
    assert list(temporary.iterdir()) == []


def test_where_a_method_puts_a_link_in_place_of_a_folder_the_link_is_removed_and_nothing_behind_it(temporary):
    inner = temporary / "elsewhere" / "inner"
    inner.mkdir(parents=True)
    inner.chmod(0o500)
    (temporary / "folder").symlink_to(inner.parent)
    remove_folder(temporary / "folder")
    assert [path.name for path in temporary.iterdir()] == ["elsewhere"]
    assert inner.stat().st_mode & 0o777 == 0o500


def test_the_folder_of_a_killed_process_is_removed_and_one_in_use_or_young_stays(temporary):
    left, young = temporary / f"{PREFIX}left", temporary / f"{PREFIX}young"
    for folder in (left, young):
        folder.mkdir()
        (folder / "lock").touch()
    os.utime(left, (time.time() - 3600,) * 2)
    used, other = Corners(), Corners()
    in_use = used.folder
    os.utime(in_use, (time.time() - 3600,) * 2)
    assert {path.name for path in temporary.iterdir()} == {in_use.name, young.name}
    assert {path.name for path in temporary.iterdir()} | {other.folder.name} == {
        path.name for path in temporary.iterdir()
    }
    assert in_use.exists()
    used.close()
    other.close()


@pytest.mark.parametrize("mode", [0o000, 0o500, 0o100])
def test_what_was_made_unreadable_is_removed_too(tmp_path, mode):
    folder = tmp_path / "corner"
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "file").write_text("x")
    (inner / "file").chmod(0)
    inner.chmod(mode)
    inner.parent.chmod(mode)
    folder.chmod(mode)
    remove_folder(folder)
    assert not folder.exists()


def test_a_link_out_of_a_corner_is_removed_and_not_followed(tmp_path):
    outside, corner = tmp_path / "outside", tmp_path / "corner"
    for folder in (outside, corner):
        folder.mkdir()
    (outside / "kept").write_text("x")
    outside.chmod(0o755)
    (corner / "link").symlink_to(outside)
    (corner / "locked").mkdir(mode=0)
    remove_folder(corner)
    assert not corner.exists()
    assert (outside / "kept").read_text() == "x"
    assert outside.stat().st_mode & 0o777 == 0o755


def test_without_a_temporary_folder_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(Path("missing").absolute()))
    with pytest.raises(OutputError, match=r"Runs need a temporary folder \(.*\): set TMPDIR to one that has room\."):
        Corners().new()


def test_names_cannot_be_guessed_and_a_folder_of_all_that_was_spoiled_is_replaced(temporary):
    corners = Corners()
    first = corners.new()
    assert not first.name.isdigit()
    shutil.rmtree(first.parent)
    first.parent.write_text("a file in its place")
    assert list(corners.new().iterdir()) == []
    first.parent.unlink()
    first.mkdir(parents=True)  # as of one that was made while another process removed the folder of all
    corners.close()
    assert list(temporary.iterdir()) == []
