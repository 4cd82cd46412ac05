"""Finds stored runs by the options --method, --stream and --status, and by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.errors import OutputError, ParameterError, UnknownNameError, did_you_mean
from lcbench.printable import MOST_NAMED, counted

if TYPE_CHECKING:
    from lcbench.analysis.selection import Selection
    from lcbench.records.index import Index, IndexEntry
    from lcbench.records.record import RunRecord
    from lcbench.records.store import RunStore

SHORT = 10
LEAST = 4
Folder = Annotated[str, typer.Option("--results", help="The folder that holds the runs.", metavar="DIR")]
Methods = Annotated[
    list[str] | None,
    typer.Option("--method", "-m", help="Only this method, by its label or its name. May be repeated.", metavar="NAME"),
]
Streams = Annotated[
    list[str] | None,
    typer.Option("--stream", "-s", help="Only this stream, by its label or its name. May be repeated.", metavar="NAME"),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        help="Metric to show. May be repeated.",
        metavar="NAME",
        show_default="purity, nmi, ri; or what there is",
    ),
]
Against = Annotated[
    str | None, typer.Option("--against", help="Also compare every method with this one, run by run.", metavar="NAME")
]
Statuses = Annotated[
    list[str] | None,
    typer.Option(
        "--status",
        help="Only runs with this status: ok, failed, timeout, out-of-memory or crashed. May be repeated.",
        metavar="STATUS",
    ),
]


def choose(
    index: Index,
    methods: Sequence[str] | None = None,
    streams: Sequence[str] | None = None,
    statuses: Sequence[str] | None = None,
    *,
    variants: bool = False,
) -> dict[str, IndexEntry]:
    """The runs asked for by their ids, the newest first; all methods, streams or statuses if none are named.

    A name that is the label of some run means the runs of that label, so that `l2sc` is not `l2sc:lam=10` as well;
    another name means all runs of that method or stream, and with `variants` every name of a method does.
    """
    from lcbench.records.record import STATUSES

    for status in statuses or ():
        if status not in STATUSES:
            raise ParameterError(f"--status takes one of {', '.join(STATUSES)}, not '{status}'.")
    labels = set() if variants else {entry.label for entry in index.values()}
    whole_methods = set(methods or ()) - labels
    whole_streams = set(streams or ()) - {entry.stream_label for entry in index.values()}
    return {
        run_id: entry
        for run_id, entry in index.newest_first()
        if (not methods or entry.label in methods or entry.method in whole_methods)
        and (not streams or entry.stream_label in streams or entry.stream in whole_streams)
        and (not statuses or entry.status in statuses)
    }


def open_store(folder: str) -> RunStore:
    """Opens the store in a results folder; refuses a folder that does not exist."""
    from lcbench.records.store import RunStore

    if not Path(folder).is_dir():
        what = f"'{folder}' is no folder" if Path(folder).exists() else f"There is no folder '{folder}'"
        raise OutputError(f"{what}: --results names the one that holds your runs, and 'lcbench run' makes some.")
    return RunStore(folder)


def loaded(store: RunStore, run_ids: Iterable[str]) -> Iterator[RunRecord]:
    """Loads runs one after the other; one that cannot be read any more is left out."""
    return (record for run_id in run_ids if (record := store.load(run_id)) is not None)


def load_selection(
    folder: str,
    methods: Sequence[str] | None,
    streams: Sequence[str] | None,
    *,
    against: str | None = None,
    parts: bool = False,
    candidates: bool = False,
) -> Selection:
    """Loads the runs of these methods, of the one they are compared `against`, and of their baselines.

    With `candidates` the points of grids are in it, and a method's name means all of its variants.
    """
    from lcbench.analysis.selection import select
    from lcbench.records.scoring import complete

    store = open_store(folder)
    index = store.index()
    _check_names(index, folder, methods or (), streams or ())
    asked = [*methods, against] if methods and against is not None else methods
    runs = list(loaded(store, choose(index, asked, streams, variants=candidates)))
    if not runs:
        raise ParameterError(f"There is nothing to show: {_nothing_fits(index, folder)}.")
    for run in runs:
        complete(run, store)
    there = {run.run_id for run in runs}
    missing = dict.fromkeys(run.baseline for run in runs if run.baseline is not None and run.baseline not in there)
    return select(runs, named=methods or (), beside=list(loaded(store, missing)), parts=parts, candidates=candidates)


def _check_names(index: Index, folder: str, methods: Sequence[str], streams: Sequence[str]) -> None:
    """Refuses a method or stream that no run has; beside others it would go unnoticed."""
    entries = index.values()
    for what, asked, known in (
        ("method", methods, {name for entry in entries for name in (entry.method, entry.label)}),
        ("stream", streams, {name for entry in entries for name in (entry.stream, entry.stream_label)}),
    ):
        for name in asked:
            if index and name not in known:
                reason = f"{_nothing_fits(index, folder)}.{did_you_mean(name, known)}"
                raise UnknownNameError(f"There is nothing to show for {what} '{name}': {reason}")


def find_run(index: Index, prefix: str, folder: str) -> str:
    """Finds the one id that starts with `prefix`; refuses none and several."""
    if len(prefix) < LEAST:
        raise ParameterError(f"Give at least {LEAST} characters of a run's id, not '{prefix}'.")
    found = index.starting_with(prefix.lower())
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownNameError(f"There is no run '{prefix}' in '{folder}': 'lcbench results list' has the ids.")
    named = [run_id[: len(prefix) + SHORT] for run_id in found[:MOST_NAMED]] + ["..."] * (len(found) > MOST_NAMED)
    raise ParameterError(f"'{prefix}' fits {len(found)} runs ({', '.join(named)}): give more of the id.")


def say_nothing_fits(index: Index, folder: str) -> None:
    """Prints why there is nothing to show."""
    from lcbench.cli.console import error_output, plain

    text = _nothing_fits(index, folder)
    error_output().print(plain(f"{text[0].upper()}{text[1:]}."), soft_wrap=True)


def _nothing_fits(index: Index, folder: str) -> str:
    return f"none of the {counted(len(index), 'run')} in '{folder}' fits" if index else f"'{folder}' holds no runs"
