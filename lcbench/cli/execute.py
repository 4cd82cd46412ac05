"""Carries out planned runs, and shows how they get on and why some failed."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from lcbench.cli import waiting
from lcbench.cli.messages import say
from lcbench.errors import OutputError
from lcbench.printable import MOST_NAMED, printable_line

if TYPE_CHECKING:
    from lcbench.cli.progress import Progress
    from lcbench.experiment.pipeline import Outcome, Prepared
    from lcbench.running.planned_run import PlannedRun

SECONDS_UNTIL_TOLD = 1.0


def carry_out_shown(prepared: Prepared, *, json: bool = False, quiet: bool = False) -> Outcome:
    """Does the runs that are left, with a progress display; with `json` each run is a line on standard output."""
    from lcbench.cli.progress import JsonLines, Progress, transfers_shown
    from lcbench.experiment.pipeline import carry_out

    backlog, total = prepared.backlog, len(prepared.plan)
    progress, lines = Progress(quiet=quiet), JsonLines()
    if backlog.failed or (backlog.left and not quiet and len(backlog.left) < total):
        say(backlog.summary())
    try:
        with progress, transfers_shown(), _loading_told(backlog.left, quiet=quiet) as loaded:

            def announce(runs: Sequence[PlannedRun]) -> None:
                loaded()
                progress.add(runs)

            found = carry_out(prepared, listeners=[progress, *([lines] if json else [])], announce=announce)
    except KeyboardInterrupt:
        say(printable_line(f"lcbench: interrupted; {_kept(prepared, progress)}"))
        raise typer.Exit(130) from None
    except OutputError as error:
        if not progress.tally.total:  # refused before the first run
            raise
        say(printable_line(f"lcbench: {str(error).rstrip('.')}; {_kept(prepared, progress)}"))
        raise typer.Exit(1) from error
    if json:
        lines.rest([*found.solos, *found.searched, *found])
    return found


@contextmanager
def _loading_told(left: Sequence[PlannedRun], *, quiet: bool) -> Iterator[Callable[[], None]]:
    """Names the streams whose data are loaded: in the waiting line of a terminal, elsewhere in a line after a second.

    Gives a function to call when they are loaded.
    """
    streams = list(dict.fromkeys(planned.stream.label for planned in left))
    named = [*streams[:MOST_NAMED], *(["..."] if len(streams) > MOST_NAMED else [])]
    text = printable_line(f"loading {', '.join(named)}")
    line = threading.Timer(SECONDS_UNTIL_TOLD, say, [f"lcbench: {text}"])
    line.daemon = True
    if streams and not quiet:
        if sys.stderr.isatty():
            waiting.LINE.show(text)
        else:
            line.start()
    try:
        yield line.cancel
    finally:
        line.cancel()


def _kept(prepared: Prepared, progress: Progress) -> str:
    """The end of a sentence about an experiment that was stopped: how many of its runs are kept, and how to go on."""
    total, tally = len(prepared.plan), progress.tally
    before = total - len(prepared.backlog.left)
    together = max(total, before + tally.total)  # tuning adds solo runs of what it chose
    return (
        f"{before + tally.finished} of {together} runs are kept in '{prepared.asked.results}': the same command "
        f"{'without --fresh ' if prepared.asked.fresh else ''}goes on with the others."
    )


def end_run(found: Outcome, *, json: bool = False, verbose: bool = False, where: str | None = None) -> None:
    """Prints the tables, why runs failed, and `where` they are; the exit code is 1 if a run failed or a promise broke.

    With `json` standard output has the runs already, and no table follows.
    """
    if not json:
        from lcbench.cli.run_tables import print_results

        print_results(found, verbose=verbose)
    print_failures(found)
    broken = _broken_promises(found)
    for complaint in broken if json else ():  # the tables have them
        say(f"lcbench: {complaint}")
    if where is not None:
        say(where)
    if found.failed or broken:
        raise typer.Exit(1)


def print_failures(results: Outcome) -> None:
    """Prints the reasons of failed runs on standard error."""
    from lcbench.analysis.failures import failure_lines

    for text in failure_lines(results.failed, tracebacks=logging.getLogger("lcbench").isEnabledFor(logging.DEBUG)):
        say(text)


def _broken_promises(results: Outcome) -> list[str]:
    """A sentence for each method that keeps more than its setting promises."""
    from lcbench.report.audit_table import audit_rows

    return [row.complaint for row in audit_rows(results.runs) if row.verdict.within_promise is False]
