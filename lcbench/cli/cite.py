"""`lcbench cite`: prints BibTeX for lcbench and for what stored runs used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.cli.help import argument, examples
from lcbench.cli.messages import say
from lcbench.cli.run_options import Plugins
from lcbench.cli.stored_runs import Wanted, choose_some, chooses_runs, open_store
from lcbench.reading import is_folder
from lcbench.records import DEFAULT_FOLDER
from lcbench.registry.host import plugin_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lcbench.registry.catalogue import Catalogue


@examples(
    ("lcbench cite", "For lcbench, and for all that the stored runs used."),
    ("lcbench cite l2sc webkb4", "For a method and a stream."),
    ("lcbench cite -s digits --out refs.bib", "For the runs on one stream, into a file."),
)
@chooses_runs("methods", "streams", "experiments")
def cite(
    *,
    names: Annotated[
        list[str] | None, argument("Methods, streams or metrics to cite, instead of those that runs used.", "NAME")
    ] = None,
    wanted: Wanted,
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="A file to write instead, such as refs.bib.", metavar="FILE")
    ] = None,
    results: Annotated[
        str | None,
        typer.Option(
            "--results",
            help="The folder that holds the runs.",
            metavar="DIR",
            show_default=f"{DEFAULT_FOLDER}, if it is there",
        ),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Print BibTeX for lcbench and what runs used.

    That is for the methods and streams of stored runs, or for those that are named.
    """
    import sys
    from pathlib import Path

    from lcbench.report.bibtex import bibliography
    from lcbench.writing import write_whole

    if names:
        used = [(held.kind, held[name]) for name in names for held in plugin_host().registry.holding(name)]
    else:
        used = list(_used(results, wanted))
    text = bibliography(used)
    if out is None:
        sys.stdout.write(text)
    else:
        write_whole(Path(out), text.encode())


def _used(folder: str | None, wanted: Wanted) -> Iterator[tuple[str, Any]]:
    """The specs of the methods and streams of stored runs, with a warning on those that are not installed."""
    if folder is None and wanted == Wanted() and not is_folder(DEFAULT_FOLDER):
        return
    folder = folder or DEFAULT_FOLDER
    entries = choose_some(open_store(folder).index(), folder, wanted).values()
    registry = plugin_host().registry
    catalogues: tuple[tuple[Catalogue[Any], set[str]], ...] = (
        (registry.methods, {entry.method for entry in entries}),
        (registry.streams, {entry.stream for entry in entries}),
    )
    for held, names in catalogues:
        for name in sorted(names):
            spec = held.get(name)
            if spec is not None:
                yield held.kind, spec
            else:
                text = f"lcbench: the {held.kind} '{name}' is not installed here: what to cite for it is not known."
                if held is registry.streams:
                    text = f"lcbench: the stream '{name}' is your own, or not installed here: cite what it comes from."
                say(text)
