from __future__ import annotations

import re
import sys
import threading
from pathlib import Path

import pytest

from lcbench.errors import DiskFullError
from lcbench.writing import whole_file

SMALL = ("-s", "digits:tasks=2", "--metric", "ri")
ONE = ("run", "-m", "one-cluster", *SMALL)
TWO = (*ONE, "-m", "random")
FAILING = ("run", "-m", "l2sc:k=500", "-m", "one-cluster", "--no-baseline", "--no-solo", *SMALL)
TUNED = ("run", "-m", "kmeans", "-m", "one-cluster", *SMALL, "--grid", "kmeans.n_init=1,2", "--tune", "oracle")
REASON = (
    "plugin 'spectral' of distribution 'lcbench': Task 'task-1' has 80 samples, too few for an embedding of 500 "
    "dimensions: lower k."
)


def test_all_streams_without_data_are_named_at_once_and_nothing_is_run(command, cache, monkeypatch, tmp_path):
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")
    called = command(
        "run", "-s", "digits", "-s", "webkb4", "-s", "reuters", "--results", str(tmp_path / "out"), "--json"
    )
    assert (called.code, called.out) == (3, "")
    assert "The data of 'webkb4' are not available" in called.err
    assert "The data of 'reuters' are not available" in called.err
    assert not (tmp_path / "out").exists()


def test_run_fetches_the_data_it_needs_and_says_so_first(command, cache, tiny_stream, site):
    called = command("run", "-s", "tiny", "-m", "kmeans", "--json")
    assert [(run["stream"], run["status"]) for run in called.runs] == [("tiny", "ok")]
    lines = called.err.splitlines()
    assert lines[0] == f"lcbench: tiny: fetching {site.url} (4.3 kB)"
    assert lines[1] == "lcbench: tiny: 24 documents, verified"


def test_data_that_take_longer_to_load_are_named_where_there_is_no_terminal(command, monkeypatch):
    from lcbench.experiment.stream_data import load_data

    told = threading.Event()

    def slow(backlog):
        assert told.wait(20)
        return load_data(backlog)

    def say(text):
        print(text, file=sys.stderr)
        told.set()

    monkeypatch.setattr("lcbench.experiment.pipeline.load_data", slow)
    monkeypatch.setattr("lcbench.cli.execute.say", say)
    monkeypatch.setattr("lcbench.cli.execute.SECONDS_UNTIL_TOLD", 0.01)
    assert command(*ONE).err.startswith("lcbench: loading digits:tasks=2\n[1/1]")


@pytest.mark.parametrize(
    ("runs", "more", "way_on"),
    [(0, (), "goes on"), (1, (), "goes on"), (1, ("--fresh",), "without --fresh goes on")],
)
def test_an_interrupted_experiment_says_how_many_runs_are_kept_and_exits_130(command, interrupted, runs, more, way_on):
    called = interrupted(runs, *TWO, *more)
    assert (called.code, called.out) == (130, "")
    assert called.err.endswith(
        f"lcbench: interrupted; {runs} of 2 runs are kept in 'lcbench-results': the same command {way_on} with the "
        "others.\n"
    )
    assert len(list(Path("lcbench-results", "runs").iterdir())) == runs
    rest = command(*TWO)
    assert rest.code == 0
    assert ("2 runs: 1 done already, 1 to do\n" in rest.err) == (runs == 1)


@pytest.mark.parametrize("debug", [(), ("--debug",)])
def test_the_reason_of_a_failed_run_is_one_line_and_only_debug_shows_where(command, debug):
    called = command(*debug, *FAILING, "--json", "-q")
    assert called.code == 1
    assert f"lcbench: l2sc:k=500 on digits:tasks=2 failed after 0 of 2 tasks: {REASON}\n" in called.err
    assert [run["error"] for run in called.runs] == [REASON, None]
    assert ("Traceback (most recent call last)" in called.err) == bool(debug)
    assert debug or called.err.count("\n") == 1


@pytest.mark.parametrize("runs", [0, 1])
def test_a_full_disk_says_how_many_runs_are_kept_and_exits_1(command, monkeypatch, runs):
    written = []

    def write(path):
        if len(written) == runs:
            raise DiskFullError(f"'{path}' could not be written (No space left on device).")
        written.append(path)
        return whole_file(path)

    with monkeypatch.context() as patch:
        patch.setattr("lcbench.records.store.whole_file", write)
        called = command(*TWO)
    assert (called.code, called.out) == (1, "")
    assert re.search(
        rf"lcbench: '.*\.json' could not be written \(No space left on device\); {runs} of 2 runs are kept in "
        r"'lcbench-results': the same command goes on with the others\.\n$",
        called.err,
    )
    assert "2 runs: 1 done already, 1 to do\n" in command(*TWO).err or runs == 0
