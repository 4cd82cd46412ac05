"""`lcbench info`: shows a method, stream or metric."""

from __future__ import annotations

from typing import Annotated

import typer


def info(
    name: Annotated[
        str, typer.Argument(help="A method, stream or metric, or the folder of a stream; a stream may have parameters.")
    ],
) -> None:
    """Show parameters, settings, references and how sure we are of the formulas; for a stream its card."""
    from lcbench.cli.info_sheet import show_info

    show_info(name)
