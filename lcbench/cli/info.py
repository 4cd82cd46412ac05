"""`lcbench info`: all there is to know about a method, stream or metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lcbench.errors import UnknownNameError, did_you_mean
from lcbench.names import format_value, parse_entry
from lcbench.plugins import plugin_host
from lcbench.specs import MethodSpec, MetricSpec, Param, StreamSpec, resolve_params

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def info(
    name: Annotated[str, typer.Argument(help="A method, stream or metric; a stream may have parameters.")],
) -> None:
    """Show parameters, settings, references and how sure we are of the formulas; for a stream its card."""
    from lcbench.cli.console import output

    registry = plugin_host().registry
    entry = parse_entry(name)
    console = output()
    catalogues = (registry.methods, registry.streams, registry.metrics)
    found = [(catalogue.kind, catalogue) for catalogue in catalogues if entry.name in catalogue]
    if not found:
        known = [spec.name for catalogue in catalogues for spec in catalogue]
        raise UnknownNameError(f"There is no method, stream or metric '{entry.name}'.{did_you_mean(entry.name, known)}")
    for kind, catalogue in found:
        spec = catalogue[entry.name]
        params = resolve_params(f"{kind.capitalize()} '{spec.name}'", spec.params, entry.params)
        source = catalogue.source(spec.name)
        _heading(console, f"{kind} {spec.name}", spec.summary)
        _facts(console, [*_own_facts(spec, params), ("from", f"{source.distribution} {source.version}".strip())])
        _print_params(console, spec.params, params)
        if isinstance(spec, StreamSpec):
            _print_tasks(console, spec, params)


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
    from lcbench.cli.console import plain

    console.print(plain(title, "bold"), plain(f"— {summary}" if summary else ""))


def _facts(console: Console, facts: list[tuple[str, str]]) -> None:
    from rich.table import Table

    from lcbench.cli.console import plain

    table = Table.grid(padding=(0, 2))
    table.add_column(style="cyan", no_wrap=True)
    table.add_column()
    for key, value in facts:
        if value:
            table.add_row(key, plain(value))
    console.print(table)


def _print_params(console: Console, specs: tuple[Param, ...], params: dict[str, Any]) -> None:
    if not specs:
        console.print("no parameters", style="dim")
        return
    rows = [(p.name, format_value(params[p.name]), p.takes(), p.help) for p in specs]
    console.print(_grid(("parameter", "value", "takes", "meaning"), rows))


def _print_tasks(console: Console, spec: StreamSpec, params: dict[str, Any]) -> None:
    shapes = spec.shapes(params)
    rows = [(s.name, _count(s.samples), _count(s.features), _count(s.clusters)) for s in shapes[:20]]
    console.print(_grid(("task", "samples", "features", "clusters"), rows))
    if len(shapes) > 20:
        console.print(f"and {len(shapes) - 20} tasks more", style="dim")


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _grid(columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> RenderableType:
    from rich import box
    from rich.table import Table

    from lcbench.cli.console import plain

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, no_wrap=i == 0, style="cyan" if i == 0 else "")
    for row in rows:
        table.add_row(*map(plain, row))
    return table
