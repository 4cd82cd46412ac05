"""`lcbench compare`: prints or writes tables that compare the methods of stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import OUTPUT, examples
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
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.printable import counted
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lcbench.analysis.compare import MethodComparison
    from lcbench.analysis.selection import Selection
    from lcbench.report.sheets.sheet import Sheet

DisplayNames = Annotated[
    list[str] | None,
    typer.Option(
        "--names",
        help="A name to print, as in l2sc=Ours, or a file with one such line per name. May be repeated.",
        metavar="NAME=TEXT",
        show_default="in LaTeX those of the specs, such as L²SC",
        rich_help_panel=OUTPUT,
    ),
]
Width = Annotated[
    str | None,
    typer.Option(
        "--width",
        help="Of a LaTeX table: that of a column or page of a two-column article, or in millimetres.",
        metavar="column|page|MM",
        show_default="column",
        rich_help_panel=OUTPUT,
    ),
]


@examples(
    ("lcbench compare --against stsc", "Every method beside one of them, run by run."),
    ("lcbench compare -s digits --order random --metric nmi", "Some of the runs, by one metric."),
    ("lcbench compare --out table.tex", "A table for a paper; also .md, .csv and .txt."),
)
def compare(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            help="Results folders to compare with each other, instead of the one that --results names.",
            metavar="DIR",
            show_default=False,
        ),
    ] = None,
    method: Methods = None,
    stream: Streams = None,
    order: Orders = None,
    seed: Seeds = None,
    name: Names = None,
    metric: Metrics = None,
    against: Against = None,
    at: Annotated[
        str,
        typer.Option(
            help="Scores after all tasks (end), or when each was learned (arrival).",
            metavar="WHEN",
            rich_help_panel=OUTPUT,
        ),
    ] = "end",
    confidence: Annotated[
        float, typer.Option(help="The level of the intervals.", metavar="LEVEL", rich_help_panel=OUTPUT)
    ] = 0.95,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="Only the tables of scores, transfer, figures, differences, streams or ranks.",
            metavar="KIND",
            show_default="all",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    names: DisplayNames = None,
    width: Width = None,
    caption: Annotated[
        str | None,
        typer.Option(
            "--caption", help="The caption of a LaTeX table, in LaTeX.", metavar="TEXT", rich_help_panel=OUTPUT
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label", help="The label of a LaTeX table, as in tab:scores.", metavar="LABEL", rich_help_panel=OUTPUT
        ),
    ] = None,
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
    from lcbench.report.sheets.formats import CSV, LATEX
    from lcbench.report.sheets.latex import Typesetting
    from lcbench.report.widths import COLUMN, width_in_mm

    written = format_of(out, format)
    for option, given in (("--width", width), ("--caption", caption), ("--label", label)):
        if given is not None and written != LATEX:
            raise ParameterError(f"{option} is for LaTeX: end --out in .tex, or say --format latex.")
    if written == CSV and (table or names):
        raise ParameterError(
            "A CSV file has the numbers of all tables, by the names in records: no --table, no --names."
        )
    setting = Typesetting(width or COLUMN, caption or "", label or "")
    width_in_mm(setting.width)
    wanted = Wanted(method, stream, order, seed, name)
    if folders and results != DEFAULT_FOLDER:
        raise ParameterError("Name results folders either by --results or by themselves, not by both.")
    selection = _load(folders or [results], wanted, against)
    shown = shown_metrics((run.scores for run in selection.runs), metric)
    found = compare_methods(selection, shown, against=against, at=at, confidence=confidence)
    runs = sum(method.done + sum(method.failed.values()) for stream in found.streams for method in stream.methods)
    sheets = comparison_sheets(found, verdict=written != LATEX, only=table)
    show_tables(
        _named(sheets, found, names or (), paper=written == LATEX),
        comparison_rows(found),
        written,
        out,
        f"{counted(runs, 'run')} compared",
        setting,
    )


def _load(folders: Sequence[str], wanted: Wanted, against: str | None) -> Selection:
    """The wanted runs of one folder, or of several with what differs told apart."""
    from lcbench.analysis.joining import join_selections, short_names

    if len(folders) == 1:
        return load_selection(folders[0], wanted, against=against)
    if len(set(folders)) < len(folders):
        raise ParameterError("Name each results folder once.")
    found, refused = {}, []
    for folder, short in zip(folders, short_names(folders), strict=True):
        try:
            found[short] = load_selection(folder, wanted, against=against)
        except (ParameterError, UnknownNameError) as error:  # the others may hold what this one does not
            refused.append(error)
    if not found:
        raise refused[0]
    return join_selections(found)


def _named(sheets: Sequence[Sheet], found: MethodComparison, given: Sequence[str], *, paper: bool) -> list[Sheet]:
    """The tables with the names that are printed: for a paper those of the specs, and those that were given."""
    from lcbench.report.naming import Naming, labels_of, paper_names, read_names, tasks_of

    labels = labels_of(found, found.metrics)
    own = read_names(given, [*labels, *tasks_of(found)])
    naming = paper_names(labels, own) if paper else Naming(own)
    return [naming.apply(sheet) for sheet in sheets]
