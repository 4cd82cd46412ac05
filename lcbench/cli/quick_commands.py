"""Typer commands that start fast, because they import no pydantic."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class QuickCommand(TyperCommand):
    """A command whose `--help` is False, not None, when it is not asked for, and whose texts are taken as they are.

    Typer turns a flag that is not yet a bool into one with pydantic, and a text into a text, whose import would take
    a third of the time in which `lcbench list` answers.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        params: list[Any] = list(self.params)
        for param in params:
            described = getattr(param, "type_descriptor", None)  # typer versions without it need no pydantic
            if described is not None and described.annotation in (str, list[str]):
                param.get_runtime_param = TextAsItIs

    def get_help_option(self, ctx: Any) -> Any:
        """The help option, with a default."""
        return with_default(super().get_help_option(ctx))


class QuickGroup(TyperGroup):
    """A group of commands, quick in the same way."""

    def get_help_option(self, ctx: Any) -> Any:
        """The help option, with a default."""
        return with_default(super().get_help_option(ctx))


class TextAsItIs:
    """The converter that typer calls for text options: it returns the text as it is."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The text, or the list of texts where several may be given."""
        if param.multiple or param.nargs == -1:
            return () if value is None else list(value)
        return value


def with_default(option: Any) -> Any:
    """A flag that is False when it is not given."""
    if option is not None:
        option.default = False
    return option
