"""`lcbench results`: lists, shows, exports and removes stored runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.quick_commands import QuickCommand, QuickGroup
from lcbench.cli.stored_runs import (
    SHORT,
    Filters,
    Folder,
    Methods,
    Statuses,
    Streams,
    find_run,
    open_store,
    say_nothing_fits,
)
from lcbench.errors import ParameterError
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from lcbench.records.index import IndexEntry
    from lcbench.records.store import RunStore

NEWEST = 50
MOST_NAMED = 20
FORMATS = ("csv", "parquet", "json")


def build_results_app() -> typer.Typer:
    """Builds the group `lcbench results` with its commands."""
    app = typer.Typer(
        cls=QuickGroup, help="List, show, export and remove the runs that are stored.", no_args_is_help=True
    )
    app.command("list", cls=QuickCommand)(list_runs)
    app.command("show", cls=QuickCommand)(show)
    app.command("export", cls=QuickCommand)(export)
    app.command("remove", cls=QuickCommand)(remove)
    return app


def list_runs(
    method: Methods = None,
    stream: Streams = None,
    status: Statuses = None,
    all_runs: Annotated[bool, typer.Option("--all", help="Every run, as plain lines with tabs between.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Every run, as one JSON object per line.")] = False,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """List the newest runs."""
    from lcbench.cli import run_list

    filters = Filters.of(method, stream, status)
    index = open_store(results).index()
    runs = filters.choose(index)
    if not runs:
        say_nothing_fits(index, results)
    elif json or all_runs:
        lines = run_list.json_lines(runs) if json else run_list.plain_lines(runs)
        sys.stdout.write("".join(f"{line}\n" for line in lines))
    else:
        _print_newest(runs)


def _print_newest(runs: list[tuple[str, IndexEntry]]) -> None:
    from lcbench.cli import run_list
    from lcbench.cli.console import output, plain
    from lcbench.printable import counted

    console = output()
    table, left_out = run_list.table(runs[:NEWEST], console.width)
    console.print(table)
    if left_out:
        console.print(plain(f"Left out to fit the width: {', '.join(left_out)}; --json has every column.", "dim"))
    if len(runs) > NEWEST:
        more = counted(len(runs) - NEWEST, "older run")
        console.print(plain(f"These are the newest {NEWEST}; --all lists {more} as well.", "dim"))


def show(
    run: Annotated[str, typer.Argument(help="The id of a run, or how it begins.", metavar="ID")],
    json: Annotated[bool, typer.Option("--json", help="The stored JSON, and nothing else.")] = False,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Show all that is known of a run: what ran, how it ended, its scores and its costs."""
    store = open_store(results)
    run_id = find_run(store.index(), run, results)
    if json:
        _print_stored(store, run_id)
        return
    from rich.text import Text

    from lcbench.cli.console import output
    from lcbench.cli.run_sheet import sheet

    console = output()
    for part in sheet(store, run_id, console.width):
        console.print(part, soft_wrap=isinstance(part, Text))  # a path must stay in one piece


def _print_stored(store: RunStore, run_id: str) -> None:
    import json

    values = json.loads(store.run_file(run_id).read_bytes())
    print(json.dumps(values))  # what is not ASCII is written out: it may come from anybody


def export(
    file: Annotated[str, typer.Argument(help="The file to write; - is standard output.", metavar="FILE")],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, parquet or json.",
            metavar="FORMAT",
            show_default="what the file's name says; csv for standard output",
        ),
    ] = None,
    method: Methods = None,
    stream: Streams = None,
    status: Statuses = None,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Write a table with a row per scored cell; a run in which nothing was scored has one row without a metric."""
    from lcbench.cli.console import error_output, plain
    from lcbench.printable import counted
    from lcbench.report.export import WRITERS, run_rows
    from lcbench.writing import whole_file

    write = WRITERS[_format_of(file, format)]
    filters = Filters.of(method, stream, status)
    store = open_store(results)
    runs = [run_id for run_id, _ in reversed(filters.choose(store.index()))]
    rows = (row for record in map(store.load, runs) if record is not None for row in run_rows(record))
    if file == "-":
        write(rows, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    with whole_file(Path(file)) as target:
        count = write(rows, target)
    text = f"{counted(count, 'row')} from {counted(len(runs), 'run')} in {file}"
    error_output().print(plain(text), soft_wrap=True)


def _format_of(file: str, asked: str | None) -> str:
    """The format from --format, or from the ending of the file's name."""
    if asked is not None and asked not in FORMATS:
        raise ParameterError(f"--format takes one of {', '.join(FORMATS)}, not '{asked}'.")
    found = asked or ("csv" if file == "-" else Path(file).suffix.lower().removeprefix("."))
    if found not in FORMATS:
        raise ParameterError(f"'{file}' does not say its format: end it in .csv, .parquet or .json, or use --format.")
    if file == "-" and found == "parquet" and sys.stdout.isatty():
        raise ParameterError("Parquet is not for a terminal: name a file.")
    return found


def remove(
    runs: Annotated[
        list[str] | None, typer.Argument(help="Ids of runs, or how they begin.", metavar="ID", show_default=False)
    ] = None,
    method: Methods = None,
    stream: Streams = None,
    status: Statuses = None,
    all_runs: Annotated[bool, typer.Option("--all", help="Every run.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    results: Folder = DEFAULT_FOLDER,
) -> None:
    """Remove runs with their labels: those named, those that fit the filters, or all."""
    ways = [bool(runs), bool(method or stream or status), all_runs]
    if sum(ways) != 1:
        raise ParameterError("Say which runs to remove: ids, or --method, --stream and --status, or --all.")
    filters = Filters.of(method, stream, status)
    store = open_store(results)
    index = store.index()
    if runs:
        chosen = list(dict.fromkeys(find_run(index, run, results) for run in runs))
    else:
        chosen = [run_id for run_id, _ in filters.choose(index)]
    if not chosen:
        say_nothing_fits(index, results)
        return
    if not yes:
        _confirm(len(chosen), results)
    removed = store.remove(chosen)
    for run_id in removed[:MOST_NAMED]:
        _print_removed(run_id, index[run_id])
    if len(removed) > MOST_NAMED:
        print(f"removed {len(removed) - MOST_NAMED:,} more, {len(removed):,} together")


def _confirm(count: int, folder: str) -> None:
    """Asks before runs are removed; refuses where there is nobody to ask."""
    from lcbench.printable import counted, printable_line

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise ParameterError(f"This would remove {counted(count, 'run')} from '{folder}': say --yes to do it.")
    question = f"Remove {counted(count, 'run')} from '{printable_line(folder)}'? [y/N]: "
    print(question, end="", file=sys.stderr, flush=True)  # not typer.confirm, which writes to standard output too
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        print("lcbench: nothing was removed.", file=sys.stderr)
        raise typer.Exit(1)


def _print_removed(run_id: str, entry: IndexEntry) -> None:
    from lcbench.printable import printable_line

    print(f"removed {run_id[:SHORT]}: {printable_line(f'{entry.label} on {entry.stream_label}')}, {entry.status}")
