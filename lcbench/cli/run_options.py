"""Makes the options of commands from those of `Experiment`, and reads what was typed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer
from typer.models import OptionInfo

from lcbench.experiment.options import OPTIONS, Experiment, Option

Command = TypeVar("Command", bound=Callable[..., None])
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="List the runs and which of them are done; run nothing.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show tracebacks, debug messages and what methods print.")]


def takes_options(**described: Option) -> Callable[[Command], Command]:
    """Gives a command the options of `described`, by the names of their fields, in place of its `**options`.

    They come before the options of its own. `typed_options` tells which of them were typed.
    """

    def mark(command: Command) -> Command:
        own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        first = [parameter for parameter in own if not _is_option(parameter)]
        made = [_parameter(name, option) for name, option in described.items()]
        parameters = [*first, *made, *(parameter for parameter in own if _is_option(parameter))]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return mark


def typed_options(context: typer.Context) -> dict[str, Any]:
    """The options of an experiment that were typed, checked under the names by which they are typed."""
    return {
        name: OPTIONS[name].checked(OPTIONS[name].flags[0], value)
        for name, value in context.params.items()
        if name in OPTIONS
        and (source := context.get_parameter_source(name)) is not None
        and source.name == "COMMANDLINE"
    }


def _is_option(parameter: inspect.Parameter) -> bool:
    return any(isinstance(note, OptionInfo) for note in getattr(parameter.annotation, "__metadata__", ()))


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """An option as typer takes it: a parameter with its type, default and help."""
    default = Experiment.__dataclass_fields__[name].default
    kind: Any = bool if option.flag else list[str] if option.many else int if option.least is not None else str
    described = typer.Option(
        *(("/".join(option.flags),) if option.flag else option.flags),
        help=option.help,
        min=option.least,
        metavar=None if option.flag else option.metavar,
        show_default=option.shown or not (default is None or default is False or default == ()),
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if option.shown else list(default) or None if isinstance(default, tuple) else default,
        annotation=Annotated[kind if isinstance(default, bool) else kind | None, described],
    )
