"""Planned runs carried out while a person watches: data first, then progress, and what an interruption leaves."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lcbench.errors import DataUnavailableError

if TYPE_CHECKING:
    from lcbench.conduct import Conduct
    from lcbench.planning import Plan, PlannedRun
    from lcbench.results import Results
    from lcbench.resuming import Standing


def prepare(left: list[PlannedRun]) -> None:
    """Have the data before the first run; what must be fetched is said and shown."""
    from lcbench.cli.transfers import Transfers
    from lcbench.conduct import streams_of
    from lcbench.sources.watching import watched_by

    missing: list[DataUnavailableError] = []
    with watched_by(Transfers()):
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


def carry_out(
    plan: Plan,
    standing: Standing,
    conduct: Conduct,
    folder: Path,
    *,
    metrics: Sequence[str] | None,
    listeners: Sequence[object] = (),
    quiet: bool,
) -> Results:
    """Do what is left of a plan, and show how far it is."""
    from lcbench.cli.progress import Progress
    from lcbench.cli.transfers import Transfers
    from lcbench.experiment import run_plan
    from lcbench.sources.watching import watched_by

    progress = Progress(total=len(standing.left), quiet=quiet)
    if standing.failed or (standing.left and not quiet and len(standing.left) < len(plan)):
        print(standing.summary(), file=sys.stderr)
    try:
        with progress, watched_by(Transfers()):  # a metric asked for later may need data that are not here
            return run_plan(
                plan, metrics=metrics, out=folder, conduct=conduct, listeners=[progress, *listeners], standing=standing
            )
    except KeyboardInterrupt:
        kept = len(plan) - len(standing.left) + progress.finished
        print(
            f"lcbench: interrupted; {kept} of {len(plan)} runs are kept in '{folder}': the same command "
            f"{'without --fresh ' if conduct.fresh else ''}goes on with the others.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None


def say_failures(results: Results) -> None:
    """Why runs did not come to their end, on standard error."""
    from lcbench.cli.console import error_output, plain
    from lcbench.report.failures import failure_lines

    errors = error_output()
    for text in failure_lines(results.failed, tracebacks=logging.getLogger("lcbench").isEnabledFor(logging.DEBUG)):
        errors.print(plain(text), soft_wrap=True)
