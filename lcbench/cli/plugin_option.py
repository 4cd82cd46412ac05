"""The option --plugin of commands that look at names or stored runs: loads plugin files."""

from __future__ import annotations

from typing import Annotated

import typer

from lcbench.cli.help import WHAT


def _load(files: list[str] | None) -> list[str] | None:
    if files:
        from lcbench.experiment.options import OPTIONS
        from lcbench.registry.plugin_files import load_plugin_files

        load_plugin_files(OPTIONS["plugins"].checked("--plugin", files))
    return files


Plugins = Annotated[
    list[str] | None,
    typer.Option(
        "--plugin", help="A Python file that registers something to be looked at. May be repeated.", metavar="FILE",
        callback=_load, rich_help_panel=WHAT,
    ),
]  # fmt: skip
