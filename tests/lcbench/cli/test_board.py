"""`lcbench board build` checks submissions, leaves out those with faults, and writes a page with CSV and JSON."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import pytest

from lcbench.submission.folder import folder_faults

WRITTEN = ["board.csv", "board.json", "index.html"]


def names(folder: str) -> list[str]:
    return sorted(file.name for file in Path(folder).iterdir())


def test_a_submission_that_passes_is_on_the_board(command, submission):
    called = command("board", "build", str(submission), "--out", "made/site")
    assert called.code == 0, called.err
    assert called.lines[0] == "small-1: 2 methods on 2 streams"
    assert names("made/site") == WRITTEN
    assert "only a rerun can detect forgery" in called.err
    with Path("made/site/board.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    (board,) = json.loads(Path("made/site/board.json").read_text())["boards"]
    assert {row["method"] for row in rows} == {entry["method"] for entry in board["entries"]} == {
        "kmeans", "mini-batch-kmeans",
    }  # fmt: skip
    assert {row["level"] for row in rows} == {"scored"}


def test_one_with_a_fault_is_named_and_left_out(command, submission):
    bad = shutil.copytree(submission, "bad")
    (Path(bad) / "submission.toml").write_text("x = 1")
    (Path(bad) / "more.txt").touch()
    called = command("board", "build", "bad", str(submission))
    assert called.code == 1
    assert called.lines[0].startswith("Left out bad: ")
    assert called.lines[0].endswith("'lcbench submit check bad' names all 2 faults.")
    assert names("site") == WRITTEN
    assert list(folder_faults(submission)) == []


def test_a_folder_that_is_not_there_is_a_mistake_in_the_call(command, submission):
    called = command("board", "build", str(submission), "nowhere")
    assert (called.code, called.out) == (2, "")
    assert "There is no folder 'nowhere'" in called.err
    assert not Path("site").exists()


def test_without_a_submission_nothing_is_written(command):
    Path("empty").mkdir()
    called = command("board", "build", "empty")
    assert called.code == 1
    assert called.lines[0].startswith("Left out empty: ")
    assert "nothing was written" in called.err
    assert not Path("site").exists()


def test_the_same_submission_counts_once(command, submission):
    shutil.copytree(submission, "again")
    called = command("board", "build", str(submission), "again")
    assert called.code == 0
    assert "again: the same submission as" in called.err
    assert called.lines[0] == "small-1: 2 methods on 2 streams"


def test_a_verification_gives_its_level(command, submission):
    command("submit", "verify", str(submission), "--sample", "2", "--nonce", "n", "-q")
    assert command("board", "build", str(submission)).code == 0
    (board,) = json.loads(Path("site/board.json").read_text())["boards"]
    assert {entry["level"] for entry in board["entries"]} == {"verified"}
    assert board["entries"][0]["verification"]["nonce"] == "n"


@pytest.mark.usefixtures("no_data")
def test_without_the_data_a_submission_is_left_out_with_3(command, submission):
    called = command("board", "build", str(submission))
    assert called.code == 3
    assert "not computed again" in called.lines[0]
    assert not Path("site").exists()


def test_a_folder_that_cannot_be_made_is_refused_in_a_sentence(command, submission):
    Path("site").touch()
    called = command("board", "build", str(submission))
    assert called.code == 2
    assert "The folder 'site' cannot be made" in called.err
