"""`lcbench list`: tables of the methods, streams, metrics and plugins that are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from lcbench.cli.lazy_plugins import plugin_host
from lcbench.cli.quick_commands import QuickCommand, QuickGroup

if TYPE_CHECKING:
    from rich.table import Table


def build_list_app() -> typer.Typer:
    """Builds the group `lcbench list` with a command per kind; alone it lists everything.

    Commands rather than an argument with choices: typer imports pydantic to read an argument, which takes as long as
    the rest of the start.
    """
    app = typer.Typer(cls=QuickGroup, help="List the methods, streams, metrics or plugins that are installed.")
    app.callback(invoke_without_command=True)(everything)
    for command in (methods, streams, metrics, plugins):
        app.command(cls=QuickCommand)(command)
    return app


def everything(context: typer.Context) -> None:
    """List what is installed; everything, if no kind is named."""
    if context.invoked_subcommand is None:
        for command in (methods, streams, metrics, plugins):
            command()


def _table(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        table.add_column(column, no_wrap=i == 0, style="cyan" if i == 0 else "")
    return table


def methods() -> None:
    """List the clustering methods."""
    from lcbench.cli.console import output, plain

    host = plugin_host()
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
    output().print(table)


def streams() -> None:
    """List the task streams."""
    from lcbench.cli.console import output, plain

    host = plugin_host()
    table = _table("streams", "name", "tasks", "what it is", "from")
    for spec in host.registry.streams:
        tasks = len(spec.shapes({p.name: p.default for p in spec.params}))
        origin = "you" if spec.from_files else host.registry.streams.source(spec.name).distribution
        table.add_row(*map(plain, (spec.name, tasks, spec.summary, origin)))
    output().print(table)


def metrics() -> None:
    """List the metrics."""
    from lcbench.cli.console import output, plain

    host = plugin_host()
    table = _table("metrics", "name", "kind", "better", "what it is", "from")
    for spec in host.registry.metrics:
        better = "greater" if spec.greater_is_better else "smaller"
        source = host.registry.metrics.source(spec.name).distribution
        table.add_row(*map(plain, (spec.name, spec.kind.value, better, spec.summary, source)))
    output().print(table)


def plugins() -> None:
    """List the plugins and what each registers."""
    from lcbench.cli.console import output, plain

    host = plugin_host()
    table = _table("plugins", "name", "distribution", "version", "registers", "problems")
    for plugin in host.plugins:
        source = plugin.source
        names, problems = ", ".join(plugin.names), "\n".join(plugin.problems)
        table.add_row(*map(plain, (source.plugin, source.distribution, source.version, names, problems)))
    output().print(table)
