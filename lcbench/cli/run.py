"""`lcbench run`: runs methods on streams, and shows tables at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.cli.help import argument, examples, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Debug, DryRun, Quiet, Verbose, takes_options, typed_options
from lcbench.errors import DataUnavailableError, ExperimentFileError, OrderError, ParameterError, UnknownNameError
from lcbench.experiment.options import OPTIONS, Experiment
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.experiment.pipeline import Outcome, Prepared


@examples(
    ("lcbench run -m cpsc -m l2sc -m stsc -s digits", "Three methods on four tasks of handwritten digits."),
    (
        "lcbench run -m l2sc:lam=10 --order random --repeats 10",
        "Ten random orders, with a parameter of the method set.",
    ),
    ("lcbench run -m l2sc --grid l2sc.lam=0.1,1,10 --tune silhouette", "Choose a value without labels."),
)
@takes_options(**OPTIONS)
def run(
    context: typer.Context,
    file: Annotated[
        Path | None,
        argument("A TOML file that says what to run; options that are typed come before those in it.", "FILE"),
    ] = None,
    dry_run: DryRun = False,
    json: Annotated[bool, option("--json", "One JSON object per run on standard output, and nothing else.")] = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Run methods on streams of tasks, and show how well they do.

    The verdict comes first, then tables: how well tasks are clustered as more arrive, and what other tasks bring. Every
    run is kept as it ends; a run that is there already is not run again.
    """
    from lcbench.cli.dry_run import print_backlog
    from lcbench.cli.execute import carry_out_shown, end_run
    from lcbench.experiment.pipeline import prepare
    from lcbench.running.threads import set_thread_variables

    asked = _asked(file, typed_options(context))
    set_thread_variables(asked.threads)  # before numpy is imported
    with _named(file):
        prepared = prepare(asked)
    if dry_run:
        print_backlog(prepared, json=json, verbose=verbose)
        return
    try:
        found = carry_out_shown(prepared, json=json, quiet=quiet)
    except DataUnavailableError as error:
        agreed = _stand_in(error, asked.streams)
        if agreed is None:
            raise
        prepared = prepare(replace(asked, streams=agreed))
        found = carry_out_shown(prepared, json=json, quiet=quiet)
    end_run(found, json=json, verbose=verbose, where=None if quiet else _where(found, prepared))


def _asked(file: Path | None, typed: dict[str, Any]) -> Experiment:
    """The experiment of a file, with the options that were typed in place of its own."""
    from lcbench.experiment.experiment_file import read_experiment_file

    asked: dict[str, Any] = {"jobs": 1, "results": DEFAULT_FOLDER}
    return Experiment(**asked | ({} if file is None else read_experiment_file(file)) | typed)


@contextmanager
def _named(file: Path | None) -> Iterator[None]:
    """Puts the name of the experiment file before the sentence of an error."""
    try:
        yield
    except (ParameterError, UnknownNameError, OrderError) as error:
        raise error if file is None else ExperimentFileError(f"{file}: {error}") from None


def _stand_in(error: DataUnavailableError, streams: Any) -> list[str] | None:
    """Asks whether to run on a stand-in for data that are not available; the streams if the answer is yes."""
    from lcbench.cli.console import can_ask, says_yes
    from lcbench.registry.names import parse_stream_entry

    if error.stand_in is None or not isinstance(streams, tuple) or not can_ask():
        return None
    say(f"lcbench: {error}")
    entries = {name: parse_stream_entry(name) for name in streams}
    own = any(entry.params for entry in entries.values() if entry.name == error.stream)
    note = f" (the parameters of {error.stream} do not apply to it)" if own else ""
    if not says_yes(f"Run on the stand-in '{error.stand_in}' instead{note}?"):
        raise typer.Exit(error.exit_code)
    return [error.stand_in if entries[name].name == error.stream else name for name in streams]


def _where(found: Outcome, prepared: Prepared) -> str | None:
    """A sentence on the folder of the runs, and the commands that show them; None if it has none of them."""
    import shlex

    from lcbench.printable import counted

    folder, kept = prepared.asked.results, {} if prepared.store is None else prepared.store.index()
    count = sum(run.run_id in kept for run in (*found, *found.searched, *found.solos))  # a refused run is not kept
    if not count:
        return None
    each = "" if str(folder) == DEFAULT_FOLDER else f", each with --results {shlex.quote(str(folder))}"
    text = (
        f"'lcbench compare' has tables, 'lcbench plot lifelong' draws the curves, 'lcbench report' makes a page{each}"
    )
    return f"{counted(count, 'run')} in {folder}: {text}"
