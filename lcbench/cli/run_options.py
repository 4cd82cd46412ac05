"""Makes the options of commands from those of `Experiment`, and reads what was typed."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, TypeVar

import typer
from typer.models import OptionInfo

from lcbench.cli.help import completes, option
from lcbench.experiment.options import OPTIONS, Experiment, Option

Command = TypeVar("Command", bound=Callable[..., None])
COMPLETED = {
    "methods": "methods",
    "streams": "streams",
    "order": "orders",
    "grid": "grids",
    "tune": "rules",
    "tune_metric": "metrics",
    "metrics": "metrics",
    "audit": "audits",
    "executor": "executors",
}
OLD = "old_"  # before the name of an option under a word that it had before
logger = logging.getLogger(__name__)


def option_of(name: str, *, callback: Callable[..., Any] | None = None, **changes: Any) -> Any:
    """An option of `Experiment` as typer takes it, for a command that has it too; `changes` are those of its fields."""
    return _described(name, replace(OPTIONS[name], **changes), callback=callback)


def _described(name: str, option: Option, **more: Any) -> Any:
    default = Experiment.__dataclass_fields__[name].default
    return typer.Option(
        *(("/".join(option.flags),) if option.flag else option.flags),
        help=option.help,
        min=option.least,
        metavar=None if option.flag else option.metavar,
        show_default=option.shown or not (default is None or default is False or default == ()),
        rich_help_panel=option.group,
        autocompletion=completes(COMPLETED[name]) if name in COMPLETED else None,
        **more,
    )


def _load(files: list[str] | None) -> list[str] | None:
    if files:
        from lcbench.registry.plugin_files import load_plugin_files

        load_plugin_files(OPTIONS["plugins"].checked("--plugin", files))
    return files


Plugins = Annotated[
    list[str] | None,
    option_of(
        "plugins", help="A Python file that registers something to be looked at. May be repeated.", callback=_load
    ),
]
DryRun = Annotated[bool, option("--dry-run -n", "Count and list the runs, and which of them are done; run nothing.")]
Quiet = Annotated[bool, option("--quiet -q", "Show no progress.")]
Debug = Annotated[bool, option("--debug", "Show tracebacks, debug messages and what methods print.")]
Verbose = Annotated[
    bool, option("--verbose -v", "All tables: every metric, and each of several streams; with --dry-run, every run.")
]


def takes_options(**described: Option) -> Callable[[Command], Command]:
    """Gives a command the options of `described`, by the names of their fields, in place of its `**options`.

    They come before the options of its own. `typed_options` tells which of them were typed.
    """

    def mark(command: Command) -> Command:
        own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.kind is not p.VAR_KEYWORD]
        own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        first = [parameter for parameter in own if not _is_option(parameter)]
        made = [parameter for name, option in described.items() for parameter in _parameters(name, option)]
        parameters = [*first, *made, *(parameter for parameter in own if _is_option(parameter))]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return command

    return mark


def typed_options(context: typer.Context) -> dict[str, Any]:
    """The options of an experiment that were typed, checked under the names by which they are typed.

    One that was typed by a word that it had before gets a warning.
    """
    typed: dict[str, Any] = {}
    for parameter, value in sorted(context.params.items(), key=lambda each: not each[0].startswith(OLD)):
        name = parameter.removeprefix(OLD)
        source = context.get_parameter_source(parameter)
        if name in OPTIONS and source is not None and source.name == "COMMANDLINE":
            option = OPTIONS[name]
            flag = option.flags[0]
            if parameter != name:
                flag = option.old_flag or flag
                logger.warning(
                    "%s is called %s now, as %s is a file everywhere else: the old word goes with the next release.",
                    flag, option.flags[0], flag,
                )  # fmt: skip
            typed[name] = option.checked(flag, value)
    return typed


def _is_option(parameter: inspect.Parameter) -> bool:
    return any(isinstance(note, OptionInfo) for note in getattr(parameter.annotation, "__metadata__", ()))


def _parameters(name: str, option: Option) -> Iterator[inspect.Parameter]:
    """An option as typer takes it, and once more, hidden, under a word that it had before."""
    yield _parameter(name, option)
    if option.old_flag is not None:
        hidden = typer.Option(option.old_flag, hidden=True, metavar=option.metavar)
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(OLD + name, kind, default=None, annotation=Annotated[str | None, hidden])


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """A parameter with the type, default and help of an option."""
    default = Experiment.__dataclass_fields__[name].default
    kind: Any = bool if option.flag else list[str] if option.many else int if option.least is not None else str
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None if option.shown else list(default) or None if isinstance(default, tuple) else default,
        annotation=Annotated[kind if isinstance(default, bool) else kind | None, _described(name, option)],
    )
