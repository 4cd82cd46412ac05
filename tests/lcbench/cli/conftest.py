"""The command line in this process, as a person would call it, and three stored runs."""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import NamedTuple

import making
import pytest

from lcbench.cli import main
from lcbench.records.record import CRASHED, FAILED, RunRecord
from lcbench.running.executor import InProcess
from lcbench.running.threads import VARIABLES


class Called(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def runs(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def command(monkeypatch, capsys):
    """Calls the command; what it sets for the process is taken back.

    Runs are carried out in this process, which starts faster: workers have tests of their own.
    """
    monkeypatch.setattr("lcbench.experiment.pipeline.executor_of", lambda _: InProcess())
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "1")
    logger = logging.getLogger("lcbench")
    handlers, propagate, level = logger.handlers, logger.propagate, logger.level

    def call(*arguments: str) -> Called:
        monkeypatch.setattr(sys, "argv", ["lcbench", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Called(ended.value.code, *capsys.readouterr())

    yield call
    logger.handlers, logger.propagate = handlers, propagate
    logger.setLevel(level)


def two_task_record(**changes) -> RunRecord:
    """A run over north and south that ended well: purity 70.0 and nmi 35.0 on average after both tasks."""
    usual = {
        "label": "mine", "method": "m", "params": {"lam": 1.0}, "stream_params": {"tasks": 2}, "stream_digest": "s-1",
        "stream_label": "s:tasks=2", "stream_tasks": (), "order": ("north", "south"), "state_bytes": [10, 2000],
        "scores": {"purity": [[0.5, None], [0.6, 0.8]], "nmi": [[0.1, None], [0.2, 0.5]]},
        "environment": {"python": "3.11", "packages": {"numpy": "2.0"}},
    }  # fmt: skip
    return making.make_record(**usual | changes)


class ThreeRuns(NamedTuple):
    ok: RunRecord
    failed: RunRecord
    crashed: RunRecord


@pytest.fixture
def make_record():
    return two_task_record


@pytest.fixture
def runs() -> ThreeRuns:
    """A run of method m, a failed one of another method, and a crashed one of m on another stream; oldest first."""
    return ThreeRuns(
        two_task_record(),
        two_task_record(
            method="other", label="theirs", status=FAILED, error="it broke", traceback=["line 1", "line 2"],
            scores={"purity": [[0.5, None]]}, learn_seconds=[1.0], finished="2026-01-02T00:00:00.000+00:00",
        ),
        two_task_record(
            stream="t", stream_label="t", status=CRASHED, scores={}, state_bytes=[], environment={"python": "3.12"},
            finished="2026-01-03T00:00:00.000+00:00",
        ),
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch, runs) -> Path:
    """The default folder for results, with the three runs in it."""
    monkeypatch.chdir(tmp_path)
    making.make_results(*runs)
    return tmp_path / "lcbench-results"
