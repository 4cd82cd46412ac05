"""Finds stored runs by the options --method, --stream, --status, and by their ids."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from lcbench.errors import OutputError, ParameterError, UnknownNameError, did_you_mean
from lcbench.printable import MOST_NAMED, counted

if TYPE_CHECKING:
    from lcbench.analysis.selection import Selection
    from lcbench.records.index import Index, IndexEntry
    from lcbench.records.store import RunStore

SHORT = 10
LEAST = 4
Folder = Annotated[str, typer.Option("--results", help="The folder that holds the runs.", metavar="DIR")]
Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        "-m",
        help="Only runs of the method with this label, or else of this name. May be repeated.",
        metavar="NAME",
    ),
]
Streams = Annotated[
    list[str] | None,
    typer.Option(
        "--stream",
        "-s",
        help="Only runs on the stream with this label, or else of this name. May be repeated.",
        metavar="NAME",
    ),
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
        help="Only runs that ended so: ok, failed, timeout, out-of-memory or crashed. May be repeated.",
        metavar="STATUS",
    ),
]


class Filters(NamedTuple):
    """The methods, streams and statuses asked for; an empty set stands for all.

    A name that is the label of some run means the runs of that label, so that `l2sc` is not `l2sc:lam=10` as well;
    another name means all runs of that method or stream.
    """

    methods: frozenset[str]
    streams: frozenset[str]
    statuses: frozenset[str]

    @classmethod
    def of(
        cls, methods: Sequence[str] | None, streams: Sequence[str] | None, statuses: Sequence[str] | None
    ) -> Filters:
        """The filters of a command; a status that no run can have is refused."""
        from lcbench.records.record import STATUSES

        for status in statuses or ():
            if status not in STATUSES:
                raise ParameterError(f"--status takes one of {', '.join(STATUSES)}, not '{status}'.")
        return cls(frozenset(methods or ()), frozenset(streams or ()), frozenset(statuses or ()))

    def choose(self, index: Index, *, variants: bool = False) -> list[tuple[str, IndexEntry]]:
        """The runs asked for, the newest first; with `variants` a method's name means all of its runs."""
        labels = set() if variants else {entry.label for entry in index.values()}
        methods = self.methods - labels
        streams = self.streams - {entry.stream_label for entry in index.values()}
        return [
            (run_id, entry)
            for run_id, entry in index.newest_first()
            if (not self.methods or entry.label in self.methods or entry.method in methods)
            and (not self.streams or entry.stream_label in self.streams or entry.stream in streams)
            and (not self.statuses or entry.status in self.statuses)
        ]


def open_store(folder: str) -> RunStore:
    """Opens the store in a results folder; refuses a folder that does not exist."""
    from lcbench.records.store import RunStore

    if not Path(folder).is_dir():
        what = f"'{folder}' is no folder" if Path(folder).exists() else f"There is no folder '{folder}'"
        raise OutputError(f"{what}: --results names the one that holds your runs, and 'lcbench run' makes some.")
    return RunStore(folder)


def load_selection(
    folder: str,
    filters: Filters,
    methods: Sequence[str] | None,
    *,
    parts: bool = False,
    candidates: bool = False,
) -> Selection:
    """Loads the runs that fit, grouped by stream and method, with their baselines.

    With `candidates` the points of grids are in it, and a method's name means all of its variants.
    """
    from lcbench.analysis.selection import select
    from lcbench.records.scoring import complete

    store = open_store(folder)
    index = store.index()
    _check_names(index, folder, methods or (), filters.streams)
    runs = [
        record for run_id, _ in filters.choose(index, variants=candidates) if (record := store.load(run_id)) is not None
    ]
    for run in runs:
        complete(run, store)
    if not runs:
        what = f"none of the {counted(len(index), 'run')} in '{folder}' fits" if index else f"'{folder}' holds no runs"
        raise ParameterError(f"There is nothing to show: {what}.")
    there = {run.run_id for run in runs}
    missing = dict.fromkeys(run.baseline for run in runs if run.baseline is not None and run.baseline not in there)
    beside = [record for run_id in missing if (record := store.load(run_id)) is not None]
    return select(runs, named=methods or (), beside=beside, parts=parts, candidates=candidates)


def _check_names(index: Index, folder: str, methods: Collection[str], streams: Collection[str]) -> None:
    """Refuses a method or stream that no run has; beside others it would go unnoticed."""
    there = {
        "method": (methods, {name for entry in index.values() for name in (entry.method, entry.label)}),
        "stream": (streams, {name for entry in index.values() for name in (entry.stream, entry.stream_label)}),
    }
    for what, (asked, known) in there.items():
        unknown = [name for name in asked if name not in known]
        if index and unknown:
            raise UnknownNameError(
                f"There is nothing to show for {what} '{unknown[0]}': none of the {counted(len(index), 'run')} in "
                f"'{folder}' fits.{did_you_mean(unknown[0], known)}"
            )


def find_run(index: Index, prefix: str, folder: str) -> str:
    """Finds the one id that starts with `prefix`; refuses none and several."""
    if len(prefix) < LEAST:
        raise ParameterError(f"Give at least {LEAST} characters of a run's id, not '{prefix}'.")
    found = index.starting_with(prefix.lower())
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownNameError(f"There is no run '{prefix}' in '{folder}': 'lcbench results list' has the ids.")
    raise ParameterError(f"'{prefix}' fits {len(found)} runs ({_differing(found)}): give more of the id.")


def say_nothing_fits(index: Index, folder: str) -> None:
    """Prints why there is nothing to show."""
    from lcbench.cli.console import error_output, plain

    text = f"None of the {counted(len(index), 'run')} in '{folder}' fits." if index else f"'{folder}' holds no runs."
    error_output().print(plain(text), soft_wrap=True)


def _differing(run_ids: Sequence[str]) -> str:
    """The first few ids, long enough to tell them apart."""
    named = list(run_ids[:MOST_NAMED])
    length = next(n for n in range(SHORT, len(max(named, key=len)) + 1) if len({i[:n] for i in named}) == len(named))
    return ", ".join(run_id[:length] for run_id in named) + (", ..." if len(run_ids) > MOST_NAMED else "")
