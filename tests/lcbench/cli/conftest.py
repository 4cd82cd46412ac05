"""The command line in this process, as a person would call it, and three stored runs."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

import pytest
import typer.main
from making import make_record, make_results

from lcbench.cli import main, waiting
from lcbench.records.record import CRASHED, FAILED, RunRecord
from lcbench.running.executor import InProcess
from lcbench.running.threads import VARIABLES


@pytest.fixture(scope="session", autouse=True)
def _signatures_and_entry_points_read_once():
    """Every call reads the signatures of all commands and the entry points of all packages: most of a call's time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_params_from_function", cache(typer.main.get_params_from_function))
        patch.setattr("lcbench.cli.app.entry_points", cache(entry_points))
        yield


@pytest.fixture(autouse=True)
def _loading_is_not_told(monkeypatch):
    """However slow the machine is, no line says that data are being loaded."""
    monkeypatch.setattr("lcbench.cli.execute.SECONDS_UNTIL_TOLD", 3600.0)


class Called(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def runs(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def lines(self) -> list[str]:
        """The lines of the output with single spaces."""
        return [" ".join(line.split()) for line in self.out.splitlines()]


@pytest.fixture
def command(monkeypatch, capsys, library_log):
    """Calls the command; what it sets for the process is taken back.

    Runs are carried out in this process, which starts faster: workers have tests of their own.
    """
    monkeypatch.setattr("lcbench.experiment.pipeline.executor_of", lambda _: InProcess())
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "1")

    def call(*arguments: str) -> Called:
        monkeypatch.setattr(sys, "argv", ["lcbench", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Called(ended.value.code, *capsys.readouterr())

    return call


@pytest.fixture
def interrupted(command, monkeypatch):
    """Calls the command; after so many runs Ctrl-C is pressed."""

    def call(runs: int, *arguments: str) -> Called:
        class Interrupted(InProcess):
            def execute(self, planned, *more):
                yield from super().execute(planned[:runs], *more)
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("lcbench.experiment.pipeline.executor_of", lambda _: Interrupted())
            return command(*arguments)

    return call


@pytest.fixture
def refused(command):
    """Calls the command, which must end with exit code 2 and one sentence, and gives the sentence."""

    def call(*arguments: str) -> str:
        called = command(*arguments)
        assert (called.code, called.out, called.err.count("\n")) == (2, "", 1)
        assert called.err.startswith("lcbench: ")
        return called.err.removeprefix("lcbench: ")

    return call


@pytest.fixture
def terminal(monkeypatch):
    """A person at a terminal who gives this answer."""

    def sit_down(answer: str) -> None:
        person = io.StringIO(answer)
        person.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", person)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        monkeypatch.setattr(waiting, "SECONDS_UNTIL_SHOWN", 600)  # else a slow machine draws its line

    return sit_down


@pytest.fixture
def on_screen(monkeypatch):
    """Returns the text that a call writes to standard error, if that is a terminal of so many columns."""

    def shown(columns: int, call: Callable[..., object], *arguments: object) -> str:
        screen = io.StringIO()
        screen.isatty = lambda: True
        with monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm-256color")
            patch.setenv("COLUMNS", str(columns))
            patch.setattr(sys, "stderr", screen)
            call(*arguments)
        return screen.getvalue()

    return shown


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a plugin for all processes that are started: its files, and a folder that says it is installed."""

    def write(name: str, files: dict[str, str]) -> None:
        facts = {
            "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n",
            "entry_points.txt": f"[lcbench]\n{name} = {name}\n",
        }
        for file, text in (files | {f"{name}-1.2.dist-info/{fact}": text for fact, text in facts.items()}).items():
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return write


class ThreeRuns(NamedTuple):
    ok: RunRecord
    failed: RunRecord
    crashed: RunRecord


@pytest.fixture
def runs() -> ThreeRuns:
    """A run of method m, a failed one of another method, and a crashed one of m on another stream; oldest first."""
    usual = {"method": "m", "stream_label": "s:tasks=2", "environment": {"python": "3.11"}}
    return ThreeRuns(
        make_record("mine", **usual),
        make_record(
            "theirs", [[0.5, None]], **usual | {"method": "other"}, status=FAILED, error="it broke",
            traceback=["line 1", "line 2"], finished="2026-01-02T00:00:00.000+00:00",
        ),
        make_record(
            "mine", method="m", stream="t", status=CRASHED, environment={"python": "3.12"},
            finished="2026-01-03T00:00:00.000+00:00",
        ),
    )  # fmt: skip


@pytest.fixture
def folder(runs) -> Path:
    """The default folder for results, with the three runs in it."""
    return make_results(*runs).folder


@pytest.fixture
def kept(folder, runs):
    """The names of the three runs that are still in the folder."""
    return lambda: {name for name, run in runs._asdict().items() if (folder / "runs" / f"{run.run_id}.json").exists()}
