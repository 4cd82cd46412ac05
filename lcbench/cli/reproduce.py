"""`lcbench reproduce`: runs a paper's protocol and sets our figures beside its table."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.table_format import Format, Out, format_of, show_tables
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.analysis.published.comparison import Reproduced
    from lcbench.analysis.published.reproduction import Reproduction
    from lcbench.running.executor import ExecutionOptions

RESULTS = Path(DEFAULT_FOLDER)


def reproduce(
    stream: Annotated[
        str,
        typer.Argument(help="A stream for which a paper's figures are here, such as webkb4.", metavar="STREAM"),
    ],
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", "-m", help="Only this method of the paper. May be repeated.", metavar="NAME", show_default="all"
        ),
    ] = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full", help="Try every value that the paper tried, and choose with the labels (oracle). Takes long."
        ),
    ] = False,
    repeats: Annotated[
        int | None,
        typer.Option(help="How often, each time with new seeds.", min=1, metavar="N", show_default="as in the paper"),
    ] = None,
    seed: Annotated[int, typer.Option(help="All randomness comes from it.", min=0, metavar="N")] = 0,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", help="Runs at a time.", min=1, metavar="N", show_default="one per core"),
    ] = None,
    results: Annotated[
        Path, typer.Option("--results", help="Folder of finished runs: what is there is not run again.", metavar="DIR")
    ] = RESULTS,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run what failed again.")] = False,
    format: Format = None,
    out: Out = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show the protocol and list the runs; run nothing.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks, debug messages and what methods print.")
    ] = False,
) -> None:
    """Run the protocol of a paper, and set ours beside what it prints: every cell, with difference and verdict.

    Every run is kept as it ends, in the same folder as those of 'lcbench run'; one that is there already is not run
    again.
    """
    from lcbench.running.threads import set_thread_variables

    written = format_of(out, format)
    set_thread_variables(1)  # before numpy is imported
    reproduction = _reproduction(stream, method, repeats, seed, full=full)
    if dry_run:
        _show_plan(reproduction, results, _execution_options(jobs, retry_failed))
        return
    found, failed = _execute(reproduction, results, _execution_options(jobs, retry_failed), quiet=quiet)
    _show(found, written, out)
    if failed:
        raise typer.Exit(1)


def _reproduction(
    stream: str, methods: list[str] | None, repeats: int | None, seed: int, *, full: bool
) -> Reproduction:
    from lcbench.analysis.published.file import published_for
    from lcbench.analysis.published.reproduction import Reproduction, choose_methods
    from lcbench.registry.host import plugin_host

    published = published_for(stream, plugin_host().registry)
    if methods:
        published = choose_methods(published, methods)
    return Reproduction(published, repeats or published.protocol.repeats, seed, full)


def _execution_options(jobs: int | None, retry_failed: bool) -> ExecutionOptions:
    import os

    from lcbench.experiment import limits
    from lcbench.running.executor import ExecutionOptions

    return ExecutionOptions(limits.make_limits(jobs or os.cpu_count() or 1, 1, None, None), retry_failed=retry_failed)


def _show_plan(reproduction: Reproduction, folder: Path, execution: ExecutionOptions) -> None:
    from lcbench.cli.dry_run import print_backlog
    from lcbench.cli.print_sheets import print_sheets
    from lcbench.experiment.resuming import find_backlog
    from lcbench.records.store import RunStore
    from lcbench.report.reproduction.sheets import protocol_sheet

    plan = reproduction.plan()
    backlog = find_backlog(plan, RunStore(folder), execution)
    print_sheets([protocol_sheet(reproduction)])
    print()
    print_backlog(plan, backlog, folder, json=False)
    _say_time(reproduction.seconds(backlog.left), execution)


def _execute(
    reproduction: Reproduction, folder: Path, execution: ExecutionOptions, *, quiet: bool
) -> tuple[Reproduced, bool]:
    """Our figures beside the paper's, and True if some run failed."""
    from lcbench.analysis.published.comparison import compare_with_paper
    from lcbench.cli.execute import execute_plan, load_data, print_failures
    from lcbench.experiment.resuming import find_backlog
    from lcbench.records.store import RunStore
    from lcbench.running.executor import workers_started

    plan = reproduction.plan()
    backlog = find_backlog(plan, RunStore(folder), execution)
    if not quiet:
        _say_time(reproduction.seconds(backlog.left), execution)
    with workers_started(execution, backlog.left) as started:
        load_data(backlog.left)
        metrics = list(reproduction.published.figures)
        found = execute_plan(plan, backlog, started, folder, metrics=metrics, quiet=quiet)
    print_failures(found)
    return compare_with_paper(reproduction, found.runs), bool(found.failed)


def _say_time(seconds: float, execution: ExecutionOptions) -> None:
    """Prints about how long the runs will take, from half a minute on."""
    jobs = 1 if execution.limits is None else execution.limits.jobs
    minutes = seconds / jobs / 60
    if minutes >= 0.5:
        shown = f"{minutes / 60:.1f} h" if minutes >= 90 else f"{max(1, round(minutes))} min"
        print(f"About {shown} with {jobs} job{'' if jobs == 1 else 's'}.", file=sys.stderr)


def _show(reproduced: Reproduced, written: str, out: str | None) -> None:
    from lcbench.report.raw_rows import reproduced_rows
    from lcbench.report.reproduction.sheets import reproduced_sheets

    what = f"Ours beside {reproduced.published.table}"
    show_tables(reproduced_sheets(reproduced), reproduced_rows(reproduced), written, out, what)
