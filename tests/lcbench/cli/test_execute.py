from __future__ import annotations

import json
from pathlib import Path

import pytest

from lcbench.running.executor import InProcess

SMALL = ("-s", "digits:tasks=2", "--metric", "ri")
ONE = ("run", "-m", "one-cluster", *SMALL)
TWO = (*ONE, "-m", "random")
FAILING = ("run", "-m", "l2sc:k=500", "-m", "one-cluster", "--no-baseline", *SMALL)


@pytest.fixture
def no_data(cache, monkeypatch):
    """An empty cache and no network: streams that need raw data cannot be loaded."""
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")


@pytest.mark.usefixtures("no_data")
def test_no_stream_is_run_when_the_data_of_one_are_not_available(command, tmp_path):
    called = command("run", "-s", "digits", "-s", "webkb4", "--out", str(tmp_path / "out"), "--json")
    assert (called.code, called.out) == (3, "")
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("no_data")
def test_all_streams_without_data_are_named_at_once(command):
    called = command("run", "-s", "webkb4", "-s", "reuters")
    assert called.code == 3
    assert "The data of 'webkb4' are not available" in called.err
    assert "The data of 'reuters' are not available" in called.err


def test_run_fetches_the_data_it_needs_and_says_so_first(command, cache, tiny_stream, site):
    called = command("run", "-s", "tiny", "-m", "kmeans", "--json")
    assert called.code == 0
    assert [run["stream"] for run in called.runs] == ["tiny"]
    lines = called.err.splitlines()
    assert lines[0] == f"lcbench: tiny: fetching {site.url} (4.3 kB)"
    assert lines[1] == "lcbench: tiny: 24 documents, verified"


class Interrupted(InProcess):
    """Carries out so many runs; then Ctrl-C is pressed."""

    def __init__(self, runs: int) -> None:
        self.runs = runs

    def execute(self, runs, *more):
        yield from super().execute(runs[: self.runs], *more)
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("runs", "more", "way_on"),
    [(0, (), "goes on"), (1, (), "goes on"), (1, ("--fresh",), "without --fresh goes on")],
)
def test_an_interrupted_experiment_says_how_many_runs_are_kept_and_exits_130(command, monkeypatch, runs, more, way_on):
    with monkeypatch.context() as patch:
        patch.setattr("lcbench.experiment.pipeline.executor_of", lambda _: Interrupted(runs))
        called = command(*TWO, *more)
    assert (called.code, called.out) == (130, "")
    assert called.err.endswith(
        f"lcbench: interrupted; {runs} of 2 runs are kept in 'lcbench-results': the same command {way_on} with the "
        "others.\n"
    )
    assert len(list(Path("lcbench-results", "runs").iterdir())) == runs
    rest = command(*TWO)
    assert rest.code == 0
    assert ("2 runs: 1 done already, 1 to do\n" in rest.err) == (runs == 1)


def test_runs_that_failed_before_are_counted_when_there_is_something_to_do(command):
    command(*FAILING)
    called = command(*FAILING, "-m", "random")
    expected = "3 runs: 1 done already, 1 failed before (--retry-failed runs them again), 1 to do\n"
    assert expected in called.err


def test_the_reason_of_a_failed_run_is_one_line_on_standard_error_and_the_exit_code_is_1(command):
    called = command("run", "--json", "-q", "-m", "l2sc:k=500", "--no-baseline")
    assert called.code == 1
    reason = "Task 'task-1' has 80 samples, too few for an embedding of 500 dimensions: lower k."
    assert called.err == f"lcbench: l2sc:k=500 on digits failed after 0 of 4 tasks: {reason}\n"
    assert json.loads(called.out)["error"] == reason


def test_only_debug_shows_where_a_run_failed(command):
    failing = ("run", "-m", "l2sc:k=500", "--no-baseline")
    assert "Traceback" not in command(*failing).err
    called = command("--debug", *failing)
    assert called.code == 1
    assert "Traceback (most recent call last)" in called.err
