"""Builds the typer application: the commands of lcbench, then those of plugins."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Annotated

import typer

from lcbench import __version__
from lcbench.cli import (
    bench,
    board,
    check,
    cite,
    compare,
    data,
    doctor,
    info,
    listing,
    new,
    plot,
    report,
    reproduce,
    results,
    run,
    submit,
    suite,
)
from lcbench.cli.help import Command, Group, examples
from lcbench.registry.host import plugin_host


def build_app() -> typer.Typer:
    """Builds the application with every command."""
    app = typer.Typer(
        name="lcbench",
        help="Benchmark lifelong and multi-task clustering: streams of tasks replayed through methods.",
        no_args_is_help=True,
        result_callback=lambda *_, **__: None,  # only typer.Exit has an exit code, not what a command returns
        cls=Group,
        rich_markup_mode=None,  # in boxes, the help of `run` has 20 characters a line on a narrow terminal
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    app.command("run", cls=Command)(run.run)
    app.add_typer(results.build_results_app(), name="results")
    app.command("reproduce", cls=Command)(reproduce.reproduce)
    app.add_typer(suite.build_suite_app(), name="suite")
    app.add_typer(submit.build_submit_app(), name="submit")
    app.add_typer(board.build_board_app(), name="board")
    app.command("compare", cls=Command)(compare.compare)
    app.command("plot", cls=plot.PlotCommand)(plot.plot)
    app.command("report", cls=Command)(report.report)
    app.command("cite", cls=Command)(cite.cite)
    app.command("list", cls=Command)(listing.list_installed)
    app.command("info", cls=Command)(info.info)
    app.add_typer(data.build_data_app(), name="data")
    app.command("new", cls=Command)(new.new)
    app.command("check", cls=Command)(check.check)
    app.command("bench", cls=Command)(bench.bench)
    app.command("doctor", cls=Command)(doctor.doctor)
    _add_plugin_commands(app)
    return app


def _add_plugin_commands(app: typer.Typer) -> None:
    """Let plugins add their commands; ours have none, so that nothing is loaded where there are no others."""
    distributions = {id(point.dist): point.dist for point in entry_points(group="lcbench")}
    if any(dist is None or dist.name != "lcbench" for dist in distributions.values()):
        plugin_host().register_commands(app)


@examples(
    ("lcbench run -m l2sc -m stsc -s digits", "Run two methods on a stream, and show how well they do."),
    ("lcbench list", "See what there is to run, and to score by."),
    ("lcbench --install-completion", "Have Tab complete commands, names and parameters in your shell."),
)
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=lambda v: _version(v)),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks and debug messages.")] = False,
) -> None:
    """Benchmark lifelong and multi-task clustering: streams of tasks replayed through methods."""

    # --debug is read before parsing, by `main`.


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lcbench {__version__}")
        raise typer.Exit
