"""Prints what `lcbench info` shows: facts, parameters, and the card of a stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lcbench.cli.console import fact_table, heading_table, output, plain
from lcbench.contract.specs import MethodSpec, MetricSpec, Param, StreamSpec, TaskShape, resolve_params
from lcbench.data.stream_lookup import stream_spec
from lcbench.errors import DataUnavailableError, UnknownNameError, did_you_mean
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_value, parse_stream_entry

if TYPE_CHECKING:
    from rich.console import Console

    from lcbench.contract.task import LabelledTask

MOST_TASKS = 20
MOST_COMPARED = 10


def show_info(name: str) -> None:
    """Prints all that is known about a name, or about the stream in a folder."""
    entry = parse_stream_entry(name)
    found = [(*stream_spec(entry), "stream")] if entry.is_path else list(_registered(entry.name))
    for spec, source, kind in found:
        _show(spec, source, kind, entry.params)


def _registered(name: str) -> Iterator[tuple[Any, Source, str]]:
    registry = plugin_host().registry
    catalogues = (registry.methods, registry.streams, registry.metrics)
    if not any(name in catalogue for catalogue in catalogues):
        known = [spec.name for catalogue in catalogues for spec in catalogue]
        raise UnknownNameError(f"There is no method, stream or metric '{name}'.{did_you_mean(name, known)}")
    for catalogue in catalogues:
        if name in catalogue:
            yield catalogue[name], catalogue.source(name), catalogue.kind


def _show(spec: Any, source: Source, kind: str, given: Mapping[str, str]) -> None:
    console = output()
    params = resolve_params(f"{kind.capitalize()} '{spec.name}'", spec.params, given)
    _heading(console, f"{kind} {spec.name}", spec.summary)
    own = isinstance(spec, StreamSpec) and spec.from_files
    origin = "your own data" if own else f"{source.distribution} {source.version}".strip()
    console.print(fact_table([*_own_facts(spec, params), ("from", origin)]))
    _print_params(console, spec.params, params)
    if isinstance(spec, StreamSpec):
        print_tasks(console, spec, params, source)


def _own_facts(spec: Any, params: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(spec, MethodSpec):
        yield "setting", f"{spec.setting.value}: {_SETTINGS[spec.setting.value]}"
        yield "reference", spec.reference
        yield "formulas", spec.provenance
        yield "baseline", spec.baseline or ""
        yield "note", spec.note_for(params)
        yield "revision", str(spec.revision)
    elif isinstance(spec, StreamSpec):
        yield "what", spec.card.what
        yield "source", spec.card.source
        if spec.data is not None:
            from lcbench.data.sources.obtaining import place_of
            from lcbench.printable import byte_size

            yield "fetched", f"{byte_size(spec.data.size)} from {place_of(spec.data)}"
        yield "licence", spec.card.licence
        for note in spec.card.notes:
            yield "note", note
    elif isinstance(spec, MetricSpec):
        yield "kind", f"{spec.kind.value}: {_KINDS[spec.kind.value]}"
        yield "better", "greater" if spec.greater_is_better else "smaller"
        yield "reference", spec.reference


_SETTINGS = {
    "single-task": "clusters each task alone and remembers nothing",
    "multi-task": "keeps every task and refits on all of them when one arrives",
    "lifelong": "keeps a library whose size does not grow with the number of tasks, and no old data",
}
_KINDS = {
    "external": "compares a partition with the true classes; always computed",
    "internal": "looks at the data and needs no classes; computed when asked for with --metric",
}


def _heading(console: Console, title: str, summary: str) -> None:
    console.print(plain(title, "bold"), plain(f"— {summary}" if summary else ""))


def _print_params(console: Console, specs: tuple[Param, ...], params: dict[str, Any]) -> None:
    if not specs:
        console.print("no parameters", style="dim")
        return
    rows = [(p.name, format_value(params[p.name]), p.takes(), _meaning(p)) for p in specs]
    console.print(heading_table(("parameter", "value", "takes", "meaning"), rows))


def _meaning(param: Param) -> str:
    grids = ", ".join(f"{name} ({len(values)} values)" for name, values in param.grids.items())
    return f"{param.help}; grid {grids}" if grids else param.help


def print_tasks(console: Console, spec: StreamSpec, params: dict[str, Any], source: Source) -> None:
    """Prints the sizes and classes of a stream's tasks: from its data if they are here, else from its spec."""
    tasks = _tasks_at_hand(spec, params, source)
    shapes = spec.shapes(params) if tasks is None else tuple(labelled.shape for labelled in tasks)
    _print_shapes(console, shapes)
    if tasks is not None and len(tasks) > 1:
        _print_similarity(console, tasks)
    elif spec.data is not None and tasks is None:
        console.print(plain(f"The data are not here: 'lcbench data fetch {spec.name}' fetches them.", "dim"))


def _tasks_at_hand(spec: StreamSpec, params: dict[str, Any], source: Source) -> Sequence[LabelledTask] | None:
    """The tasks of a stream whose documents or files are here; None otherwise. Fetches and generates nothing."""
    if spec.data is not None:
        from lcbench.data.sources.documents import RawStore
        from lcbench.data.sources.obtaining import archives_at_hand

        if RawStore().kept(spec.name, spec.data) is None and not archives_at_hand(spec.data):
            return None
    elif not spec.from_files:
        return None
    from lcbench.data.sources.locations import without_network
    from lcbench.registry.building import build_stream

    try:
        with without_network():
            return build_stream(spec, params, source).tasks()
    except DataUnavailableError:
        return None


def _print_shapes(console: Console, shapes: Sequence[TaskShape]) -> None:
    balance = any(shape.classes for shape in shapes)
    columns = ["task", "samples", "features", "clusters", *(["classes"] if balance else [])]
    rows = [
        (s.name, _count(s.samples), _count(s.features), _count(s.clusters), *([_balance(s)] if balance else []))
        for s in shapes[:MOST_TASKS]
    ]
    console.print(heading_table(columns, rows))
    if len(shapes) > MOST_TASKS:
        console.print(f"and {len(shapes) - MOST_TASKS} tasks more", style="dim")


def _print_similarity(console: Console, tasks: Sequence[LabelledTask]) -> None:
    from lcbench.data.similarity import similarity

    alike = similarity(tasks)
    names = [labelled.name for labelled in tasks]
    console.print(plain("How alike the tasks are: cosine of their mean samples (1 is the same direction)", "bold"))
    if len(names) <= MOST_COMPARED:
        rows = [(name, *(f"{value:.2f}" for value in alike.tasks[i])) for i, name in enumerate(names)]
        console.print(heading_table(["", *names], rows))
    else:
        pairs = [alike.tasks[i][j] for i in range(len(names)) for j in range(i)]
        console.print(
            f"from {min(pairs):.2f} to {max(pairs):.2f} over all pairs, {sum(pairs) / len(pairs):.2f} on average"
        )
    if alike.same_class is not None and alike.other_class is not None:
        console.print(
            f"Classes of one name in two tasks: {alike.same_class:.2f} on average; of different names: "
            f"{alike.other_class:.2f}."
        )


def _balance(shape: TaskShape) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in shape.classes)


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"
