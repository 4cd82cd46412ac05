"""The progress display of runs and downloads, and `--json`: a line of JSON per finished run."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from lcbench.cli import waiting
from lcbench.cli.messages import say
from lcbench.contract.hookspecs import hookimpl
from lcbench.data.sources.download import TransferListener, transfers_reported_to
from lcbench.experiment.tally import Tally
from lcbench.printable import counted, printable_line
from lcbench.records.record import OK

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord, Step
    from lcbench.running.planned_run import PlannedRun

SECONDS_BETWEEN_LINES = 2.0
SECONDS_OF_SILENCE = 30.0  # of a run, until a line says where it is; then twice as many until the next
SECONDS_BETWEEN_LOOKS = 1.0
NARROW = 100  # columns of a terminal that has room for a short bar only


@dataclass(slots=True)
class _Underway:
    """A run that is being carried out: how many tasks it has learned, since when, and when that is said next."""

    run: RunRecord
    learned: int
    since: float
    told: float

    def place(self, now: float) -> str:
        """The task that it is at, and since when."""
        order, seconds = self.run.order, now - self.since
        clock = time.strftime("%H:%M:%S", time.localtime(time.time() - seconds))
        if self.learned >= len(order):
            return f"still busy after its last task, since {clock} ({seconds:.0f} s)"
        at = f"task {self.learned + 1}/{len(order)} ({order[self.learned]})"
        return f"still at {at}, since {clock} ({seconds:.0f} s)"


class Progress:
    """Shows progress on standard error: a live line on a terminal, plain lines elsewhere.

    `tally` counts the runs; `add` raises its total by runs that are about to be carried out. A thread says of runs of
    which nothing was heard for a while what they are at.
    """

    def __init__(self, total: int = 0, *, quiet: bool = False) -> None:
        self.tally = Tally(total)
        self._quiet = quiet
        self._live: Any = None
        self._bar: Any = None
        self._last_line = time.monotonic()
        self._underway: dict[str, _Underway] = {}
        self._over = threading.Event()

    def __enter__(self) -> Self:
        if not self._quiet:
            threading.Thread(target=self._keep_watch, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        if self._live is not None:
            self._live.stop()

    def add(self, runs: Sequence[PlannedRun]) -> None:
        """Count runs that are about to start, and say how many of them learn one task alone."""
        self.tally.total += len(runs)
        if runs and not self._quiet:
            waiting.LINE.show("starting the first run")
        solos = sum(planned.solo for planned in runs)
        if solos and not self._quiet:
            say(f"Solo runs: {solos:,} of {len(runs):,}; each learns one task alone, to tell what others bring")

    @hookimpl
    def lcbench_run_started(self, run: RunRecord) -> None:
        """Show the run before its first task."""
        if self.tally.finished == 0:
            self._last_line = time.monotonic()
        if self._live is None and not self._quiet and sys.stderr.isatty():
            self._start()
        self._hear(run, 0)

    @hookimpl
    def lcbench_task_learned(self, run: RunRecord, step: Step) -> None:
        """Show how far the run is."""
        self._hear(run, step.learned)
        now = time.monotonic()
        if now - self._last_line >= SECONDS_BETWEEN_LINES and step.learned < len(run.order):
            self._line(
                f"{self._where(run)}: task {step.learned}/{len(run.order)} ({step.task}), {now - self._last_line:.0f} s"
            )

    @hookimpl
    def lcbench_run_finished(self, run: RunRecord) -> None:
        """Count the run."""
        self.tally.end(run)
        self._underway.pop(run.run_id, None)
        self._update(run, len(run.learn_seconds))
        spent = sum(run.learn_seconds) + sum(run.predict_seconds)
        ending = "done" if run.status == OK else run.status
        self._line(
            f"{self._where(run, self.tally.finished)}: {ending}, {counted(len(run.learn_seconds), 'task')}, "
            f"{spent:.2f} s{self.tally.left()}"
        )

    def look(self, now: float) -> None:
        """Say of each run of which nothing was heard for a while what it is at, on the live line or on a new one."""
        for each in list(self._underway.values()):  # other threads add and remove runs
            if now >= each.told:
                each.told = now + (now - each.since)
                before = self._last_line
                self._line(f"{self._where(each.run)}: {each.place(now)}")
                self._last_line = before  # the next line says how long the task took
            if now - each.since >= SECONDS_OF_SILENCE:
                self._update(each.run, each.learned, each.place(now))
        if self._live is not None:
            self._live.update(self._bar, clock=self.tally.times())

    def _keep_watch(self) -> None:
        while not self._over.wait(SECONDS_BETWEEN_LOOKS):
            self.look(time.monotonic())

    def _hear(self, run: RunRecord, learned: int) -> None:
        """Note that a run has got so far."""
        now = time.monotonic()
        self._underway[run.run_id] = _Underway(run, learned, now, now + SECONDS_OF_SILENCE)
        self.tally.hear(run, learned)
        self._update(run, learned)

    def _start(self) -> None:
        """Starts the live line, with the first run: until then there may be bars of downloads."""
        from rich.progress import BarColumn, TextColumn

        from lcbench.cli.console import error_output

        bar = BarColumn(bar_width=8 if error_output().width < NARROW else 20)
        self._live = _live_line(bar, TextColumn("{task.fields[clock]}", markup=False))
        self._bar = self._live.add_task("", total=None, clock="")

    def _where(self, run: RunRecord, number: int | None = None) -> str:
        return f"[{number or self.tally.finished + 1}/{self.tally.total}] {run.stream_label}: {_told(run)}"

    def _update(self, run: RunRecord, learned: int, place: str = "") -> None:
        if self._live is not None:
            steps, tally = len(run.order), self.tally
            at = place or f"task {min(learned + 1, steps)}/{steps}"
            text = f"[{tally.number}/{tally.total}] {run.stream_label}: {_told(run)}, {at}"
            self._live.update(
                self._bar,
                description=printable_line(text),
                completed=tally.done,
                total=tally.total,
                clock=tally.times(),
            )

    def _line(self, text: str) -> None:
        if self._live is None and not self._quiet:
            self._last_line = time.monotonic()
            say(text)


def _told(run: RunRecord) -> str:
    """The method of a run; with the task if it learns one alone."""
    return f"{run.label} alone on {run.order[0]}" if len(run.order) == 1 < len(run.stream_tasks) else run.label


def _live_line(*columns: Any) -> Any:
    """Starts a live line on standard error: a spinner, a text that may be cut, and these columns."""
    from rich.progress import Progress, SpinnerColumn, TextColumn
    from rich.table import Column

    from lcbench.cli.console import error_output

    waiting.LINE.end()
    for column in columns:
        column.get_table_column().no_wrap = True
    text = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1))
    line = Progress(
        SpinnerColumn(), text, *columns, console=error_output(), transient=True, redirect_stdout=False, expand=True
    )
    line.start()
    return line


class TransferBars(TransferListener):
    """Shows downloads on standard error: a bar on a terminal, lines elsewhere."""

    def __init__(self) -> None:
        self._live: Any = None
        self._bar: Any = None

    def say(self, text: str) -> None:
        """Prints one line."""
        say(f"lcbench: {printable_line(text)}")

    def begin(self, what: str, total: int | None) -> None:
        """Start a bar, or only a spinner where it is not known how much will come."""
        if not sys.stderr.isatty():
            return
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        how_far = [BarColumn(bar_width=8), DownloadColumn()] if total else []
        left = [TimeRemainingColumn(), TextColumn("left")] if total else []
        self._live = _live_line(*how_far, TimeElapsedColumn(), TextColumn("elapsed"), *left)
        self._bar = self._live.add_task(printable_line(what), total=total)

    def advance(self, count: int) -> None:
        """Move the bar."""
        if self._live is not None:
            self._live.advance(self._bar, count)

    def end(self) -> None:
        """Take the bar away."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def transfers_shown() -> AbstractContextManager[None]:
    """Shows the downloads inside the block."""
    return transfers_reported_to(TransferBars())


class JsonLines:
    """Writes every finished run to standard output as one line of JSON."""

    def __init__(self) -> None:
        self._written: set[str] = set()

    @hookimpl
    def lcbench_run_finished(self, run: RunRecord) -> None:
        """Writes one line and flushes it, so that a reader need not wait for the end."""
        self._written.add(run.run_id)
        print(json.dumps(run.to_json(), allow_nan=False), flush=True)

    def rest(self, runs: Iterable[RunRecord]) -> None:
        """Writes the runs that were not run now: done before, or chosen among others."""
        for run in runs:
            if run.run_id not in self._written:
                self.lcbench_run_finished(run)
