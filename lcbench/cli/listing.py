"""`lcbench list`: tables of the methods, streams, metrics and plugins that are installed."""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.cli.help import examples
from lcbench.cli.plugin_option import Plugins
from lcbench.errors import PluginError
from lcbench.registry.host import plugin_host

if TYPE_CHECKING:
    from lcbench.contract.specs import StreamSpec
    from lcbench.registry.catalogue import Source
    from lcbench.registry.host import PluginHost
    from lcbench.report.sheets.sheet import Sheet

logger = logging.getLogger(__name__)


class Kind(StrEnum):
    """The kinds of things that `lcbench list` lists."""

    METHODS = "methods"
    STREAMS = "streams"
    METRICS = "metrics"
    PLUGINS = "plugins"


@examples(
    ("lcbench list", "Methods, streams, metrics and plugins."),
    ("lcbench list streams", "Streams alone."),
    ("lcbench list methods --plugin ./mine.py", "Methods, with that of a file of yours."),
)
def list_installed(
    kind: Annotated[
        Kind | None,
        typer.Argument(
            help="What to list.",
            show_default="everything",
            metavar="methods|streams|metrics|plugins",
            case_sensitive=False,
        ),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """List the installed methods, streams, metrics or plugins."""
    from lcbench.cli.console import print_sheets

    host = plugin_host()
    print_sheets(_sheet(host, each) for each in ([kind] if kind else Kind))


def _task_count(stream: StreamSpec, source: Source) -> str:
    """The number of tasks of a stream; a question mark, and a warning, if its plugin fails to tell."""
    from lcbench.data.stream_lookup import stream_shapes

    try:
        return str(len(stream_shapes(stream, {p.name: p.default for p in stream.params}, source)))
    except PluginError as error:
        logger.warning("%s", error)
        return "?"


def _sheet(host: PluginHost, kind: Kind) -> Sheet:
    from lcbench.report.sheets.sheet import text_sheet

    registry = host.registry
    if kind is Kind.METHODS:
        methods = registry.methods
        rows = [(m.name, m.setting.value, m.summary, methods.source(m.name).distribution) for m in methods]
        return text_sheet(kind, ("name", "setting", "what it is", "from"), rows)
    if kind is Kind.STREAMS:
        streams = registry.streams
        rows = [
            (
                stream.name,
                _task_count(stream, streams.source(stream.name)),
                stream.summary,
                streams.source(stream.name).distribution,
            )
            for stream in streams
        ]
        return text_sheet(kind, ("name", "tasks", "what it is", "from"), rows)
    if kind is Kind.METRICS:
        metrics = registry.metrics
        better = {True: "greater", False: "smaller"}
        found = [
            (m.name, m.kind.value, better[m.greater_is_better], m.summary, metrics.source(m.name).distribution)
            for m in metrics
        ]
        return text_sheet(kind, ("name", "kind", "better", "what it is", "from"), found)
    plugins = [
        (p.source.plugin, p.source.distribution, p.source.version, ", ".join(p.names), "; ".join(p.problems))
        for p in host.plugins
    ]
    return text_sheet(kind, ("name", "distribution", "version", "registers", "problems"), plugins)
