"""Lists or carries out planned runs, and shows how they get on and why some failed."""

from __future__ import annotations

import json as jsonlib
import logging
import sys
from typing import TYPE_CHECKING

import typer

from lcbench.errors import OutputError
from lcbench.experiment.options import DASK
from lcbench.printable import counted, printable_line
from lcbench.records.record import OK

if TYPE_CHECKING:
    from lcbench.cli.progress import Progress
    from lcbench.experiment.pipeline import Outcome, Prepared


def carry_out_shown(prepared: Prepared, *, json: bool = False, quiet: bool = False) -> Outcome:
    """Does the runs that are left, with a progress display; with `json` each run is a line on standard output."""
    from lcbench.cli.progress import JsonLines, Progress, TransferBars
    from lcbench.data.sources.download import transfers_reported_to
    from lcbench.experiment.pipeline import carry_out

    backlog, total = prepared.backlog, len(prepared.plan)
    progress, lines = Progress(quiet=quiet), JsonLines()
    if backlog.failed or (backlog.left and not quiet and len(backlog.left) < total):
        print(backlog.summary(), file=sys.stderr)
    try:
        with progress, transfers_reported_to(TransferBars()):
            found = carry_out(prepared, listeners=[progress, *([lines] if json else [])], announce=progress.add)
    except KeyboardInterrupt:
        print(printable_line(f"lcbench: interrupted; {_kept(prepared, progress)}"), file=sys.stderr)
        raise typer.Exit(130) from None
    except OutputError as error:
        if not progress.total:  # refused before the first run
            raise
        print(printable_line(f"lcbench: {str(error).rstrip('.')}; {_kept(prepared, progress)}"), file=sys.stderr)
        raise typer.Exit(1) from error
    if json:
        lines.rest([*found.solos, *found.searched, *found])
    return found


def _kept(prepared: Prepared, progress: Progress) -> str:
    """The end of a sentence about an experiment that was stopped: how many of its runs are kept, and how to go on."""
    total = len(prepared.plan)
    before = total - len(prepared.backlog.left)
    together = max(total, before + progress.total)  # tuning adds solo runs of what it chose
    return (
        f"{before + progress.finished} of {together} runs are kept in '{prepared.asked.results}': the same command "
        f"{'without --fresh ' if prepared.asked.fresh else ''}goes on with the others."
    )


def print_failures(results: Outcome) -> None:
    """Prints the reasons of failed runs on standard error."""
    from lcbench.analysis.failures import failure_lines
    from lcbench.cli.console import error_output, plain

    errors = error_output()
    for text in failure_lines(results.failed, tracebacks=logging.getLogger("lcbench").isEnabledFor(logging.DEBUG)):
        errors.print(plain(text), soft_wrap=True)


def print_broken_promises(results: Outcome, *, shown: bool) -> bool:
    """True if a method keeps more than its setting promises; prints which, unless the tables have `shown` it."""
    from lcbench.cli.console import error_output, plain
    from lcbench.report.audit_table import audit_rows

    broken = [row.complaint for row in audit_rows(results.runs) if row.verdict.within_promise is False]
    for complaint in () if shown else broken:
        error_output().print(plain(f"lcbench: {complaint}"), soft_wrap=True)
    return bool(broken)


def print_backlog(prepared: Prepared, *, json: bool = False) -> None:
    """Prints one line per run on standard output, and a summary on standard error.

    Tuned runs have no line: they are chosen among the others.
    """
    plan, backlog = prepared.plan, prepared.backlog
    ended = {id(planned) for planned in (*backlog.done, *backlog.failed)}
    for planned in plan:
        run_id, to_do = planned.run_id, id(planned) not in ended
        method, stream = planned.like.label, planned.like.stream_label
        status = backlog.statuses.get(run_id)
        state = _state(status, to_do)
        if json:
            facts = {
                "run_id": run_id, "state": state, "status": status, "to_do": to_do, "method": method,
                "stream": stream, "order": list(planned.order), "repeat": planned.repeat,
            }  # fmt: skip
            line = jsonlib.dumps(facts)
        else:
            what = (run_id[:10], state, stream, method, ",".join(planned.order), f"repeat {planned.repeat}")
            line = printable_line("  ".join(what))
        sys.stdout.write(f"{line}\n")
    chosen = f"; then {counted(len(plan.tuned), 'run')} will be chosen among them" if plan.tuned else ""
    chosen += ", and learn each task alone" if any(tuned.solo for tuned in plan.tuned) else ""
    print(printable_line(f"{backlog.summary()} in {prepared.asked.results}{chosen}"), file=sys.stderr)
    if prepared.asked.executor == DASK:
        from lcbench.experiment.pipeline import cluster_outlook

        print(cluster_outlook(prepared), file=sys.stderr)


def _state(status: str | None, left: bool) -> str:
    if status is None:
        return "to do"
    before = "done" if status == OK else status
    return f"again, was {before}" if left else before
