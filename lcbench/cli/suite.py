"""`lcbench suite`: lists suites, shows what one freezes, and runs methods on it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.cli.help import WHAT, argument, examples, group, option
from lcbench.cli.run_options import Debug, DryRun, Plugins, Quiet, Verbose, takes_options, typed_options
from lcbench.errors import ParameterError
from lcbench.experiment.options import OPTIONS
from lcbench.printable import counted
from lcbench.records import DEFAULT_FOLDER
from lcbench.registry.host import plugin_host

if TYPE_CHECKING:
    from lcbench.experiment.suites import Suite
    from lcbench.report.sheets.sheet import Sheet

SuiteName = Annotated[str, argument("The name of a suite, such as lifelong-1.", "SUITE", completed="suites")]
QuickPart = Annotated[
    bool, option("--quick", "Only the quick version: some of the streams, the first repeats.", group=WHAT)
]


def build_suite_app() -> typer.Typer:
    """Builds the group `lcbench suite` with its commands."""
    return group(_suite, list=list_suites, info=info, run=run)


@examples(
    ("lcbench suite list", "Every suite that is installed."),
    ("lcbench suite info lifelong-1", "The streams of a suite, and all that it freezes."),
    ("lcbench suite run lifelong-1 --quick -m l2sc -m stsc", "Two methods on its quick version."),
)
def _suite() -> None:
    """List and show suites of streams, and run methods on one."""


@examples(
    ("lcbench suite list", "Every suite that is installed."),
    ("lcbench suite list --plugin ./mine.py", "With that of a file of yours."),
    ("lcbench suite list | cat", "Without colours."),
)
def list_suites(plugin: Plugins = None) -> None:
    """List the installed suites."""
    from lcbench.cli.console import print_sheets
    from lcbench.report.sheets.sheet import text_sheet

    suites = plugin_host().registry.suites
    rows = [(spec.name, spec.summary, suites.source(spec.name).distribution) for spec in suites]
    print_sheets([text_sheet("suites", ("name", "what it is", "from"), rows)])


@examples(
    ("lcbench suite info lifelong-1", "The streams of a suite, and all that it freezes."),
    ("lcbench suite info LIFELONG-1", "The same: case does not matter."),
    ("lcbench suite info mine-1 --plugin ./mine.py", "A suite of a file of yours."),
)
def info(suite: SuiteName, plugin: Plugins = None) -> None:
    """Show all that a suite freezes: streams, orders, seed, metrics, budget; and its quick version."""
    from lcbench.cli.console import print_sheets
    from lcbench.experiment.suites import read_suite

    found = read_suite(suite)
    print_sheets(_sheets(found))
    found.configured()  # the file is shown before it is said that it cannot be run here


def _sheets(suite: Suite) -> Iterator[Sheet]:
    from lcbench.report.sheets.sheet import fact_sheet, text_sheet

    file, source = suite.file, plugin_host().registry.suites.source(suite.name)
    quick = file.quick
    facts = [
        ("what", file.about),
        ("digest", suite.digest),
        ("seed", file.seed),
        ("metrics", ", ".join(file.metrics)),
        ("scored", {"all": "after each task", "last": "after the last task"}.get(file.evaluate, file.evaluate)),
        ("alone", "each task is also learned by a fresh instance of the method" if file.solo else "no"),
        ("budget", f"{file.budget.time} and {file.budget.memory} for each run"),
        ("sealed", "yes, with bubblewrap" if file.sealed else "no"),
        ("takes", f"about {file.minutes} minutes on two cores for an ordinary method"),
        ("quick", f"{', '.join(quick.streams)}, {counted(quick.repeats, 'repeat')}: within {quick.minutes} minutes"),
        ("from", f"{source.distribution} {source.version}".strip()),
    ]
    yield fact_sheet(f"suite {suite.name}", facts)
    header = ("stream", "tasks", "order", "repeats", "what it is for", "digest")
    rows = [(s.shown, s.tasks, s.order, s.repeats, s.purpose, _short(s.digest)) for s in suite.streams]
    yield replace(text_sheet("", header, rows), give_way=("digest",))


def _short(digest: str) -> str:
    return digest if len(digest) <= 24 else f"{digest[:21]}..."


@examples(
    ("lcbench suite run lifelong-1 --quick -m l2sc -m stsc", "Two methods on the quick version."),
    ("lcbench suite run lifelong-1 -m stsc --dry-run", "How many runs the whole suite has, and which are done."),
    ("lcbench suite run lifelong-1 -m l2sc:lam=10 --jobs 2", "The whole suite with a parameter, two runs at a time."),
)
@takes_options(
    methods=replace(OPTIONS["methods"], shown="none"),
    plugins=OPTIONS["plugins"],
    audit=OPTIONS["audit"],
    executor=OPTIONS["executor"],
    scheduler=OPTIONS["scheduler"],
    jobs=replace(OPTIONS["jobs"], shown="one per core"),
    sealed=OPTIONS["sealed"],
    results=OPTIONS["results"],
    fresh=OPTIONS["fresh"],
    retry_failed=OPTIONS["retry_failed"],
)
def run(
    context: typer.Context,
    suite: SuiteName,
    quick: QuickPart = False,
    dry_run: DryRun = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Run methods on a suite.

    Streams, orders, seeds, metrics and the budget are the suite's. Every run is kept as it ends; one that is there
    already is not run again, and the quick version is a part of the whole.
    """
    from lcbench.cli.dry_run import print_backlog
    from lcbench.cli.execute import carry_out_shown, end_run
    from lcbench.experiment.pipeline import prepare
    from lcbench.registry.plugin_files import load_plugin_files
    from lcbench.running.threads import set_thread_variables

    typed = typed_options(context)
    if "methods" not in typed:
        raise ParameterError("Say which method to run on the suite, as in --method l2sc.")
    set_thread_variables(1)  # before numpy is imported
    load_plugin_files(typed.get("plugins", ()))  # one of them may bring the suite
    from lcbench.experiment.suites import read_suite

    found = read_suite(suite, quick=quick)
    usual = {"jobs": os.cpu_count() or 1, "results": DEFAULT_FOLDER}
    prepared = prepare(*found.experiments(typed.pop("methods"), **usual | typed))
    if dry_run:
        print_backlog(prepared, verbose=verbose)
        return
    outcome = carry_out_shown(prepared, quiet=quiet)
    where = None if quiet else _where(found, len(outcome) + len(outcome.solos), prepared.asked.results)
    end_run(outcome, verbose=verbose, where=where)


def _where(suite: Suite, count: int, folder: Any) -> str:
    """A sentence on the folder of the runs, and the commands that show and submit them."""
    where = "" if str(folder) == DEFAULT_FOLDER else f" --results {shlex.quote(str(folder))}"
    return (
        f"{counted(count, 'run')} in {folder}: 'lcbench compare --name {suite.tag}{where}' has tables, "
        f"'lcbench submit pack {suite.name}{' --quick' if suite.quick else ''}{where}' makes a submission"
    )
