"""`lcbench reproduce`: runs a paper's protocol and sets our figures beside its table."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Annotated, Any

import typer

from lcbench.cli.help import TUNING, argument, examples, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Debug, DryRun, Quiet, takes_options, typed_options
from lcbench.cli.table_format import Format, Out, format_of, show_tables
from lcbench.experiment.options import OPTIONS
from lcbench.printable import counted
from lcbench.records import DEFAULT_FOLDER

TIMEOUT = "1h"  # many times what the slowest run of a paper takes; without any, one that hangs is never noticed


@examples(
    ("lcbench reproduce webkb4 --method stSC --method L2SC", "Two methods of the paper on its first stream."),
    ("lcbench reproduce reuters --dry-run", "The protocol, what is done of it, and how long the rest takes."),
    ("lcbench reproduce webkb4 --out table.md", "All methods of the paper, beside its table, in a file."),
)
@takes_options(
    methods=replace(OPTIONS["methods"], help="Only this method of the paper. May be repeated.", shown="all"),
    repeats=replace(OPTIONS["repeats"], help="How often, each time with new seeds.", shown="as in the paper"),
    seed=OPTIONS["seed"],
    jobs=replace(OPTIONS["jobs"], shown="one per core"),
    timeout=replace(OPTIONS["timeout"], shown=TIMEOUT),
    results=replace(OPTIONS["results"], old_flag=None),  # --out is the file of the table
    retry_failed=OPTIONS["retry_failed"],
)
def reproduce(
    context: typer.Context,
    stream: Annotated[
        str, argument("A stream for which a paper's figures are here, such as webkb4.", "STREAM", completed="published")
    ],
    full: Annotated[
        bool,
        option(
            "--full",
            "Try every value that the paper tried, and choose with the labels (oracle). Takes long.",
            group=TUNING,
        ),
    ] = False,
    format: Format = None,
    out: Out = None,
    dry_run: DryRun = False,
    quiet: Quiet = False,
    verbose: Annotated[bool, option("--verbose -v", "With --dry-run: every run.")] = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Run the protocol of a paper, and set ours beside its table.

    Every cell is shown with difference and verdict. Every run is kept as it ends, in the same folder as those of
    'lcbench run'; one that is there already is not run again.
    """
    from lcbench.analysis.published.reproduction import Reproduction, choose_methods
    from lcbench.analysis.published.table import published_for
    from lcbench.analysis.published.verdicts import compare_with_paper
    from lcbench.cli.dry_run import print_backlog
    from lcbench.cli.execute import carry_out_shown, print_failures
    from lcbench.experiment.pipeline import prepare
    from lcbench.registry.host import plugin_host
    from lcbench.report.reproduction import protocol_sheet, reproduced_rows, reproduced_sheets
    from lcbench.running.threads import set_thread_variables

    written = format_of(out, format)
    set_thread_variables(1)  # before numpy is imported
    typed = typed_options(context)
    published = published_for(stream, plugin_host().registry)
    if "methods" in typed:
        published = choose_methods(published, typed.pop("methods"))
    repeats = typed.pop("repeats", published.protocol.repeats)
    reproduction = Reproduction(published, repeats, typed.pop("seed", 0), full)
    usual = {"jobs": os.cpu_count() or 1, "timeout": TIMEOUT, "results": DEFAULT_FOLDER}
    asked = reproduction.experiment(**usual | typed)
    prepared = prepare(asked)
    if dry_run:
        from lcbench.cli.console import print_sheets

        print_sheets([protocol_sheet(reproduction)])
        print()
        print_backlog(prepared, verbose=verbose)
    if dry_run or not quiet:
        _say_time(reproduction.seconds(prepared.backlog.left), asked.jobs or 1)
    if dry_run:
        return
    found = carry_out_shown(prepared, quiet=quiet)
    print_failures(found)
    reproduced = compare_with_paper(reproduction, found.runs)
    what = f"Ours beside {reproduced.published.table}"
    show_tables(reproduced_sheets(reproduced), reproduced_rows(reproduced), written, out, what)
    if found.failed:
        raise typer.Exit(1)


def _say_time(seconds: float, jobs: int) -> None:
    """Prints about how long the runs will take, from half a minute on."""
    minutes = seconds / jobs / 60
    if minutes >= 0.5:
        shown = f"{minutes / 60:.1f} h" if minutes >= 90 else f"{max(1, round(minutes))} min"
        say(f"About {shown} with {counted(jobs, 'job')}.")
