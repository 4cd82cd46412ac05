"""`lcbench data`: lists, fetches, imports, verifies and removes data in the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.errors import DataRefusedError, DataUnavailableError, ParameterError, UnknownNameError, did_you_mean
from lcbench.registry.host import plugin_host, raw_data

if TYPE_CHECKING:
    from lcbench.contract.specs import RawData

Names = Annotated[list[str], typer.Argument(help="Names of streams, as in `lcbench data list`.", metavar="NAME...")]
WIDE = 110  # columns that a table with addresses needs
SomeNames = Annotated[
    list[str] | None, typer.Argument(help="Names of streams; all that are here, if none is given.", metavar="[NAME]...")
]


def build_data_app() -> typer.Typer:
    """Builds the group `lcbench data` with its commands."""
    app = typer.Typer(help="Fetch, import, verify and remove the data of streams.", no_args_is_help=True)
    app.command("list")(list_data)
    app.command("fetch")(fetch)
    app.command("import")(import_data)
    app.command("verify")(verify)
    app.command("path")(path)
    app.command("remove")(remove)
    return app


def list_data() -> None:
    """Show which data are here, how large they are, and when they were verified."""
    from rich import box
    from rich.table import Table

    from lcbench.cli.console import output, plain
    from lcbench.data.sources.locations import cache_folder, data_folder

    console = output()
    rows = [*_raw_rows(), *_imported_rows()]
    columns = ["name", "here", "size", "samples", "verified", "from"]
    wide = console.width >= WIDE
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns if wide else columns[:-1]):
        table.add_column(column, style="cyan" if i == 0 else "", overflow="fold")
    for row in rows:
        table.add_row(*map(plain, row if wide else row[:-1]))
    console.print(table)
    if not wide:
        for row in rows:
            console.print(plain(f"{row[0]}: {row[-1]}", "dim"), soft_wrap=True)
    console.print(plain(f"cache: {cache_folder()}", "dim"), soft_wrap=True)
    if data_folder() is not None:
        console.print(plain(f"LCBENCH_DATA, looked at before the network: {data_folder()}", "dim"), soft_wrap=True)


def _raw_rows() -> Iterator[tuple[str, ...]]:
    from lcbench.data.sources.documents import RawStore
    from lcbench.data.sources.obtaining import archives_at_hand, place_of
    from lcbench.printable import byte_size

    store = RawStore()
    for name, raw in raw_data().items():
        kept = store.kept(name, raw)
        archive = next(iter(archives_at_hand(raw)), None)
        if kept is None and archive is not None:
            yield name, "LCBENCH_DATA", "", f"{sum(raw.counts.values()):,}", "when used", str(archive)
        elif kept is None:
            here = "damaged" if store.is_there(name) else "no"
            size = f"{byte_size(raw.size)} to fetch"
            yield name, here, size, f"{sum(raw.counts.values()):,}", "", place_of(raw)
        else:
            yield name, "yes", byte_size(store.size(name)), f"{kept.documents:,}", _moment(kept.verified), kept.origin


def _imported_rows() -> Iterator[tuple[str, ...]]:
    from lcbench.data.folders.imported import imported_names, read_facts

    for name in imported_names():
        try:
            yield name, "imported", "", "", "", read_facts(name).origin
        except DataRefusedError:
            yield name, "damaged", "", "", "", f"'lcbench data remove {name}', then import it again"


def _moment(when: str) -> str:
    return when[:16].replace("T", " ") if when else ""


def fetch(
    names: Names,
    url: Annotated[
        str | None,
        typer.Option("--from", help="Fetch from this address instead; the content is verified all the same."),
    ] = None,
) -> None:
    """Fetch the data of streams, unless they are here; what comes is verified."""
    from lcbench.cli.transfer_bars import TransferBars
    from lcbench.data.sources.obtaining import fetch_into_cache
    from lcbench.data.sources.transfers import transfers_reported_to

    known = raw_data()
    if url is not None and len(names) > 1:
        raise ParameterError("--from is the address of one archive: name one stream with it.")
    wanted = {name: _raw_of(name) for name in names}
    with transfers_reported_to(TransferBars()):
        for name, raw in wanted.items():
            if not fetch_into_cache(name, raw, known, url=url):
                print(f"{name}: here already")


def import_data(
    name: Annotated[str, typer.Argument(help="A new name for your own data.")],
    path: Annotated[str, typer.Argument(help="A folder, which may have parameters.")],
) -> None:
    """Copy a folder of your own into the cache, as a stream with a name."""
    from lcbench.data.folders.imported import import_folder
    from lcbench.registry.names import parse_path_entry

    entry = parse_path_entry(path)
    streams = plugin_host().registry.streams
    import_folder(name, entry.name, params=entry.params, taken=lambda taken: taken in streams)
    print(f"{name}: imported; run it with --stream {name}")


def verify(names: SomeNames = None) -> None:
    """Read data again and compare them with what was published."""
    from lcbench.data.sources.documents import RawStore

    here = [name for name, raw in raw_data().items() if RawStore().kept(name, raw) is not None]
    if not (names or here):
        print("There are no data here yet.")
    raws = {name: _raw_here(name) for name in names or here}
    bad = []
    for name, raw in raws.items():
        count = _verify_raw(name, raw)
        print(f"{name}: {'altered or damaged' if count is None else f'{count:,} documents, as published'}")
        bad += [name] if count is None else []
    if bad:
        raise DataRefusedError(
            f"{', '.join(bad)} cannot be trusted: 'lcbench data remove {' '.join(bad)}', then fetch again."
        )


def _verify_raw(name: str, raw: RawData) -> int | None:
    """Counts the documents; None, with the reason printed, if they are not the published ones."""
    from lcbench.cli.console import error_output, plain
    from lcbench.data.sources.documents import RawStore

    try:
        return RawStore().verify(name, raw)
    except DataRefusedError as error:
        error_output().print(plain(f"lcbench: {error}"), soft_wrap=True)
        return None


def path(
    name: Annotated[str | None, typer.Argument(help="A stream; without it the cache itself.", metavar="[NAME]")] = None,
) -> None:
    """Print where the data of a stream are, or the cache."""
    from lcbench.data.folders.imported import FILES_FOLDER, imported_names, imports_folder
    from lcbench.data.sources.documents import RawStore
    from lcbench.data.sources.locations import cache_folder

    if name is None:
        print(cache_folder())
        return
    if name in imported_names():
        print(imports_folder() / name / FILES_FOLDER)
        return
    _raw_here(name)
    print(RawStore().path(name))


def remove(names: Names) -> None:
    """Remove data from the cache, with all that was made from them."""
    from lcbench.data.folders.imported import imported_names, remove_imported
    from lcbench.data.recipes.word_counts import remove_counted
    from lcbench.data.sources.documents import RawStore

    own = imported_names()
    for name in names:  # every name is known before any is removed
        if name not in own and not RawStore().is_there(name):  # or is left from a plugin that is gone
            _raw_of(name)
    for name in names:
        found = name in own
        if found:
            remove_imported(name)
        else:
            found = RawStore().remove(name)
            remove_counted(name)
        print(f"{name}: {'removed' if found else 'was not here'}")


def _raw_here(name: str) -> RawData:
    from lcbench.data.sources.documents import RawStore

    raw = _raw_of(name)
    if not RawStore().is_there(name):
        raise DataUnavailableError(f"The data of '{name}' are not here: 'lcbench data fetch {name}' fetches them.")
    return raw


def _raw_of(name: str) -> RawData:
    from lcbench.data.folders.imported import imported_names

    known = raw_data()
    if name in known:
        return known[name]
    if name in imported_names():
        raise ParameterError(f"'{name}' was imported from your own data: there is nothing to fetch or verify.")
    if name in plugin_host().registry.streams:
        raise ParameterError(f"Stream '{name}' needs no data: it is made by lcbench or comes with a package.")
    raise UnknownNameError(f"There are no data called '{name}'.{did_you_mean(name, [*known, *imported_names()])}")
