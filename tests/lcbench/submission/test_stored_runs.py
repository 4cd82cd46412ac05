"""Files that nobody should unpack or unpickle are in scenarios/test_tampering.py as well."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from making import make_record, make_results

from lcbench.errors import RecordError
from lcbench.submission import stored_runs
from lcbench.submission.stored_runs import StoredRuns, check_archive


@pytest.fixture
def run():
    labels = [{"a": np.array([0, 1, 1])}, {"a": np.array([0, 1, 0]), "b": np.array([1, 0])}]
    return make_record("m", labels=labels, environment={"python": "3.11"})


def test_a_run_is_loaded_with_its_labels_and_its_machine(run):
    make_results(run, folder="submission/results")
    runs = StoredRuns(Path("submission"))
    assert runs.ids() == [run.run_id]
    found = runs.load(run.run_id)
    assert found.environment == {"python": "3.11"}
    assert [{task: list(labels) for task, labels in step.items()} for step in found.labels] == [
        {"a": [0, 1, 1]},
        {"a": [0, 1, 0], "b": [1, 0]},
    ]


def test_a_run_without_its_labels_and_labels_without_a_run_are_noticed(run):
    store = make_results(run, folder="submission/results")
    store.labels_file(run.run_id).rename(store.labels_file("0" * 64))
    runs = StoredRuns(Path("submission"))
    assert runs.labels_without_record() == ["0" * 64]
    with pytest.raises(RecordError, match="its labels are missing"):
        runs.load(run.run_id)


def archive(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return made.getvalue()


def test_labels_that_unpack_to_more_than_allowed_are_refused_unread(monkeypatch):
    monkeypatch.setattr(stored_runs, "MOST_UNPACKED", 1_000_000)
    bomb = archive(labels=bytes(2_000_000))
    assert len(bomb) < 5000
    with pytest.raises(RecordError, match=r"its labels unpack to 2\.0 MB, and 1\.0 MB are allowed"):
        check_archive(bomb)


@pytest.mark.parametrize("content", [b"", b"PK", archive(labels=b""), archive(labels=b"\x93NUMPY\x09\x00")])
def test_what_is_no_archive_of_arrays_is_refused(content):
    with pytest.raises(RecordError, match="its labels are no archive of arrays"):
        check_archive(content)


def test_an_archive_as_runs_write_it_passes(run):
    store = make_results(run, folder="submission/results")
    check_archive(store.labels_file(run.run_id).read_bytes())
