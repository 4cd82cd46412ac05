"""What tampering with the files of a folder leads to is in scenarios/test_tampering.py."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from lcbench.errors import SubmissionError
from lcbench.submission.folder import folder_faults, submission_id, write_manifest


@pytest.fixture
def folder() -> Path:
    made = Path("submission")
    (made / "results" / "runs").mkdir(parents=True)
    (made / "submission.toml").write_text("x = 1\n")
    (made / "results" / "runs" / f"{'a' * 64}.json").write_text("{}")
    return made


def test_the_manifest_has_the_sha256_of_every_file_and_its_own_is_the_id(folder):
    made = write_manifest(folder)
    content = (folder / "manifest.json").read_bytes()
    assert made == submission_id(folder) == hashlib.sha256(content).hexdigest()
    assert json.loads(content)["files"] == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in (f"results/runs/{'a' * 64}.json", "submission.toml")
    }
    assert list(folder_faults(folder)) == []


def test_a_verification_and_the_index_that_reading_leaves_are_no_fault(folder):
    write_manifest(folder)
    (folder / "verification.toml").touch()
    (folder / "results" / "index.json").touch()
    assert list(folder_faults(folder)) == []


def test_no_manifest_is_written_for_a_folder_with_something_else_in_it(folder):
    (folder / "notes.txt").touch()
    with pytest.raises(SubmissionError, match=r"notes\.txt: no submission holds such a file"):
        write_manifest(folder)


def test_a_folder_without_a_manifest_is_no_submission(folder):
    with pytest.raises(SubmissionError, match=r"is no submission: its manifest\.json cannot be read"):
        list(folder_faults(folder))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_refused_and_not_waited_for(folder):
    write_manifest(folder)
    (folder / "submission.toml").unlink()
    os.mkfifo(folder / "submission.toml")
    assert list(folder_faults(folder)) == ["submission.toml: it is no plain file"]


def test_a_manifest_that_is_a_link_is_refused(folder):
    write_manifest(folder)
    outside = (folder / "manifest.json").rename("elsewhere.json").absolute()
    (folder / "manifest.json").symlink_to(outside)
    assert list(folder_faults(folder)) == ["manifest.json: it is a link; a submission has none"]


@pytest.mark.parametrize("content", ["", '["x"]', '{"files": []}', '{"files": {"submission.toml": 1}}', "[" * 100_000])
def test_what_is_no_manifest_is_refused(folder, content):
    (folder / "manifest.json").write_text(content)
    assert list(folder_faults(folder)) == ["manifest.json: it is no manifest"]


def test_of_a_folder_with_too_many_files_no_more_are_looked_at(folder, monkeypatch):
    write_manifest(folder)
    monkeypatch.setattr("lcbench.submission.folder.MOST_FILES", 5)
    assert list(folder_faults(folder)) == []
    for i in range(100):
        (folder / "results" / f"{i}.txt").touch()
    faults = list(folder_faults(folder))
    assert sum("no submission holds such a file" in fault for fault in faults) <= 5
    assert any(fault.endswith(": there are more than 5 files") for fault in faults)
