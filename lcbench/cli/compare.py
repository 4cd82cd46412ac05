"""`lcbench compare`: prints or writes tables that compare the methods of stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from lcbench.cli.help import argument, examples, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Plugins
from lcbench.cli.stored_runs import RUNS, Against, Folder, Metrics, Wanted, chooses_runs, load_selection
from lcbench.cli.table_format import Format, Out, format_of, names_option, show_tables, width_option
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.printable import counted
from lcbench.records import DEFAULT_FOLDER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lcbench.analysis.selection import Selection


@examples(
    ("lcbench compare --against stsc", "Every method beside one of them, run by run."),
    ("lcbench compare -s digits --order random --metric nmi", "Some of the runs, by one metric."),
    ("lcbench compare --out table.tex", "A table for a paper; also .md, .csv and .txt."),
)
@chooses_runs(*RUNS)
def compare(
    *,
    folders: Annotated[
        list[str] | None,
        argument("Results folders to compare with each other, instead of the one that --results names.", "DIR"),
    ] = None,
    wanted: Wanted,
    metric: Metrics = None,
    against: Against = None,
    at: Annotated[
        str, option("--at", "Scores after all tasks (end), or when each was learned (arrival).", "WHEN")
    ] = "end",
    confidence: Annotated[float, option("--confidence", "The level of the intervals.", "LEVEL")] = 0.95,
    table: Annotated[
        str | None,
        option(
            "--table",
            "Only the tables of scores, transfer, figures, differences, streams or ranks.",
            "KIND",
            shown="all",
        ),
    ] = None,
    names: Annotated[list[str] | None, names_option("in LaTeX")] = None,
    width: Annotated[str | None, width_option("Of a LaTeX table")] = None,
    caption: Annotated[str | None, option("--caption", "The caption of a LaTeX table, in LaTeX.", "TEXT")] = None,
    label: Annotated[str | None, option("--label", "The label of a LaTeX table, as in tab:scores.", "LABEL")] = None,
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
    from lcbench.report.naming import naming_of
    from lcbench.report.sheets.formats import CSV, LATEX
    from lcbench.report.sheets.latex import Typesetting
    from lcbench.report.widths import COLUMN, width_in_mm

    written = format_of(out, format)
    for word, given in (("--width", width), ("--caption", caption), ("--label", label)):
        if given is not None and written != LATEX:
            raise ParameterError(f"{word} is for LaTeX: end --out in .tex, or say --format latex.")
    if written == CSV and (table or names):
        raise ParameterError(
            "A CSV file has the numbers of all tables, by the names in records: no --table, no --names."
        )
    width_in_mm(width or COLUMN)
    if folders and results != DEFAULT_FOLDER:
        raise ParameterError("Name results folders either by --results or by themselves, not by both.")
    selection = _load(folders or [results], wanted, against)
    shown = shown_metrics((run.scores for run in selection.runs), metric)
    found = compare_methods(selection, shown, against=against, at=at, confidence=confidence)
    runs = sum(method.done + sum(method.failed.values()) for stream in found.streams for method in stream.methods)
    paper = written == LATEX
    naming = naming_of(found, found.metrics, names or (), paper=paper)
    sheets = comparison_sheets(found, paper=paper, only=table)
    show_tables(
        [naming.apply(sheet) for sheet in sheets],
        comparison_rows(found),
        written,
        out,
        f"{counted(runs, 'run')} compared",
        Typesetting(width or COLUMN, caption or "", label or "", found.left_out),
    )
    for note in found.left_out if paper else ():
        say(note)


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
