"""`lcbench compare`: prints or writes tables that compare the methods of stored runs."""

from __future__ import annotations

from typing import Annotated

import typer

from lcbench.cli.plugin_option import Plugins
from lcbench.cli.stored_runs import (
    Against,
    Folder,
    Methods,
    Metrics,
    Names,
    Orders,
    Seeds,
    Streams,
    Wanted,
    load_selection,
)
from lcbench.cli.table_format import Format, Out, format_of, show_tables
from lcbench.printable import counted
from lcbench.records import DEFAULT_FOLDER


def compare(
    method: Methods = None,
    stream: Streams = None,
    order: Orders = None,
    seed: Seeds = None,
    name: Names = None,
    metric: Metrics = None,
    against: Against = None,
    at: Annotated[
        str, typer.Option(help="Scores after all tasks (end), or when each was learned (arrival).", metavar="WHEN")
    ] = "end",
    confidence: Annotated[float, typer.Option(help="The level of the intervals.", metavar="LEVEL")] = 0.95,
    format: Format = None,
    out: Out = None,
    results: Folder = DEFAULT_FOLDER,
    plugin: Plugins = None,
) -> None:
    """Compare methods in tables.

    They have means over orders and repeats, lifelong figures, and differences to one of the methods.
    """
    from lcbench.analysis.compare import compare_methods
    from lcbench.registry.metrics import shown_metrics
    from lcbench.report.comparison.sheets import comparison_rows, comparison_sheets

    written = format_of(out, format)
    selection = load_selection(results, Wanted(method, stream, order, seed, name), against=against)
    shown = shown_metrics((run.scores for run in selection.runs), metric)
    found = compare_methods(selection, shown, against=against, at=at, confidence=confidence)
    runs = sum(method.done + sum(method.failed.values()) for stream in found.streams for method in stream.methods)
    show_tables(
        comparison_sheets(found, verdict=written != "latex"),
        comparison_rows(found),
        written,
        out,
        f"{counted(runs, 'run')} compared",
    )
