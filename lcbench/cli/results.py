"""`lcbench results`: lists, shows, exports and removes stored runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import WHAT, argument, examples, group, option
from lcbench.cli.messages import say
from lcbench.cli.results_check import check_runs
from lcbench.cli.run_options import Plugins
from lcbench.cli.stored_runs import (
    CHOOSING,
    SHORT,
    Folder,
    Wanted,
    choose_known,
    choose_some,
    chooses_runs,
    find_run,
    loaded,
    open_store,
    say_nothing_fits,
)
from lcbench.cli.table_format import format_of, format_option
from lcbench.errors import ParameterError, RecordError
from lcbench.printable import counted, printable_line
from lcbench.reading import read_regular
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.records.index import IndexEntry
    from lcbench.report.sheets.sheet import Sheet

NEWEST = 50
GIVE_WAY = ("learn s", "when", "repeat")
LONGEST_ORDER, FIRST_TASK = 24, 12
MOST_LINES = 20
ENDINGS = {".csv": "csv", ".parquet": "parquet", ".json": "json"}


def build_results_app() -> typer.Typer:
    """Builds the group `lcbench results` with its commands."""
    return group(_results, list=list_runs, show=show, export=export, remove=remove, check=check_runs)


@examples(
    ("lcbench results list", "The newest runs."),
    ("lcbench results show 1f7c", "All about one, by how its id begins."),
    ("lcbench results export scores.csv", "A table with a row per score."),
)
def _results() -> None:
    """List, show, export, remove and check the runs that are stored."""


@examples(
    ("lcbench results list", "The newest runs."),
    ("lcbench results list -m l2sc --status failed", "Those of a method that failed."),
    ("lcbench results list --json | jq .method", "Every run, for another program."),
)
@chooses_runs(*CHOOSING)
def list_runs(
    *,
    wanted: Wanted,
    all_runs: Annotated[bool, option("--all", "Every run, as plain lines with tabs between.")] = False,
    json: Annotated[bool, option("--json", "Every run, as one JSON object per line.")] = False,
    results: Folder = DEFAULT_FOLDER,
    plugin: Plugins = None,
) -> None:
    """List the newest runs."""
    index = open_store(results).index()
    runs = list(choose_known(index, results, wanted).items())
    if not runs:
        say_nothing_fits(index, results)
    elif json or all_runs:
        sys.stdout.write("".join(f"{line}\n" for line in _lines(runs if json else _with_data(runs), json=json)))
    else:
        from lcbench.analysis.caveats import UNVERIFIED
        from lcbench.cli.console import print_sheets

        more = counted(len(runs) - NEWEST, "older run")
        notes = [f"These are the newest {NEWEST}; --all lists {more} as well."] if len(runs) > NEWEST else []
        if not all(entry.verified for _, entry in runs[:NEWEST]):
            notes.append(f"unverified: {UNVERIFIED}.")
        print_sheets([replace(_run_sheet(runs[:NEWEST]), notes=tuple(notes))])


def _run_sheet(runs: Sequence[tuple[str, IndexEntry]]) -> Sheet:
    """A table with a row per run."""
    from lcbench.registry.metrics import shown_metrics
    from lcbench.report.sheets.sheet import text_sheet

    metrics = shown_metrics({metric: [[score]] for metric, score in entry.after_all.items()} for _, entry in runs)
    header = ("id", "status", "method", "stream", "order", "repeat", *metrics, "learn s", "when")
    marked = [
        (run_id, entry if entry.verified else entry._replace(status=f"{entry.status}, unverified"))
        for run_id, entry in runs
    ]
    rows = [_row(run_id[:SHORT], entry, metrics, _short(entry)) for run_id, entry in _with_data(marked)]
    return replace(text_sheet("", header, rows, header.index("repeat")), give_way=GIVE_WAY)


def _with_data(runs: Sequence[tuple[str, IndexEntry]]) -> list[tuple[str, IndexEntry]]:
    """The runs, with the id of its data after a stream that is there with several."""
    data: dict[str, set[str]] = {}
    for _, entry in runs:
        data.setdefault(entry.stream_label, set()).add(entry.data)
    return [
        (run_id, entry._replace(stream_label=f"{entry.stream_label}@{entry.data}"))
        if len(data[entry.stream_label]) > 1
        else (run_id, entry)
        for run_id, entry in runs
    ]


def _lines(runs: Sequence[tuple[str, IndexEntry]], *, json: bool) -> Iterator[str]:
    """A line per run with the whole id and order: a JSON object, or what the table has, in fixed columns with tabs."""
    from json import dumps

    from lcbench.registry.metrics import default_metrics

    metrics = default_metrics()
    for run_id, entry in runs:
        row = _row(run_id, entry, metrics, ",".join(entry.order))
        yield dumps({"run_id": run_id, **entry._asdict()}) if json else "\t".join(map(printable_line, row))


def _row(run_id: str, entry: IndexEntry, metrics: Sequence[str], order: str) -> list[str]:
    from lcbench.report import numbers

    scores = [numbers.score(metric, entry.after_all.get(metric)) for metric in metrics]
    cost, when = numbers.seconds(entry.learn_seconds), f"{entry.when.astimezone():%Y-%m-%d %H:%M}"
    return [run_id, entry.status, entry.label, entry.stream_label, order, str(entry.repeat), *scores, cost, when]


def _short(entry: IndexEntry) -> str:
    """The order of the tasks, with its kind; of a long one the first task and the number of tasks."""
    order, whole = entry.order, ",".join(entry.order)
    tasks = whole if len(whole) <= LONGEST_ORDER else f"{order[0][:FIRST_TASK]},... ({len(order)})"
    return f"{'/'.join(entry.kinds)}: {tasks}" if entry.kinds else tasks


@examples(
    ("lcbench results show 1f7c", "A run by how its id begins."),
    ("lcbench results show 1f7c --json", "What its file holds."),
    ("lcbench results show 1f7c --results old-results", "In another folder."),
)
def show(
    run: Annotated[str, argument("The id of a run, or how it begins.", "ID", completed="stored runs")],
    json: Annotated[bool, option("--json", "The stored JSON, and nothing else.")] = False,
    results: Folder = DEFAULT_FOLDER,
    plugin: Plugins = None,
) -> None:
    """Show all that is known of one run.

    What ran, how it ended, its scores and costs, and the command that makes it again.
    """
    store = open_store(results)
    index = store.index()
    run_id = find_run(index, run, results)
    if run_id in index.damaged:
        raise RecordError(f"Run '{run_id[:SHORT]}' cannot be shown: its file is damaged ({index.damaged[run_id]}).")
    if json:
        from json import dumps, loads

        print(dumps(loads(read_regular(store.run_file(run_id)))))  # in ASCII: a record may come from anybody
        return
    from lcbench.cli.console import print_sheets
    from lcbench.cli.run_sheet import run_sheets

    print_sheets(run_sheets(store, run_id))


@examples(
    ("lcbench results export scores.csv", "Every score of every run."),
    ("lcbench results export l2sc.parquet -m l2sc", "Those of a method, for pandas."),
    ("lcbench results export - --format json | head", "On standard output."),
)
@chooses_runs(*CHOOSING)
def export(
    *,
    file: Annotated[str, argument("The file to write; - is standard output.", "FILE")],
    format: Annotated[
        str | None, format_option(ENDINGS.values(), "what the file's name says; csv for standard output")
    ] = None,
    wanted: Wanted,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Write a table with a row per score.

    A run in which nothing was scored has one row without a metric.
    """
    from lcbench.report.export import WRITERS, run_rows
    from lcbench.writing import whole_file

    written = format_of(None if file == "-" else file, format, ENDINGS, "csv")
    if file == "-" and written == "parquet" and sys.stdout.isatty():
        raise ParameterError("Parquet is not for a terminal: name a file.")
    write = WRITERS[written]
    store = open_store(results)
    chosen = choose_some(store.index(), results, wanted)
    runs = list(reversed(chosen))
    labels = {run_id: entry.stream_label for run_id, entry in _with_data(list(chosen.items()))}
    rows = (row | {"stream_label": labels[record.run_id]} for record in loaded(store, runs) for row in run_rows(record))
    if file == "-":
        write(rows, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(file)) as target:
        count = write(rows, target)
    say(f"{counted(count, 'row')} from {counted(len(runs), 'run')} in {file}")


@examples(
    ("lcbench results remove 1f7c", "One run, after a question."),
    ("lcbench results remove --status failed", "All that failed."),
    ("lcbench results remove -s digits --yes", "All on a stream, without a question."),
)
@chooses_runs(*CHOOSING)
def remove(
    *,
    runs: Annotated[
        list[str] | None, argument("Ids of runs, or how they begin.", "ID", completed="stored runs")
    ] = None,
    wanted: Wanted,
    all_runs: Annotated[bool, option("--all", "Every run.", group=WHAT)] = False,
    yes: Annotated[bool, option("--yes -y", "Do not ask.")] = False,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Remove runs with their labels.

    Those that are named, those that fit the filters, or all.
    """
    ways = [bool(runs), wanted != Wanted(), all_runs]
    if sum(ways) != 1:
        raise ParameterError("Say which runs to remove: ids, or --method, --stream and other filters, or --all.")
    store = open_store(results)
    index = store.index()
    named = dict.fromkeys(find_run(index, run, results) for run in runs or ())
    chosen = list(named or choose_known(index, results, wanted))
    if not chosen:
        say_nothing_fits(index, results)
        return
    if not yes:
        _confirm(len(chosen), results)
    removed = store.remove(chosen)
    for run_id in removed[:MOST_LINES]:
        entry = index.get(run_id)
        told = "damaged" if entry is None else f"{entry.label} on {entry.stream_label}, {entry.status}"
        print(f"removed {run_id[:SHORT]}: {printable_line(told)}")
    if len(removed) > MOST_LINES:
        print(f"removed {len(removed) - MOST_LINES:,} more, {len(removed):,} together")


def _confirm(count: int, folder: str) -> None:
    """Asks before runs are removed; refuses where there is nobody to ask."""
    from lcbench.cli.console import can_ask, says_yes

    if not can_ask():
        raise ParameterError(f"This would remove {counted(count, 'run')} from '{folder}': say --yes to do it.")
    if not says_yes(f"Remove {counted(count, 'run')} from '{folder}'?"):
        say("lcbench: nothing was removed.")
        raise typer.Exit(1)
