"""The help of commands: options in groups, examples at the end, words that Tab completes.

`option` and `argument` describe what a command takes, `@examples` gives it examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from lcbench.experiment.options import LIMITS, ORDER, OUTPUT, TUNING, WHAT
from lcbench.printable import word_lines

__all__ = [
    "LIMITS",
    "ORDER",
    "OUTPUT",
    "TUNING",
    "WHAT",
    "Command",
    "Group",
    "argument",
    "completes",
    "examples",
    "examples_of",
    "group",
    "option",
]
Function = TypeVar("Function", bound=Callable[..., Any])
GROUPS = (WHAT, ORDER, TUNING, LIMITS, OUTPUT)
WIDEST = 28  # of the column of options
LEAST_TEXT = 20  # of that of descriptions


def examples(*shown: tuple[str, str]) -> Callable[[Function], Function]:
    """Gives a command examples for its help: pairs of a command line and what it does."""

    def mark(function: Function) -> Function:
        function.examples = shown  # type: ignore[attr-defined]
        return function

    return mark


def completes(kind: str) -> Callable[..., list[tuple[str, str]]]:
    """A function for typer's `autocompletion`: completes words of a kind that `lcbench.cli.completion` knows."""

    def complete(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
        from lcbench.cli.completion import words

        return words(kind, incomplete, ctx.params)

    return complete


def option(
    words: str, help: str, metavar: str | None = None, *, group: str = OUTPUT, completed: str = "", shown: Any = True,
    **more: Any,
) -> Any:  # fmt: skip
    """An option as typer takes it: its words, as in `--out -o`, its group in the help, and the kind of its values."""
    return typer.Option(
        *words.split(), help=help, metavar=metavar, show_default=shown, rich_help_panel=group,
        autocompletion=completes(completed) if completed else None, **more,
    )  # fmt: skip


def argument(help: str, metavar: str, *, completed: str = "", shown: Any = False, **more: Any) -> Any:
    """An argument as typer takes it, with the kind of its values."""
    complete = completes(completed) if completed else None
    return typer.Argument(help=help, metavar=metavar, show_default=shown, autocompletion=complete, **more)


def examples_of(command: Any) -> Sequence[tuple[str, str]]:
    """The examples of a command that typer made."""
    return getattr(command.callback, "examples", ())


class _Helped:
    """The parts of the help that differ from those of typer."""

    def collect_usage_pieces(self: Any, ctx: Any) -> list[str]:
        """Arguments by their metavar alone; brackets mean that one may be left out."""
        pieces = ["[OPTIONS]"]
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                named = _name(param) if param.required else f"[{_name(param)}]"
                pieces.append(f"{named}..." if param.nargs != 1 else named)
        return [*pieces, *([self.subcommand_metavar] if isinstance(self, TyperGroup) else [])]

    def format_options(self: Any, ctx: Any, formatter: Any) -> None:
        """Writes arguments, then options in their groups; the column of descriptions is the same for all."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and param.param_type_name == "argument":
                sections.setdefault("Arguments", []).append((_name(param), record[1]))
            elif record is not None:
                group = getattr(param, "rich_help_panel", None) or _rest(sections)
                sections.setdefault(group, []).append(record)
        names = [name for rows in sections.values() for name, _ in rows]
        width = max((len(name) for name in names if len(name) <= WIDEST), default=0)
        for heading in sorted(sections, key=lambda name: GROUPS.index(name) if name in GROUPS else -1):
            with formatter.section(heading):
                room = max(formatter.width - width - 4, LEAST_TEXT)
                rows = [(f"{name:<{width}}", _wrapped(text, room)) for name, text in sections[heading]]
                formatter.write_dl(rows, col_max=width)
        if isinstance(self, TyperGroup):
            self.format_commands(ctx, formatter)

    def format_epilog(self: Any, ctx: Any, formatter: Any) -> None:
        """Writes the examples after what else the command says at its end."""
        super().format_epilog(ctx, formatter)  # type: ignore[misc]
        shown = examples_of(self)
        if shown:
            with formatter.section("Examples"):
                for line, what in shown:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
                    formatter.write(f"{'':>{formatter.current_indent + 4}}{what}\n")


class Command(_Helped, TyperCommand):
    """A command with such a help."""


class Group(_Helped, TyperGroup):
    """A group of commands with such a help."""


def group(about: Callable[..., None], **commands: Callable[..., None]) -> typer.Typer:
    """A group of commands by their names; the docstring and the examples of `about` are its help."""
    app = typer.Typer(cls=Group, no_args_is_help=True)
    app.callback()(about)
    for name, command in commands.items():
        app.command(name, cls=Command)(command)
    return app


def _name(param: Any) -> str:
    return str(param.metavar or param.name.upper())


def _rest(sections: dict[str, Any]) -> str:
    """The heading for options without a group, as --help is: that of the output, where options have groups."""
    return OUTPUT if any(name in GROUPS for name in sections) else "Options"


def _wrapped(text: str, width: int) -> str:
    """The text in lines that end between words, for the formatter to leave alone; bounds and defaults in words."""
    text = re.sub(r"x>=(\d+)", r"at least \1", text)
    text = re.sub(r"default: \(([^()]*)\)", r"default: \1", text)
    return "\b\n" + "\n".join(word_lines(text, width))
