"""Builds the typer application: the commands of lcbench, then those of plugins."""

from __future__ import annotations

from typing import Annotated

import typer

from lcbench import __version__
from lcbench.cli import compare, data, doctor, info, listing, plot, report, reproduce, results, run
from lcbench.cli.lazy_plugins import add_plugin_commands
from lcbench.cli.quick_commands import QuickCommand, QuickGroup


def build_app() -> typer.Typer:
    """Builds the application with every command."""
    app = typer.Typer(
        name="lcbench",
        cls=QuickGroup,
        help="Benchmark lifelong and multi-task clustering: streams of tasks replayed through methods.",
        no_args_is_help=True,
        add_completion=False,  # its options make typer import pydantic at every start
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    app.command("run", cls=QuickCommand)(run.run)
    app.add_typer(results.build_results_app(), name="results")
    app.command("reproduce", cls=QuickCommand)(reproduce.reproduce)
    app.command("compare", cls=QuickCommand)(compare.compare)
    app.command("plot", cls=plot.PlotCommand)(plot.plot)
    app.command("report", cls=QuickCommand)(report.report)
    app.add_typer(listing.build_list_app(), name="list")
    app.command("info", cls=QuickCommand)(info.info)
    app.add_typer(data.build_data_app(), name="data")
    app.command("doctor", cls=QuickCommand)(doctor.doctor)
    add_plugin_commands(app)
    return app


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=lambda v: _version(v)),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and debug messages.")] = False,
) -> None:
    """Benchmark lifelong and multi-task clustering: streams of tasks replayed through methods."""

    # --debug is read before parsing, by `wants_debug`.


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lcbench {__version__}")
        raise typer.Exit
