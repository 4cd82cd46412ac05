from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from making import make_record, make_results

from lcbench.records.index import Index, IndexEntry
from lcbench.records.record import FAILED
from lcbench.records.store import RunStore


@pytest.fixture
def reads(monkeypatch):
    """The ids of the run files that are read, in turn."""
    seen = []
    read = RunStore._read

    def watched(self, run_id):
        seen.append(run_id)
        return read(self, run_id)

    monkeypatch.setattr(RunStore, "_read", watched)
    return seen


def test_an_entry_has_the_key_facts_of_its_run(tmp_path):
    run = make_record(
        "mine", {"a": 0.25, "b": 0.75}, method="kmeans", params={"n_init": 5}, stream="blobs", stream_label="ours",
        seed=3, repeat=2, audit={"poison": {"passed": True}, "isolate": {"passed": None}},
        experiments=("my experiment",), order_kinds=("fixed",), finished="2026-01-02T03:04:05.678+00:00",
    )  # fmt: skip
    entry = make_results(run, folder=tmp_path).index()[run.run_id]
    assert (entry.status, entry.method, entry.label, entry.stream_label) == ("ok", "kmeans", "mine", "ours")
    assert (entry.params, entry.stream, entry.order) == ({"n_init": 5}, "blobs", ("a", "b"))
    assert (entry.seed, entry.repeat, entry.tune, entry.verified) == (3, 2, "none", True)
    assert (entry.kinds, entry.experiments, entry.audit) == (("fixed",), ("my experiment",), ("isolate", "poison"))
    assert (entry.learn_seconds, entry.after_all) == (3.0, {"purity": 0.5})
    assert entry.finished == run.finished
    assert f"{entry.when:%Y-%m-%d %H:%M:%S}" == "2026-01-02 03:04:05"


def test_a_failed_run_has_no_averages(tmp_path, record):
    failed = replace(record, status=FAILED, scores={"nmi": [[0.5, None]]})
    assert make_results(failed, folder=tmp_path).index()[failed.run_id].after_all == {}


def test_only_new_and_changed_files_are_read_and_deleted_ones_are_dropped(tmp_path, record, reads):
    first, second, third = (replace(record, seed=seed) for seed in range(3))
    store = make_results(first, second, folder=tmp_path)
    assert set(store.index()) == {first.run_id, second.run_id}
    reads.clear()
    assert set(RunStore(tmp_path).index()) == {first.run_id, second.run_id}
    assert reads == []
    make_results(third, folder=tmp_path)
    os.utime(store.run_file(first.run_id), ns=(1, 1))
    store.run_file(second.run_id).unlink()
    reads.clear()
    changed = store.index()  # the same store, opened before the changes
    assert set(changed) == {first.run_id, third.run_id}
    assert changed[first.run_id].modified_ns == 1
    assert sorted(reads) == sorted([first.run_id, third.run_id])
    reads.clear()
    assert dict(RunStore(tmp_path).index()) == dict(changed)
    assert reads == []


def test_a_run_saved_again_is_seen_even_if_its_file_looks_the_same(tmp_path, record):
    store = make_results(replace(record, label="one"), folder=tmp_path)
    assert store.index()[record.run_id].label == "one"
    stat = store.run_file(record.run_id).stat()
    store.save(replace(record, label="two"))
    os.utime(store.run_file(record.run_id), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert store.run_file(record.run_id).stat().st_size == stat.st_size
    assert store.index()[record.run_id].label == "two"


def flipped(content):
    """The first file with a digit changed in a score: still JSON, but not what was written."""
    return content.replace(b"0.375", b"0.975")


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: None, lambda content: content[:-1], lambda content: b"\xff\xfe", lambda content: b"[" * 100_000,
        flipped,
        lambda content: content.replace(b'"index": 2', b'"index": 1'),
    ],
    ids=["missing", "cut", "bytes", "deep", "flipped", "older"],
)  # fmt: skip
def test_a_missing_or_damaged_index_is_rebuilt_without_a_warning(tmp_path, record, damage, caplog):
    made = make_results(record, folder=tmp_path).index()
    file = tmp_path / "index.json"
    content = file.read_bytes()
    damaged = damage(content)
    assert damaged != content
    file.unlink()
    if damaged is not None:
        file.write_bytes(damaged)
    assert dict(RunStore(tmp_path).index()) == dict(made)
    assert made[record.run_id].after_all == {"nmi": 0.375}
    assert file.read_bytes() == content
    assert caplog.records == []


def test_an_index_that_cannot_be_written_is_still_returned(tmp_path, record, monkeypatch):
    store = make_results(record, folder=tmp_path)
    (tmp_path / "index.json").mkdir()
    assert set(store.index()) == {record.run_id}
    assert list((tmp_path / "index.json").iterdir()) == []


def test_other_files_beside_the_run_files_are_ignored(tmp_path, record):
    store = make_results(record, folder=tmp_path)
    (tmp_path / "runs" / "notes.txt").write_text("mine")
    (tmp_path / "runs" / ".hidden.json").write_text("mine")
    (tmp_path / "runs" / "folder.json").mkdir()
    assert set(store.index()) == {record.run_id}
    assert (tmp_path / "runs" / "notes.txt").exists()


def test_runs_are_sorted_by_their_end_or_else_by_the_time_of_their_files(tmp_path, record):
    ends = ["2026-01-02T00:00:00+00:00", "2026-01-02T00:30:00+02:00", "2026-01-03T00:00:00+00:00", None, "soon"]
    runs = [replace(record, seed=seed, finished=end) for seed, end in enumerate(ends)]
    store = make_results(*runs, folder=tmp_path)
    os.utime(store.run_file(runs[3].run_id), (1, 1))
    os.utime(store.run_file(runs[4].run_id), (2, 2))
    order = [entry.seed for _, entry in store.index().newest_first()]
    assert order == [2, 0, 1, 4, 3]


def test_an_index_survives_being_written_and_read(tmp_path, record):
    named = replace(record, seed=2, experiments=("one", "two"), order_kinds=("fixed", "random"))
    index = make_results(
        record, replace(record, seed=1, params={"a": [1, 2], "b": None}), named, folder=tmp_path
    ).index()
    again = Index.from_bytes(index.to_bytes())
    assert dict(again) == dict(index)
    assert all(isinstance(entry, IndexEntry) and isinstance(entry.order, tuple) for entry in again.values())
    assert (again[named.run_id].kinds, again[named.run_id].experiments) == (("fixed", "random"), ("one", "two"))


def test_runs_are_found_and_read_without_numpy(tmp_path):
    make_results(make_record(), folder=tmp_path)
    script = """
import json, sys
from lcbench.records.store import RunStore
store = RunStore(sys.argv[1])
(run_id,) = store.index()
store.save(store.load(run_id))
print(json.dumps([m for m in ("numpy", "scipy", "sklearn", "rich", "typer") if m in sys.modules]))
"""
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == []
