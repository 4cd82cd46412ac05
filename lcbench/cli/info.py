"""`lcbench info`: facts and parameters of a method, stream or metric; a stream's card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.cli.help import argument, examples
from lcbench.cli.run_options import Plugins
from lcbench.contract.specs import SIZES, MethodSpec, MetricSpec, Param, StreamSpec, TaskShape, resolve_params
from lcbench.errors import DataUnavailableError, ParameterError
from lcbench.printable import byte_size
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_value, parse_stream_entry
from lcbench.registry.plugin_code import calling
from lcbench.report.sheets.sheet import Sheet, fact_sheet, text_sheet

if TYPE_CHECKING:
    from lcbench.contract.task import LabelledTask

MOST_TASKS = 20
MOST_COMPARED = 10
SETTINGS = {
    "single-task": "clusters each task alone and remembers nothing",
    "multi-task": "keeps every task and refits on all of them when one arrives",
    "lifelong": "keeps a library whose size does not grow with the number of tasks, and no old data",
}
LOOKS_AHEAD = {
    False: "no: each task is made from itself and those before it alone",
    True: "yes: tasks still to come have a say in how a task is made, as by the words that are kept",
    None: "",
}
KINDS = {
    "external": "compares a partition with the true classes; always computed",
    "internal": "looks at the data and needs no classes; computed when asked for with --metric",
}


@examples(
    ("lcbench info l2sc", "A method: its parameters, its paper, how sure we are of its formulas."),
    ("lcbench info digits:tasks=3", "The card of a stream, with a parameter set."),
    ("lcbench info ./news", "What lcbench makes of a folder of your own."),
)
def info(
    name: Annotated[
        str,
        argument(
            "A method, stream or metric, or the folder of a stream; a stream may have parameters.",
            "NAME",
            completed="anything",
        ),
    ],
    format: Annotated[
        str,
        typer.Option("--format", help="table, or croissant: a stream as JSON-LD for search engines.", metavar="FORMAT"),
    ] = "table",
    plugin: Plugins = None,
) -> None:
    """Show all about a method, stream or metric.

    That is its parameters and references, how sure we are of its formulas, and the card of a stream.
    """
    from lcbench.cli.console import print_sheets
    from lcbench.data.stream_lookup import stream_spec

    if format not in ("table", "croissant"):
        raise ParameterError(f"--format takes one of table, croissant, not '{format}'.")
    entry = parse_stream_entry(name)
    found = [(*stream_spec(entry), "stream")] if entry.is_path else registered_under(entry.name)
    if format == "croissant":
        _print_croissant(entry.name, found, entry.params)
        return
    print_sheets(sheet for spec, source, kind in found for sheet in card_sheets(spec, source, kind, entry.params))


def _print_croissant(name: str, found: Sequence[tuple[Any, Source, str]], given: Mapping[str, str]) -> None:
    """Print the Croissant description of the stream among what was found under a name."""
    import json

    from lcbench.data.croissant import croissant
    from lcbench.data.stream_lookup import stream_params, stream_shapes

    streams = [(spec, source) for spec, source, _ in found if isinstance(spec, StreamSpec)]
    if not streams:
        raise ParameterError(f"'{name}' is a {found[0][2]}: only a stream can be described with --format croissant.")
    spec, source = streams[0]
    params = stream_params(spec, given)
    print(json.dumps(croissant(spec, params, stream_shapes(spec, params, source)), indent=2, ensure_ascii=False))


def registered_under(name: str) -> list[tuple[Any, Source, str]]:
    """The specs that are registered under a name, each with its plugin and kind."""
    from lcbench.data.transforms import with_transform

    held = plugin_host().registry.holding(name)
    found: list[tuple[Any, Source, str]] = [(each[name], each.source(name), each.kind) for each in held]
    return [(with_transform(spec) if kind == "stream" else spec, source, kind) for spec, source, kind in found]


def card_sheets(spec: Any, source: Source, kind: str, given: Mapping[str, str]) -> Iterator[Sheet]:
    """The tables about a method, stream or metric with these parameters: facts, parameters, tasks."""
    at_default = getattr(spec, "at_default", ())
    params = resolve_params(f"{kind.capitalize()} '{spec.name}'", spec.params, given, at_default)
    title = f"{kind} {spec.name}" + (f" — {spec.summary}" if spec.summary else "")
    own = isinstance(spec, StreamSpec) and spec.from_files
    origin = "your own data" if own else f"{source.distribution} {source.version}".strip()
    with calling(source, f"could not describe {kind} '{spec.name}'"):
        facts = list(_facts(spec, params))
    yield fact_sheet(title, [*facts, ("from", origin), *([] if spec.params else [("parameters", "none")])])
    if spec.params:
        rows = [(p.name, format_value(params.get(p.name, p.default)), p.takes(), _meaning(p)) for p in spec.params]
        yield text_sheet("", ("parameter", "value", "takes", "meaning"), rows)
    if isinstance(spec, StreamSpec):
        yield from _task_sheets(spec, params, source)


def _facts(spec: Any, params: dict[str, Any]) -> Iterator[tuple[str, object]]:
    if isinstance(spec, MethodSpec):
        yield "setting", f"{spec.setting.value}: {SETTINGS[spec.setting.value]}"
        yield "reference", spec.reference
        yield "formulas", spec.provenance
        yield "baseline", spec.baseline
        yield "note", spec.note_for(params)
        yield "features", "none below 0; transform=minmax of a stream scales them" * spec.nonnegative_with(params)
        yield "revision", spec.revision
    elif isinstance(spec, StreamSpec):
        yield "what", spec.card.what
        yield "source", spec.card.source
        if spec.data is not None:
            from lcbench.data.sources.obtaining import place_of

            yield "fetched", f"{byte_size(spec.data.size)} from {place_of(spec.data)}"
        yield "licence", spec.card.licence
        yield "looks ahead", LOOKS_AHEAD[spec.looks_ahead_with(params)]
        yield from (("note", note) for note in spec.card.notes)
    elif isinstance(spec, MetricSpec):
        yield "kind", f"{spec.kind.value}: {KINDS[spec.kind.value]}"
        yield "better", "greater" if spec.greater_is_better else "smaller"
        if spec.range is not None:
            yield "range", "from {:g} to {:g}".format(*spec.range)
        yield "reference", spec.reference


def _meaning(param: Param) -> str:
    grids = ", ".join(f"{name} ({len(values)} values)" for name, values in param.grids.items())
    return f"{param.help}; grid {grids}" if grids else param.help


def _task_sheets(spec: StreamSpec, params: dict[str, Any], source: Source) -> Iterator[Sheet]:
    """The sizes and classes of a stream's tasks: from its data if they are here, else from its spec."""
    from lcbench.data.stream_lookup import stream_shapes

    tasks = _tasks_at_hand(spec, params, source)
    shapes = stream_shapes(spec, params, source) if tasks is None else tuple(labelled.shape for labelled in tasks)
    notes = [f"and {len(shapes) - MOST_TASKS} tasks more"] if len(shapes) > MOST_TASKS else []
    if spec.data is not None and tasks is None:
        notes.append(f"The data are not here: 'lcbench data fetch {spec.name}' fetches them.")
    else:  # chance needs numpy: a stream that cannot be run yet is shown without it
        notes += _chance(shapes)
    if tasks is not None:
        from lcbench.data.weak_tasks import weaknesses

        notes += [f"{sentence[0].upper()}{sentence[1:]}" for sentence in weaknesses(tasks)]
    yield replace(_shape_sheet(shapes[:MOST_TASKS]), notes=tuple(notes))
    if tasks is not None and len(tasks) > 1:
        yield _similarity_sheet(tasks)


def _chance(shapes: Sequence[TaskShape]) -> Iterator[str]:
    """A note on what random labels score by the metrics that are shown by default."""
    if not any(shape.classes for shape in shapes):
        return
    from lcbench.data.chance import DRAWS, chance_scores
    from lcbench.registry.building import build_metric
    from lcbench.registry.host import plugin_host
    from lcbench.registry.metrics import default_metrics
    from lcbench.report import numbers

    catalogue = plugin_host().registry.metrics
    built = {name: build_metric(catalogue[name].factory, {}, catalogue.source(name)) for name in default_metrics()}
    found = chance_scores(shapes, built)
    scores = ", ".join(f"{name} {numbers.score(name, score)}" for name, score in found.items())
    yield f"Random labels score by chance: {scores} (means over tasks and {DRAWS} draws)."


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
    from lcbench.data.stream_lookup import built_stream, tasks_of

    try:
        with without_network():
            own = "" if spec.from_files else str(source)
            return tasks_of(spec.name, partial(built_stream, spec, params, source), own)
    except DataUnavailableError:
        return None


def _shape_sheet(shapes: Sequence[TaskShape]) -> Sheet:
    columns = len(SIZES) - (not any(shape.classes for shape in shapes))  # the last one has the classes
    return text_sheet("", SIZES[:columns], (shape.texts[:columns] for shape in shapes))


def _similarity_sheet(tasks: Sequence[LabelledTask]) -> Sheet:
    from lcbench.data.similarity import similarity

    alike = similarity(tasks)
    names = [labelled.name for labelled in tasks]
    rows = [(name, *(f"{value:.2f}" for value in alike.tasks[i])) for i, name in enumerate(names)]
    notes = []
    if len(names) > MOST_COMPARED:
        pairs = [alike.tasks[i][j] for i in range(len(names)) for j in range(i)]
        average = sum(pairs) / len(pairs)
        notes = [f"from {min(pairs):.2f} to {max(pairs):.2f} over all pairs, {average:.2f} on average"]
        rows = []
    if alike.same_class is not None and alike.other_class is not None:
        same = f"Classes of one name in two tasks: {alike.same_class:.2f} on average"
        notes.append(f"{same}; of different names: {alike.other_class:.2f}.")
    title = "How alike the tasks are: cosine of their mean samples (1 is the same direction)"
    return replace(text_sheet(title, ("", *names), rows, stub=1), notes=tuple(notes))
