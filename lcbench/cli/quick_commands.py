"""Typer commands that start quickly."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class QuickCommand(TyperCommand):
    """A command whose `--help` is False, not None, when it is not asked for.

    Typer turns a flag that is not yet a bool into one with pydantic, whose import would take a third of the time in
    which `lcbench list` answers.
    """

    def get_help_option(self, ctx: Any) -> Any:
        """The help option, with a default."""
        return with_default(super().get_help_option(ctx))


class QuickGroup(TyperGroup):
    """A group of commands, quick in the same way."""

    def get_help_option(self, ctx: Any) -> Any:
        """The help option, with a default."""
        return with_default(super().get_help_option(ctx))


def with_default(option: Any) -> Any:
    """A flag that is False when it is not given."""
    if option is not None:
        option.default = False
    return option
