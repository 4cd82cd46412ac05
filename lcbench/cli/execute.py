"""Carries out planned runs with a progress display, and explains interruptions and failures."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lcbench.errors import DataUnavailableError

if TYPE_CHECKING:
    from lcbench.experiment.outcome import Outcome
    from lcbench.experiment.planning import Plan
    from lcbench.experiment.resuming import Backlog
    from lcbench.running.executor import ExecutionOptions
    from lcbench.running.planned_run import PlannedRun


def load_data(left: list[PlannedRun]) -> None:
    """Loads the data of all streams before the first run, and shows what is fetched."""
    from lcbench.cli.transfer_bars import TransferBars
    from lcbench.data.sources.transfers import transfers_reported_to
    from lcbench.running.executor import streams_of

    missing: list[DataUnavailableError] = []
    with transfers_reported_to(TransferBars()):
        for stream in streams_of(left):
            try:
                stream.tasks()
            except DataUnavailableError as error:
                missing.append(error)
    if len(missing) == 1:
        raise missing[0]
    if missing:
        together = DataUnavailableError("\n".join(map(str, missing)))
        together.stream = missing[0].stream
        raise together


def execute_plan(
    plan: Plan,
    backlog: Backlog,
    execution: ExecutionOptions,
    folder: Path,
    *,
    metrics: Sequence[str] | None,
    listeners: Sequence[object] = (),
    quiet: bool,
) -> Outcome:
    """Does the runs of a plan that are left, with a progress display."""
    from lcbench.cli.progress import Progress
    from lcbench.cli.transfer_bars import TransferBars
    from lcbench.data.sources.transfers import transfers_reported_to
    from lcbench.experiment.pipeline import run_plan

    progress = Progress(total=len(backlog.left), quiet=quiet)
    if backlog.failed or (backlog.left and not quiet and len(backlog.left) < len(plan)):
        print(backlog.summary(), file=sys.stderr)
    try:
        with (
            progress,
            transfers_reported_to(TransferBars()),
        ):  # a metric asked for later may need data that are not here
            return run_plan(
                plan,
                metrics=metrics,
                out=folder,
                execution=execution,
                listeners=[progress, *listeners],
                backlog=backlog,
            )
    except KeyboardInterrupt:
        kept = len(plan) - len(backlog.left) + progress.finished
        print(
            f"lcbench: interrupted; {kept} of {len(plan)} runs are kept in '{folder}': the same command "
            f"{'without --fresh ' if execution.fresh else ''}goes on with the others.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


def print_failures(results: Outcome) -> None:
    """Prints the reasons of failed runs on standard error."""
    from lcbench.analysis.failures import failure_lines
    from lcbench.cli.console import error_output, plain

    errors = error_output()
    for text in failure_lines(results.failed, tracebacks=logging.getLogger("lcbench").isEnabledFor(logging.DEBUG)):
        errors.print(plain(text), soft_wrap=True)
