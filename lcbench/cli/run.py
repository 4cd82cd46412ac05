"""`lcbench run`: methods on streams."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.errors import DataUnavailableError

if TYPE_CHECKING:
    from lcbench.planning import PlannedRun
    from lcbench.results import Results


def run(
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
            help="fixed, random (seeded), all (every permutation, up to five tasks), or names: a,b,c.", metavar="ORDER"
        ),
    ] = "fixed",
    repeats: Annotated[
        int, typer.Option(help="How often, each time with new seeds and, if random, a new order.", min=1, metavar="N")
    ] = 1,
    seed: Annotated[int, typer.Option(help="All randomness comes from it.", min=0, metavar="N")] = 0,
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
    threads: Annotated[int, typer.Option(help="BLAS and OpenMP threads of a run.", min=1, metavar="N")] = 1,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object per run on standard output, and nothing else.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write every run to as it ends.", metavar="DIR", show_default=False)
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and debug messages.")] = False,
) -> None:
    """Replay streams of tasks through methods, and show how well each task is clustered as tasks arrive."""
    from lcbench.threads import set_thread_variables

    set_thread_variables(threads)  # before numpy is imported

    from lcbench.cli.progress import JsonLines, Progress
    from lcbench.experiment import DEFAULT_METHODS, DEFAULT_STREAMS, run_plan
    from lcbench.planning import plan_runs
    from lcbench.scoring import check_metrics

    options: dict[str, Any] = {
        "order": order, "repeats": repeats, "seed": seed, "evaluate": evaluate, "future": future, "threads": threads,
        "baselines": baseline,
    }  # fmt: skip
    methods, streams = method or list(DEFAULT_METHODS), stream or list(DEFAULT_STREAMS)
    plan = plan_runs(methods, streams, **options)
    check_metrics(metric or ())
    try:
        _prepare(plan)
    except DataUnavailableError as error:
        agreed = _stand_in(error, streams)
        if agreed is None:
            raise
        plan = plan_runs(methods, agreed, **options)
        _prepare(plan)
    progress = Progress(total=len(plan), quiet=quiet)
    listeners = [progress, JsonLines()] if json else [progress]
    try:
        with progress:
            results = run_plan(plan, metrics=metric, out=out, listeners=listeners)
    except KeyboardInterrupt:
        kept = f", they are in '{out}'" if out and progress.finished else ""
        print(
            f"lcbench: interrupted; {progress.finished} of {len(plan)} runs were finished{kept}.",
            file=sys.stderr,
        )
        raise typer.Exit(130) from None
    _show(results, json=json, out=out)
    if results.failed:
        raise typer.Exit(1)


def _prepare(plan: list[PlannedRun]) -> None:
    """Have the data of every stream before the first run; what must be fetched is said and shown."""
    from lcbench.cli.transfers import Transfers
    from lcbench.sources.watching import watched_by

    missing: list[DataUnavailableError] = []
    with watched_by(Transfers()):
        for stream in {id(planned.stream): planned.stream for planned in plan}.values():
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


def _stand_in(error: DataUnavailableError, streams: list[str]) -> list[str] | None:
    """The streams with a stand-in for the one that cannot be had, if there is a person to ask and they want it."""
    if error.stand_in is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from lcbench.names import parse_stream_entry
    from lcbench.printable import printable

    print(f"lcbench: {printable(error)}", file=sys.stderr)
    entries = {name: parse_stream_entry(name) for name in streams}
    own = any(entry.params for entry in entries.values() if entry.name == error.stream)
    note = f" (the parameters of {error.stream} do not apply to it)" if own else ""
    question = f"Run on the stand-in '{error.stand_in}' instead{note}? [y/N]: "
    print(question, end="", file=sys.stderr, flush=True)  # not typer.confirm, which writes to standard output too
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise typer.Exit(error.exit_code)
    return [error.stand_in if entries[name].name == error.stream else name for name in streams]


def _show(results: Results, *, json: bool, out: Path | None) -> None:
    from lcbench.cli.console import error_output, output, plain
    from lcbench.cli.tables import lifelong_tables

    if not json:
        console = output()
        for renderable in lifelong_tables(results, console.width):
            console.print(renderable)
    errors = error_output()
    for failed in results.failed:
        reached = f"after {len(failed.learn_seconds)} of {len(failed.order)} tasks"
        text = f"lcbench: {failed.label} on {failed.stream_label} failed {reached}: {failed.error}"
        errors.print(plain(text), soft_wrap=True)
    if out is not None:
        errors.print(plain(f"{len(results)} run{'' if len(results) == 1 else 's'} in {out}"), soft_wrap=True)
