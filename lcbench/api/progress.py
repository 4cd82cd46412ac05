"""Shows how an experiment gets on: a bar in a notebook, a live line on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

from lcbench.contract.hookspecs import hookimpl
from lcbench.data.sources.download import TransferListener, transfers_reported_to
from lcbench.experiment.tally import Tally
from lcbench.printable import counted, duration, printable_line
from lcbench.records.record import OK

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord, Step
    from lcbench.running.planned_run import PlannedRun

SECONDS_BETWEEN_UPDATES = 0.2


class NotebookBar:
    """A bar in the output of a notebook's cell, which needs no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, done: float, total: int, text: str) -> None:
        """Draws the bar anew, with the text beside it."""
        self._put(f'<progress value="{done:g}" max="{max(total, 1)}"></progress> {escape(printable_line(text))}', text)

    def end(self, text: str) -> None:
        """Replaces the bar by a line."""
        if text or self._handle is not None:
            self._put(escape(printable_line(text)), text)

    def _put(self, html: str, text: str) -> None:
        from IPython.display import display

        shown = {"text/html": f"<div>{html}</div>", "text/plain": printable_line(text)}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)


class TerminalLine:
    """A live line on standard error."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        text = TextColumn("{task.description}", markup=False)
        console = Console(stderr=True, highlight=False)
        self._line = Progress(BarColumn(bar_width=20), text, console=console, transient=True, redirect_stdout=False)
        self._bar = self._line.add_task("", total=None)
        self._line.start()

    def show(self, done: float, total: int, text: str) -> None:
        """Draws the line anew."""
        self._line.update(self._bar, completed=done, total=total, description=printable_line(text))

    def end(self, text: str) -> None:
        """Takes the line away, and leaves a last one."""
        self._line.stop()
        if text:
            self._line.console.print(printable_line(text), markup=False)


class ProgressListener(TransferListener):
    """Listens to the runs of an experiment and to downloads, and shows them; nothing where nothing is left to do."""

    def __init__(self, display: NotebookBar | TerminalLine) -> None:
        self._display = display
        self._tally = Tally()
        self._failed = 0
        self._begun = time.monotonic()
        self._last = 0.0

    def add(self, runs: Sequence[PlannedRun]) -> None:
        """Count runs that are about to start."""
        self._tally.total += len(runs)

    @hookimpl
    def lcbench_run_started(self, run: RunRecord) -> None:
        """Show the run before its first task."""
        self._update(run, 0)

    @hookimpl
    def lcbench_task_learned(self, run: RunRecord, step: Step) -> None:
        """Show how far the run is."""
        self._update(run, step.learned)

    @hookimpl
    def lcbench_run_finished(self, run: RunRecord) -> None:
        """Count the run."""
        self._tally.end(run)
        self._failed += run.status != OK

    def say(self, text: str) -> None:
        """Show a text in place of a run, as while data are fetched."""
        self._display.show(self._tally.done, self._tally.total, text)

    def begin(self, what: str, total: int | None) -> None:
        """Show what is fetched now."""
        self.say(what)

    def close(self) -> None:
        """Say how many runs there were, and how long they took."""
        failed = f", {self._failed:,} did not end well" if self._failed else ""
        spent = duration(time.monotonic() - self._begun)
        finished = self._tally.finished
        self._display.end(f"{counted(finished, 'run')} in {spent}{failed}" if finished else "")

    def _update(self, run: RunRecord, learned: int) -> None:
        tally, now = self._tally, time.monotonic()
        tally.hear(run, learned)
        if now - self._last < SECONDS_BETWEEN_UPDATES:
            return
        self._last = now
        steps = len(run.order)
        at = f"run {tally.number}/{tally.total}, task {min(learned + 1, steps)}/{steps}"
        self._display.show(tally.done, tally.total, f"{run.stream_label}: {run.label}, {at}, {tally.times()}")


def is_notebook() -> bool:
    """True in the kernel of a notebook. IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return type(shell).__name__ == "ZMQInteractiveShell"


@contextmanager
def progress_shown(wanted: bool | None) -> Iterator[ProgressListener | None]:
    """A listener that shows the runs as long as the block lasts; None if nothing is to be shown.

    If `wanted` is None, a notebook shows progress, and nothing else does.
    """
    notebook = is_notebook()
    if not (notebook if wanted is None else wanted):
        yield None
        return
    shown = ProgressListener(NotebookBar() if notebook else TerminalLine())
    try:
        with transfers_reported_to(shown):
            yield shown
    finally:
        shown.close()
