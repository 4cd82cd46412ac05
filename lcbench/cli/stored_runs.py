"""Finds stored runs by the options that choose among them, and by their ids."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

from lcbench.cli.help import WHAT, option
from lcbench.cli.messages import say
from lcbench.errors import LcbenchError, OutputError, ParameterError, UnknownNameError, suggestion
from lcbench.printable import MOST_NAMED, counted
from lcbench.reading import is_folder, is_there

if TYPE_CHECKING:
    from lcbench.analysis.selection import Selection
    from lcbench.records.index import Index, IndexEntry
    from lcbench.records.record import RunRecord
    from lcbench.records.store import RunStore

Command = TypeVar("Command", bound=Callable[..., None])
SHORT = 10
LEAST = 4
Folder = Annotated[str, option("--results", "The folder that holds the runs.", "DIR", group=WHAT)]


def _only(words: str, help: str, metavar: str, completed: str = "", kind: Any = str) -> Any:
    """An option that chooses among runs and may be repeated."""
    made = option(words, f"Only {help}. May be repeated.", metavar, group=WHAT, completed=completed)
    return Annotated[list[kind] | None, made]


CHOOSING: Mapping[str, Any] = {
    "methods": _only("--method -m", "this method, by its label or its name", "NAME", "stored methods"),
    "streams": _only("--stream -s", "this stream, by its label, name or folder", "NAME", "stored streams"),
    "orders": _only(
        "--order", "runs in orders of this kind (fixed, random, ...), or in this one: a,b,c", "ORDER", "orders"
    ),
    "seeds": _only("--seed", "runs with this seed", "N", kind=int),
    "experiments": _only("--name", "runs of the experiment with this name", "NAME", "stored names"),
    "statuses": _only(
        "--status", "runs with this status: ok, failed, timeout, out-of-memory or crashed", "STATUS", "statuses"
    ),
}
RUNS = tuple(name for name in CHOOSING if name != "statuses")
Metrics = Annotated[
    list[str] | None,
    option(
        "--metric",
        "Metric to show. May be repeated.",
        "NAME",
        shown="purity, nmi, ri, ari; or what there is",
        completed="metrics",
    ),
]
Against = Annotated[
    str | None,
    option("--against", "Also compare every method with this one, run by run.", "NAME", completed="stored methods"),
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The runs that a user asks for: those that fit one value of every option that was given."""

    methods: Sequence[str] | None = None
    streams: Sequence[str] | None = None
    orders: Sequence[str] | None = None
    seeds: Sequence[int] | None = None
    experiments: Sequence[str] | None = None
    statuses: Sequence[str] | None = None

    @property
    def asked_orders(self) -> list[str]:
        """The kinds of orders, and the orders themselves without spaces."""
        return [order.replace(", ", ",") for order in self.orders or ()]

    def spelled_as_in(self, index: Index, *, now: bool = False) -> Wanted:
        """The same with names of methods, streams and statuses as stored runs spell them: case does not matter.

        With `now` a folder means the data that it holds now, where there are newer runs on others.
        """
        entries = list(index.values())
        methods = spelled(self.methods, (name for entry in entries for name in (entry.label, entry.method)))
        labelled = self.streams and [_labelled(name, entries, now=now) for name in self.streams]
        streams = spelled(labelled, (name for entry in entries for name in stream_names(entry)))
        lower = None if self.statuses is None else [status.lower() for status in self.statuses]
        return replace(self, methods=methods, streams=streams, statuses=lower)

    def has(self, entry: IndexEntry) -> bool:
        """True if a run has one of the orders, seeds, names and statuses."""
        return (
            (not self.orders or not orders_of(entry).isdisjoint(self.asked_orders))
            and (not self.seeds or entry.seed in self.seeds)
            and (not self.experiments or not set(self.experiments).isdisjoint(entry.experiments))
            and (not self.statuses or entry.status in self.statuses)
        )


def chooses_runs(*names: str) -> Callable[[Command], Command]:
    """Gives a command the options of CHOOSING with these names in place of its parameter `wanted`, a Wanted of them."""

    def mark(command: Command) -> Command:
        parameters: list[inspect.Parameter] = []
        for own in inspect.signature(command, eval_str=True).parameters.values():
            made = [own.replace(name=name, default=None, annotation=CHOOSING[name]) for name in names]
            parameters += made if own.name == "wanted" else [own]

        @wraps(command)
        def called(**given: Any) -> None:
            command(wanted=Wanted(**{name: given.pop(name) for name in names}), **given)

        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return cast("Command", called)

    return mark


def spelled(asked: Sequence[str] | None, known: Iterable[str]) -> Sequence[str] | None:
    """Names as `known` spells them; one that is there in the same letters, or not there at all, stays as it is."""
    if not asked:
        return asked
    exact = set(known)
    alike = {name.casefold(): name for name in sorted(exact)}
    return [name if name in exact else alike.get(name.casefold(), name) for name in asked]


def stream_names(entry: IndexEntry) -> tuple[str, ...]:
    """The names by which --stream finds a run: the label of its stream, then its name, each also with its data's id."""
    return tuple(text for name in (entry.stream_label, entry.stream) for text in (name, f"{name}@{entry.data}"))


def _labelled(name: str, entries: Sequence[IndexEntry], *, now: bool) -> str:
    """The label of the stream that a path such as `./folder:key=value` means; another name stays as it is."""
    from lcbench.registry.names import format_entry, is_path, parse_stream_entry

    if not is_path(name):
        return name
    from lcbench.data.folders.folder_spec import folder_name, folder_spec
    from lcbench.records.record import data_id

    path, at, tail = name.rpartition("@")
    path, after = (path, at + tail) if any(tail == entry.data for entry in entries) else (name, "")
    entry = parse_stream_entry(path)
    label = format_entry(folder_name(entry.name), entry.params)
    same = [known for known in entries if label in stream_names(known)]
    if now and not after and len({known.data for known in same}) > 1:
        with suppress(LcbenchError):  # what a folder lacks to be a stream does not matter here
            present = data_id(folder_spec(entry.name).digest)
            newest = max(same, key=lambda known: known.when).data
            after = f"@{present}" if present != newest and any(present == known.data for known in same) else ""
    return label + after


def orders_of(entry: IndexEntry) -> set[str]:
    """The names by which --order finds a run: the kinds of its order, and the order itself.

    A run of version 0.1, whose kind is not known, is found by every kind.
    """
    from lcbench.experiment.orders import ORDERS

    return {*(entry.kinds or ORDERS), ",".join(entry.order)}


def choose(index: Index, wanted: Wanted, *, variants: bool = False) -> dict[str, IndexEntry]:
    """The runs asked for by their ids, the newest first; all methods, streams or statuses if none are named.

    A name that is the label of some run means the runs of that label, so that `l2sc` is not `l2sc:lam=10` as well;
    another name means all runs of that method or stream, and with `variants` every name of a method does.
    """
    from lcbench.records.record import SOLO, STATUSES

    wanted = wanted.spelled_as_in(index)
    methods, streams = wanted.methods, wanted.streams
    for status in wanted.statuses or ():
        if status not in STATUSES:
            raise ParameterError(f"--status takes one of {', '.join(STATUSES)}, not '{status}'.")
    labels = set() if variants else {entry.label for entry in index.values() if entry.kinds != (SOLO,)}
    whole_methods = set(methods or ()) - labels
    whole_streams = set(streams or ()) - {name for entry in index.values() for name in stream_names(entry)[:2]}
    return {
        run_id: entry
        for run_id, entry in index.newest_first()
        if (not methods or entry.label in methods or entry.method in whole_methods)
        and (not streams or _is_one_of(entry, set(streams), whole_streams))
        and wanted.has(entry)
    }


def _is_one_of(entry: IndexEntry, streams: set[str], whole_streams: set[str]) -> bool:
    names = stream_names(entry)
    return not streams.isdisjoint(names[:2]) or not whole_streams.isdisjoint(names[2:])


def choose_known(index: Index, folder: str, wanted: Wanted) -> dict[str, IndexEntry]:
    """As `choose`, but refuses names that no run has."""
    _check_names(index, folder, wanted.spelled_as_in(index))
    return choose(index, wanted)


def choose_some(index: Index, folder: str, wanted: Wanted) -> dict[str, IndexEntry]:
    """As `choose_known`, but also refuses options that none of the runs fits."""
    chosen = choose_known(index, folder, wanted)
    if index and not chosen:
        raise ParameterError(f"There is nothing to show: {_nothing_fits(index, folder)}.")
    return chosen


def open_store(folder: str) -> RunStore:
    """Opens the store in a results folder; refuses a folder that does not exist."""
    from lcbench.records.store import RunStore

    if not is_folder(folder):
        what = f"'{folder}' is no folder" if is_there(folder) else f"There is no folder '{folder}'"
        raise OutputError(f"{what}: --results names the one that holds your runs, and 'lcbench run' makes some.")
    return RunStore(folder)


def loaded(store: RunStore, run_ids: Iterable[str]) -> Iterator[RunRecord]:
    """Loads runs one after the other; one that cannot be read any more is left out."""
    return (record for run_id in run_ids if (record := store.load(run_id)) is not None)


def load_selection(
    folder: str,
    wanted: Wanted,
    *,
    against: str | None = None,
    parts: bool = False,
    candidates: bool = False,
) -> Selection:
    """Loads the runs that are wanted, those they are compared `against`, their baselines and their solo runs.

    With `candidates` the points of grids are in it, and a method's name means all of its variants.
    """
    from lcbench.analysis.selection import damage_notes, select
    from lcbench.records.record import SOLO
    from lcbench.records.scoring import complete

    if SOLO in wanted.asked_orders:
        raise ParameterError(
            "Solo runs learned one task each and are not compared by themselves: tables have them as 'solo', and "
            "'lcbench results list --order solo' lists them."
        )
    store = open_store(folder)
    index = store.index()
    wanted = wanted.spelled_as_in(index, now=True)
    methods = wanted.methods
    _check_names(index, folder, wanted)
    asked = [*methods, against] if methods and against is not None else methods
    chosen = choose(index, replace(wanted, methods=asked), variants=candidates)
    runs = list(loaded(store, chosen))
    if not runs:
        raise ParameterError(f"There is nothing to show: {_nothing_fits(index, folder)}.")
    for run in runs:
        complete(run, store)
    there = {run.run_id for run in runs}
    needed = dict.fromkeys(run_id for run in runs for run_id in (run.baseline, *run.solo_ids) if run_id in index)
    beside = list(loaded(store, (run_id for run_id in needed if run_id is not None and run_id not in there)))
    data = tuple(f"@{entry.data}" for entry in index.values())
    by_data = any(name.endswith(data) for name in wanted.streams or ())
    return select(
        runs, named=methods or (), beside=beside, parts=parts, candidates=candidates, pooled=bool(wanted.orders),
        all_data=by_data, notes=damage_notes(index.damaged),
    )  # fmt: skip


def _check_names(index: Index, folder: str, wanted: Wanted) -> None:
    """Refuses a method, stream, order, seed or name of an experiment that no run has: beside others it would go unseen.

    A folder without runs is refused later.
    """
    entries = list(index.values())
    for what, asked, known in (
        ("method", wanted.methods, {name for entry in entries for name in (entry.method, entry.label)}),
        ("stream", wanted.streams, {name for entry in entries for name in stream_names(entry)}),
        ("order", wanted.asked_orders, {order for entry in entries for order in orders_of(entry)}),
        ("seed", [str(seed) for seed in wanted.seeds or ()], {str(entry.seed) for entry in entries}),
        ("name", wanted.experiments, {name for entry in entries for name in entry.experiments}),
    ):
        for name in asked or ():
            if index and name not in known:
                reason = f"{_nothing_fits(index, folder)}.{suggestion(name, known)}"
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
    text = _nothing_fits(index, folder)
    say(f"{text[0].upper()}{text[1:]}.")


def _nothing_fits(index: Index, folder: str) -> str:
    if index:
        return f"none of the {counted(len(index), 'run')} in '{folder}' fits"
    return f"'{folder}' holds no runs{' that can be read' if index.left_out else ''}"
