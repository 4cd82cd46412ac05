"""`lcbench report`: writes the HTML page of stored runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from lcbench.cli.help import examples, option
from lcbench.cli.messages import say
from lcbench.cli.run_options import Plugins
from lcbench.cli.stored_runs import RUNS, Against, Folder, Metrics, Wanted, chooses_runs, load_selection
from lcbench.errors import ParameterError
from lcbench.records import DEFAULT_FOLDER

PAGE = "report.html"
SUFFIXES = (".html", ".htm")


@examples(
    ("lcbench report", "All stored runs, in report.html."),
    ("lcbench report --against stsc --metric nmi --out nmi.html", "One metric, and differences to a method."),
    ("lcbench report --name mine --results results-of-may", "An experiment by its name, from another folder."),
)
@chooses_runs(*RUNS)
def report(
    *,
    context: typer.Context,
    wanted: Wanted,
    metric: Metrics = None,
    against: Against = None,
    out: Annotated[str, option("--out -o", "The file to write.", "FILE")] = PAGE,
    results: Folder = DEFAULT_FOLDER,
    plugin: Plugins = None,
) -> None:
    """Write one HTML page with tables and interactive curves.

    It also has where they come from, and needs no network.
    """
    from lcbench.analysis.compare import compare_methods
    from lcbench.printable import byte_size, counted
    from lcbench.registry.metrics import shown_metrics
    from lcbench.report.page.content import gather, render
    from lcbench.writing import write_whole

    if Path(out).suffix.lower() not in SUFFIXES:
        raise ParameterError(f"'{out}' would be an HTML page all the same: end --out in .html.")
    selection = load_selection(results, wanted, against=against)
    content = gather(
        selection,
        compare_methods(selection, shown_metrics((run.scores for run in selection.runs), metric), against=against),
        folder=results,
        others=not metric,
        made_by=_made_by(context),
    )
    page = render(content).encode("utf-8")
    write_whole(Path(out), page)
    runs = counted(len(selection.runs), "run")
    say(f"{out}: {runs}, {byte_size(len(page))}; open it in a browser")


def _made_by(context: typer.Context) -> str:
    """The command line that makes this page again: the options that are not at their defaults."""
    words = ["lcbench", "report"]
    for param in context.command.params:
        given = context.params.get(param.name or "")
        values = given if isinstance(given, list | tuple) else [given]
        texts = [str(value) for value in values if value not in (None, param.default)]
        words += [word for text in texts for word in (param.opts[0], text)]
    return shlex.join(words)
