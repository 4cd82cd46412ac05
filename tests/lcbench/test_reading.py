from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest

from lcbench.reading import is_file, is_folder, is_there, read_regular


def test_a_regular_file_is_read_whole_up_to_the_bound(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)))
    assert read_regular(file) == read_regular(str(file), most=256) == bytes(range(256))
    with pytest.raises(OSError, match="it is larger than 255 B") as refused:
        read_regular(file, most=255)
    assert refused.value.filename == str(file)


@pytest.mark.parametrize("kind", ["pipe", "device", "link"])
def test_a_pipe_is_not_waited_for_and_a_device_is_not_read(tmp_path, kind):
    path = tmp_path / "file"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    with pytest.raises(OSError, match="it is no regular file"):
        read_regular("/dev/zero" if kind == "device" else path)


def test_what_is_missing_and_what_is_a_folder_have_their_own_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)


def test_files_are_closed_again(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    before = len(list(Path("/proc/self/fd").iterdir()))
    for path in (tmp_path / "pipe", tmp_path, __file__):
        with contextlib.suppress(OSError):
            read_regular(path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_path_that_cannot_be_one_is_nothing(tmp_path):
    for path in ("x" * 5000, "a\0b", tmp_path / "missing"):
        assert (is_there(path), is_file(path), is_folder(path)) == (False, False, False)
    assert (is_there(tmp_path), is_file(tmp_path), is_folder(tmp_path)) == (True, False, True)
    assert (is_there(__file__), is_file(__file__), is_folder(__file__)) == (True, True, False)
