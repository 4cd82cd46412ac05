"""`lcbench run`: runs methods on streams, and shows tables at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.errors import DataUnavailableError, ExperimentFileError, OrderError, ParameterError, UnknownNameError
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.cli.run_options import RunOptions
    from lcbench.experiment.outcome import Outcome
    from lcbench.experiment.planning import Plan
    from lcbench.experiment.resuming import Backlog
    from lcbench.running.executor import ExecutionOptions

RESULTS = Path(DEFAULT_FOLDER)


def run(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A TOML file that says what to run; options given here come before it.",
            metavar="[FILE]",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            "-m",
            help="Method, with parameters as in l2sc:lam=10. May be repeated.",
            metavar="NAME",
            show_default="l2sc, stsc",
        ),
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option(
            "--stream",
            "-s",
            help="Stream, with parameters as in digits:tasks=3, or your own folder: ./news:label=y. May be repeated.",
            metavar="NAME",
            show_default="digits",
        ),
    ] = None,
    order: Annotated[
        str,
        typer.Option(
            help="fixed, random (seeded), all (every permutation, up to five tasks), leave-one-out (random orders, "
            "whole and without each task in turn), or names: a,b,c.",
            metavar="ORDER",
        ),
    ] = "fixed",
    repeats: Annotated[
        int, typer.Option(help="How often, each time with new seeds and, if random, a new order.", min=1, metavar="N")
    ] = 1,
    seed: Annotated[int, typer.Option(help="All randomness comes from it.", min=0, metavar="N")] = 0,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            help="Values to try: l2sc.lam=0.1,1,10, or a named grid: l2sc.lam=paper. May be repeated.",
            metavar="METHOD.PARAM=V,V",
            show_default=False,
        ),
    ] = None,
    tune: Annotated[
        str,
        typer.Option(
            help="Choose among the grid: oracle (with labels), first-task (with labels of the first task), silhouette "
            "(without labels). none runs every point as a method of its own.",
            metavar="HOW",
        ),
    ] = "none",
    tune_metric: Annotated[
        str | None,
        typer.Option(help="What oracle and first-task look at.", metavar="NAME", show_default="the first metric shown"),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            help="Metric to show. May be repeated.",
            metavar="NAME",
            show_default="purity, nmi, ri; silhouette without labels",
        ),
    ] = None,
    evaluate: Annotated[
        str,
        typer.Option(
            help="When all tasks seen so far are scored: all (after each task), every:N, or last.", metavar="WHEN"
        ),
    ] = "all",
    future: Annotated[
        bool, typer.Option("--future", help="Score the tasks still to come as well, for methods that can.")
    ] = False,
    baseline: Annotated[
        bool, typer.Option(help="Also run the single-task baseline of each method, shown as column 0.")
    ] = True,
    audit: Annotated[
        list[str] | None,
        typer.Option(
            help="See what a method keeps: measure (always), isolate (each task in a fresh process), poison (old tasks "
            "are overwritten). May be repeated.",
            metavar="HOW",
            show_default="measure",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Runs at a time.", min=1, metavar="N")] = 1,
    threads: Annotated[int, typer.Option(help="BLAS and OpenMP threads of a run.", min=1, metavar="N")] = 1,
    timeout: Annotated[
        str | None, typer.Option(help="Stop a run that takes longer: 60s, 5min, 2h.", metavar="TIME")
    ] = None,
    memory_limit: Annotated[
        str | None, typer.Option(help="Stop a run that needs more: 2GB, 512MB.", metavar="SIZE")
    ] = None,
    results: Annotated[
        Path,
        typer.Option(
            "--results", "--out", help="Folder of finished runs: what is there is not run again.", metavar="DIR"
        ),
    ] = RESULTS,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run what is finished again.")] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Run what failed again.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="List the runs and what is done already; run nothing.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object per run on standard output, and nothing else.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks, debug messages and what methods print.")
    ] = False,
) -> None:
    """Replay streams of tasks through methods, and show how well each task is clustered as tasks arrive.

    Every run is kept as it ends; a run that is there already is not run again.
    """
    from lcbench.cli.run_options import RunOptions, written_options
    from lcbench.running.executor import workers_started
    from lcbench.running.threads import set_thread_variables

    options = RunOptions(
        methods=method, streams=stream, order=order, repeats=repeats, seed=seed, metrics=metric, evaluate=evaluate,
        future=future, baselines=baseline, threads=threads, grid=grid, tune=tune, tune_metric=tune_metric,
        audit=audit, jobs=jobs, timeout=timeout, memory_limit=memory_limit, results=results,
    )  # fmt: skip
    if file is not None:
        options = options.over_file(file, written_options(context))
    set_thread_variables(options.threads)  # before numpy is imported
    execution = options.execution(fresh=fresh, retry_failed=retry_failed)
    with _named(file):
        plan, backlog = _planned(options, execution)
    if dry_run:
        from lcbench.cli.dry_run import print_backlog

        print_backlog(plan, backlog, options.results, json=json)
        return
    with workers_started(execution, backlog.left) as started:
        plan, backlog = _with_data(options, started, plan, backlog)
        found = _execute(options, started, plan, backlog, json=json, quiet=quiet)
    _show(found, json=json)
    if not quiet:
        _say_where(len(plan) + len(plan.tuned), options.results)
    if found.failed:
        raise typer.Exit(1)


@contextmanager
def _named(file: Path | None) -> Iterator[None]:
    """Puts the name of the experiment file before the sentence of an error."""
    try:
        yield
    except (ParameterError, UnknownNameError, OrderError) as error:
        raise error if file is None else ExperimentFileError(f"{file}: {error}") from None


def _planned(options: RunOptions, execution: ExecutionOptions) -> tuple[Plan, Backlog]:
    from lcbench.experiment.resuming import find_backlog
    from lcbench.records.store import RunStore
    from lcbench.registry.metrics import check_metrics

    plan = options.plan()
    check_metrics(options.metrics or ())
    return plan, find_backlog(plan, RunStore(options.results), execution)


def _with_data(options: RunOptions, execution: ExecutionOptions, plan: Plan, backlog: Backlog) -> tuple[Plan, Backlog]:
    """Loads the data of every stream that is left to run; a person may agree to a stand-in stream."""
    from lcbench.cli.execute import load_data

    try:
        load_data(backlog.left)
    except DataUnavailableError as error:
        agreed = _stand_in(error, options.streams)
        if agreed is None:
            raise
        plan, backlog = _planned(options.on(agreed), execution)
        load_data(backlog.left)
    return plan, backlog


def _stand_in(error: DataUnavailableError, streams: Any) -> list[str] | None:
    """Asks whether to run on a stand-in for data that are not available; the streams if the answer is yes."""
    if error.stand_in is None or not isinstance(streams, list) or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from lcbench.printable import printable
    from lcbench.registry.names import parse_stream_entry

    print(f"lcbench: {printable(error)}", file=sys.stderr)
    entries = {name: parse_stream_entry(name) for name in streams}
    own = any(entry.params for entry in entries.values() if entry.name == error.stream)
    note = f" (the parameters of {error.stream} do not apply to it)" if own else ""
    question = f"Run on the stand-in '{error.stand_in}' instead{note}? [y/N]: "
    print(question, end="", file=sys.stderr, flush=True)  # not typer.confirm, which writes to standard output too
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Exit(error.exit_code)
    return [error.stand_in if entries[name].name == error.stream else name for name in streams]


def _execute(
    options: RunOptions, execution: ExecutionOptions, plan: Plan, backlog: Backlog, *, json: bool, quiet: bool
) -> Outcome:
    from lcbench.cli.execute import execute_plan
    from lcbench.cli.progress import JsonLines

    lines = JsonLines()
    results = execute_plan(
        plan,
        backlog,
        execution,
        options.results,
        metrics=options.metrics,
        listeners=[lines] if json else [],
        quiet=quiet,
    )
    if json:
        lines.rest([*results.searched, *results])
    return results


def _show(results: Outcome, *, json: bool) -> None:
    from lcbench.cli.execute import print_failures

    if not json:
        from lcbench.cli.audit_text import audit_summary
        from lcbench.cli.console import output
        from lcbench.cli.run_tables import lifelong_tables

        console = output()
        for renderable in lifelong_tables(results, console.width):
            console.print(renderable)
        if results.gaps:
            from lcbench.cli.run_tables import tuning_tables

            for renderable in tuning_tables(results.runs, results.gaps, console.width):
                console.print(renderable)
        for renderable in audit_summary(results.runs):
            console.print(renderable)
    print_failures(results)


def _say_where(count: int, folder: Path) -> None:
    """Prints where the runs are stored, and which commands show them."""
    import shlex

    from lcbench.printable import counted, printable

    each = "" if folder == RESULTS else f", each with --results {shlex.quote(str(folder))}"
    text = (
        f"'lcbench compare' has tables, 'lcbench plot lifelong' draws the curves, 'lcbench report' makes a page{each}"
    )
    print(printable(f"{counted(count, 'run')} in {folder}: {text}"), file=sys.stderr)
