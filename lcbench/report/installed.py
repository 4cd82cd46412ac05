"""Tables of the methods, streams, metrics and plugins that are installed."""

from __future__ import annotations

import logging
from enum import StrEnum
from typing import TYPE_CHECKING

from lcbench.errors import PluginError
from lcbench.report.sheets.sheet import Sheet, text_sheet

if TYPE_CHECKING:
    from lcbench.contract.specs import StreamSpec
    from lcbench.registry.catalogue import Source
    from lcbench.registry.host import PluginHost

logger = logging.getLogger(__name__)


class Installed(StrEnum):
    """The kinds of things that are installed."""

    METHODS = "methods"
    STREAMS = "streams"
    METRICS = "metrics"
    PLUGINS = "plugins"


def _task_count(stream: StreamSpec, source: Source) -> str:
    """The number of tasks of a stream; a question mark, and a warning, if its plugin fails to tell."""
    from lcbench.data.stream_lookup import stream_shapes

    try:
        return str(len(stream_shapes(stream, {p.name: p.default for p in stream.params}, source)))
    except PluginError as error:
        logger.warning("%s", error)
        return "?"


def installed_sheet(host: PluginHost, kind: Installed) -> Sheet:
    """A table of all things of one kind."""
    registry = host.registry
    if kind is Installed.METHODS:
        methods = registry.methods
        rows = [(m.name, m.setting.value, m.summary, methods.source(m.name).distribution) for m in methods]
        return text_sheet(kind, ("name", "setting", "what it is", "from"), rows)
    if kind is Installed.STREAMS:
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
    if kind is Installed.METRICS:
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
