"""`lcbench reproduce`: a paper's table, run again and set beside what is printed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.formats import Format, Out, format_of
from lcbench.store import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.conduct import Conduct
    from lcbench.published.comparing import Reproduced
    from lcbench.published.protocol import Reproduction

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
    from lcbench.threads import set_thread_variables

    written = format_of(out, format)
    set_thread_variables(1)  # before numpy is imported
    reproduction = _reproduction(stream, method, repeats, seed, full=full)
    if dry_run:
        _show_plan(reproduction, results, _conduct(jobs, retry_failed))
        return
    found, failed = _carry_out(reproduction, results, _conduct(jobs, retry_failed), quiet=quiet)
    _write(found, written, out)
    if failed:
        raise typer.Exit(1)


def _reproduction(
    stream: str, methods: list[str] | None, repeats: int | None, seed: int, *, full: bool
) -> Reproduction:
    from lcbench.plugins import plugin_host
    from lcbench.published.protocol import Reproduction, choose_methods
    from lcbench.published.reading import published_for

    published = published_for(stream, plugin_host().registry)
    if methods:
        published = choose_methods(published, methods)
    return Reproduction(published, repeats or published.protocol.repeats, seed, full)


def _conduct(jobs: int | None, retry_failed: bool) -> Conduct:
    import os

    from lcbench import conduct

    limits = conduct.make_limits(jobs or os.cpu_count() or 1, 1, None, None)
    return conduct.Conduct(limits, retry_failed=retry_failed)


def _show_plan(reproduction: Reproduction, folder: Path, conduct: Conduct) -> None:
    from lcbench.cli.sheets import print_sheets
    from lcbench.cli.standing import show_standing
    from lcbench.published.sheets import protocol_sheet
    from lcbench.resuming import look_up
    from lcbench.store.runs import RunStore

    plan = reproduction.plan()
    standing = look_up(plan, RunStore(folder), conduct)
    print_sheets([protocol_sheet(reproduction)])
    print()
    show_standing(plan, standing, folder, json=False)
    _say_time(reproduction.seconds(standing.left), conduct)


def _carry_out(reproduction: Reproduction, folder: Path, conduct: Conduct, *, quiet: bool) -> tuple[Reproduced, bool]:
    """Ours beside the paper's, and whether some run did not come to its end."""
    from lcbench.cli.carrying_out import carry_out, prepare, say_failures
    from lcbench.conduct import workers_started
    from lcbench.published.comparing import compare_with_paper
    from lcbench.resuming import look_up
    from lcbench.store.runs import RunStore

    plan = reproduction.plan()
    standing = look_up(plan, RunStore(folder), conduct)
    if not quiet:
        _say_time(reproduction.seconds(standing.left), conduct)
    with workers_started(conduct, standing.left) as started:
        prepare(standing.left)
        metrics = list(reproduction.published.figures)
        found = carry_out(plan, standing, started, folder, metrics=metrics, quiet=quiet)
    say_failures(found)
    return compare_with_paper(reproduction, found.runs), bool(found.failed)


def _say_time(seconds: float, conduct: Conduct) -> None:
    """About how long it will take, where that is worth saying."""
    jobs = 1 if conduct.limits is None else conduct.limits.jobs
    minutes = seconds / jobs / 60
    if minutes >= 0.5:
        shown = f"{minutes / 60:.1f} h" if minutes >= 90 else f"{max(1, round(minutes))} min"
        print(f"About {shown} with {jobs} job{'' if jobs == 1 else 's'}.", file=sys.stderr)


def _write(reproduced: Reproduced, written: str, out: str | None) -> None:
    from lcbench.cli.formats import TABLE
    from lcbench.published.sheets import reproduced_sheets

    if out is None and written == TABLE:
        from lcbench.cli.sheets import print_sheets

        print_sheets(reproduced_sheets(reproduced))
    elif out is None:
        sys.stdout.write(_text(reproduced, written))
    else:
        from lcbench.printable import printable
        from lcbench.writing import write_whole

        write_whole(Path(out), _text(reproduced, written).encode())
        print(printable(f"Ours beside {reproduced.published.table} in {out}"), file=sys.stderr)


def _text(reproduced: Reproduced, written: str) -> str:
    from lcbench.cli.formats import CSV, LATEX, MARKDOWN, TABLE
    from lcbench.published.long_csv import long_csv
    from lcbench.published.sheets import reproduced_sheets
    from lcbench.report.tables.latex import latex
    from lcbench.report.tables.markdown import markdown
    from lcbench.report.tables.plain_text import plain_text

    if written == CSV:
        return long_csv(reproduced)
    write = {TABLE: plain_text, MARKDOWN: markdown, LATEX: latex}[written]
    return "\n".join(f"{write(sheet).rstrip()}\n" for sheet in reproduced_sheets(reproduced))
