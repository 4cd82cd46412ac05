"""`lcbench list`: what can be run."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated

import typer

from lcbench.plugins import PluginHost, plugin_host

if TYPE_CHECKING:
    from rich.table import Table


class Kind(enum.StrEnum):
    """What can be listed."""

    METHODS = "methods"
    STREAMS = "streams"
    METRICS = "metrics"
    PLUGINS = "plugins"


def list_names(
    kind: Annotated[
        Kind | None, typer.Argument(help="What to list; everything if left out.", show_default=False)
    ] = None,
) -> None:
    """List the methods, streams, metrics or plugins that are installed."""
    from lcbench.cli.console import output

    makers = {
        Kind.METHODS: _methods,
        Kind.STREAMS: _streams,
        Kind.METRICS: _metrics,
        Kind.PLUGINS: _plugins,
    }
    console = output()
    for wanted in [kind] if kind else list(Kind):
        console.print(makers[wanted](plugin_host()))


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, no_wrap=i == 0, style="cyan" if i == 0 else "")
    return table


def _methods(host: PluginHost) -> Table:
    from lcbench.cli.console import plain

    table = _table("methods", "name", "setting", "what it is", "from")
    for spec in host.registry.methods:
        table.add_row(
            *map(
                plain,
                (
                    spec.name,
                    spec.setting.value,
                    spec.summary,
                    host.registry.methods.source(spec.name).distribution,
                ),
            )
        )
    return table


def _streams(host: PluginHost) -> Table:
    from lcbench.cli.console import plain

    table = _table("streams", "name", "tasks", "what it is", "from")
    for spec in host.registry.streams:
        tasks = len(spec.shapes({p.name: p.default for p in spec.params}))
        table.add_row(
            *map(plain, (spec.name, tasks, spec.summary, host.registry.streams.source(spec.name).distribution))
        )
    return table


def _metrics(host: PluginHost) -> Table:
    from lcbench.cli.console import plain

    table = _table("metrics", "name", "kind", "better", "what it is", "from")
    for spec in host.registry.metrics:
        better = "greater" if spec.greater_is_better else "smaller"
        source = host.registry.metrics.source(spec.name).distribution
        table.add_row(*map(plain, (spec.name, spec.kind.value, better, spec.summary, source)))
    return table


def _plugins(host: PluginHost) -> Table:
    from lcbench.cli.console import plain

    table = _table("plugins", "name", "distribution", "version", "registers", "problems")
    for plugin in host.plugins:
        source = plugin.source
        names, problems = ", ".join(plugin.names), "\n".join(plugin.problems)
        table.add_row(*map(plain, (source.plugin, source.distribution, source.version, names, problems)))
    return table
