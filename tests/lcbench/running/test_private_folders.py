from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from actions import end_of, writes

from lcbench.running.private_folders import private_places


@pytest.fixture
def told(server, tmp_path, monkeypatch):
    """What a process says that writes to a folder with two files."""
    for name in ("old", "gone"):
        (tmp_path / name).write_text("as it was")
    monkeypatch.chdir(tmp_path)

    return lambda private: json.loads(end_of(server, writes, str(tmp_path), os.getpid(), private=private).output)


def test_what_a_process_with_private_folders_writes_there_reaches_no_other(server, told, tmp_path):
    if not server.has_private_folders:
        pytest.skip("the kernel gives processes no private folders here")
    found = told(private=True)
    assert found["seen"] == ["gone", "old"], "it sees what lay there before"
    assert sorted(found["here"]) == ["new", "old"], "and what it did itself"
    assert (found["unmounted"], found["refused"]) == ([], 2), "but cannot get behind it, nor by way of lcbench"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "as it was", "gone": "as it was"}


def test_without_them_it_does(told, tmp_path):
    told(private=False)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "changed", "new": "x"}


def test_a_folder_in_another_private_one_is_not_named_twice(tmp_path, monkeypatch):
    monkeypatch.setattr("lcbench.running.private_folders.SHARED", (str(tmp_path), str(tmp_path / "missing")))
    inner = tmp_path / "home"
    inner.mkdir()
    monkeypatch.setenv("HOME", str(inner))
    assert private_places() == [Path(os.path.realpath(tmp_path))]
