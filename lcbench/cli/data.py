"""`lcbench data`: lists, fetches, verifies and removes data in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import argument, examples, group
from lcbench.cli.messages import say
from lcbench.errors import DataRefusedError, DataUnavailableError, ParameterError, UnknownNameError, did_you_mean
from lcbench.registry.host import plugin_host, raw_data

if TYPE_CHECKING:
    from lcbench.contract.specs import RawData

Names = Annotated[list[str], argument("Names of streams, as in `lcbench data list`.", "NAME", completed="data")]
SomeNames = Annotated[
    list[str] | None, argument("Names of streams; all that are here, if none is given.", "NAME", completed="data")
]


def build_data_app() -> typer.Typer:
    """Builds the group `lcbench data` with its commands."""
    return group(_data, list=list_data, fetch=fetch, verify=verify, path=path, remove=remove)


@examples(
    ("lcbench data list", "See which data are here, and from where others come."),
    ("lcbench data fetch webkb4", "Fetch data before they are needed."),
    ("lcbench data path", "See where data are kept."),
)
def _data() -> None:
    """Fetch, verify and remove the data of streams."""


@examples(
    ("lcbench data list", "All data, here or not."),
    ("LCBENCH_DATA=~/archives lcbench data list", "Archives in that folder count as here."),
    ("LCBENCH_CACHE=/data/lcbench lcbench data list", "Another place to keep data."),
)
def list_data() -> None:
    """Show which data are here, how large they are, and when they were verified."""
    from lcbench.cli.console import print_sheets
    from lcbench.data.sources.locations import cache_folder, data_folder
    from lcbench.report.sheets.sheet import text_sheet

    rows = list(_raw_rows())
    notes = [*(f"{row[0]}: {row[-1]}" for row in rows), f"cache: {cache_folder()}"]
    if data_folder() is not None:
        notes.append(f"LCBENCH_DATA, looked at before the network: {data_folder()}")
    header = ("name", "here", "size", "samples", "verified")
    print_sheets([text_sheet("", header, (row[:-1] for row in rows), notes=notes)])


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
            when = kept.verified[:16].replace("T", " ")
            yield name, "yes", byte_size(store.size(name)), f"{kept.documents:,}", when, kept.origin


@examples(
    ("lcbench data fetch webkb4", "One stream."),
    ("lcbench data fetch webkb4 reuters 20newsgroups", "Several: all of the paper."),
    ("lcbench data fetch webkb4 --from https://mirror.example/webkb.tar.gz", "The same archive from elsewhere."),
)
def fetch(
    names: Names,
    url: Annotated[
        str | None,
        typer.Option(
            "--from", help="Fetch from this address instead; the content is verified all the same.", metavar="URL"
        ),
    ] = None,
) -> None:
    """Fetch the data of streams, unless they are here; what comes is verified."""
    from lcbench.cli.progress import transfers_shown
    from lcbench.data.sources.obtaining import fetch_into_cache

    if url is not None and len(names) > 1:
        raise ParameterError("--from is the address of one archive: name one stream with it.")
    wanted = {name: _raw_of(name) for name in _spelled(names)}
    with transfers_shown():
        for name, raw in wanted.items():
            if not fetch_into_cache(name, raw, url=url):
                print(f"{name}: here already")


@examples(
    ("lcbench data verify", "All data that are here."),
    ("lcbench data verify webkb4", "Those of one stream."),
    ("lcbench data verify webkb4 reuters", "Those of two."),
)
def verify(names: SomeNames = None) -> None:
    """Read data again and compare them with what was published."""
    from lcbench.data.sources.documents import RawStore

    here = [name for name, raw in raw_data().items() if RawStore().kept(name, raw) is not None]
    if not (names or here):
        print("There are no data here yet.")
    raws = {name: _raw_here(name) for name in _spelled(names or here)}
    bad = []
    for name, raw in raws.items():
        try:
            print(f"{name}: {RawStore().verify(name, raw):,} documents, as published")
        except DataRefusedError as error:
            say(f"lcbench: {error}")
            print(f"{name}: altered or damaged")
            bad.append(name)
    if bad:
        raise DataRefusedError(
            f"{', '.join(bad)} cannot be trusted: 'lcbench data remove {' '.join(bad)}', then fetch again."
        )


@examples(
    ("lcbench data path", "The cache."),
    ("lcbench data path webkb4", "The data of a stream in it."),
    ("du -sh $(lcbench data path)", "How much room the cache takes."),
)
def path(
    name: Annotated[str | None, argument("A stream; without it the cache itself.", "NAME", completed="data")] = None,
) -> None:
    """Print where the data of a stream are, or the cache."""
    from lcbench.data.sources.documents import RawStore
    from lcbench.data.sources.locations import cache_folder

    if name is None:
        print(cache_folder())
        return
    (name,) = _spelled([name])
    _raw_here(name)
    print(RawStore().path(name))


@examples(
    ("lcbench data remove webkb4", "The data of a stream, with the word counts made from them."),
    ("lcbench data remove webkb4 reuters", "Those of two."),
    ("lcbench data remove webkb4 && lcbench data fetch webkb4", "Fetch them anew."),
)
def remove(names: Names) -> None:
    """Remove data from the cache, with all that was made from them."""
    from lcbench.data.recipes.word_counts import remove_counted
    from lcbench.data.sources.documents import RawStore

    names = _spelled(names)
    for name in names:  # every name is known before any is removed
        if not RawStore().is_there(name):  # or is left from a plugin that is gone
            _raw_of(name)
    for name in names:
        found = RawStore().remove(name)
        remove_counted(name)
        print(f"{name}: {'removed' if found else 'was not here'}")


def _spelled(names: Iterable[str]) -> list[str]:
    """The names as streams are registered: case does not matter."""
    found = [(name, plugin_host().registry.streams.get(name)) for name in names]
    return [name if spec is None else spec.name for name, spec in found]


def _raw_here(name: str) -> RawData:
    from lcbench.data.sources.documents import RawStore

    raw = _raw_of(name)
    if not RawStore().is_there(name):
        raise DataUnavailableError(f"The data of '{name}' are not here: 'lcbench data fetch {name}' fetches them.")
    return raw


def _raw_of(name: str) -> RawData:
    known = raw_data()
    if name in known:
        return known[name]
    if name in plugin_host().registry.streams:
        raise ParameterError(f"Stream '{name}' needs no data: it is made by lcbench or comes with a package.")
    raise UnknownNameError(f"There are no data called '{name}'.{did_you_mean(name, known)}")
