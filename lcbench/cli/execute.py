"""Carries out planned runs with a progress display, and explains interruptions and failures."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from lcbench.experiment.pipeline import Outcome, Prepared


def carry_out_shown(prepared: Prepared, *, json: bool = False, quiet: bool = False) -> Outcome:
    """Does the runs that are left, with a progress display; with `json` each run is a line on standard output."""
    from lcbench.cli.progress import JsonLines, Progress
    from lcbench.cli.transfer_bars import TransferBars
    from lcbench.data.sources.transfers import transfers_reported_to
    from lcbench.experiment.pipeline import carry_out

    backlog, total = prepared.backlog, len(prepared.plan)
    progress, lines = Progress(total=len(backlog.left), quiet=quiet), JsonLines()
    if backlog.failed or (backlog.left and not quiet and len(backlog.left) < total):
        print(backlog.summary(), file=sys.stderr)
    try:
        with progress, transfers_reported_to(TransferBars()):
            found = carry_out(prepared, listeners=[progress, *([lines] if json else [])])
    except KeyboardInterrupt:
        kept = total - len(backlog.left) + progress.finished
        print(
            f"lcbench: interrupted; {kept} of {total} runs are kept in '{prepared.asked.results}': the same command "
            f"{'without --fresh ' if prepared.asked.fresh else ''}goes on with the others.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    if json:
        lines.rest([*found.searched, *found])
    return found


def print_failures(results: Outcome) -> None:
    """Prints the reasons of failed runs on standard error."""
    from lcbench.analysis.failures import failure_lines
    from lcbench.cli.console import error_output, plain

    errors = error_output()
    for text in failure_lines(results.failed, tracebacks=logging.getLogger("lcbench").isEnabledFor(logging.DEBUG)):
        errors.print(plain(text), soft_wrap=True)
