"""The options of an experiment, each described once: for command line, files and Python.

The field of an option in `Experiment` has its default; its `Option` has its help, its bounds and its check. They make
the option of `lcbench run`, the key of an experiment file, the check of `lcbench.run`, and the option's part of the
command that repeats a run.
"""

# ruff: noqa: RUF009 - the calls in the dataclass return fields
from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, time
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.audit.verdict import DEFAULT_MODES, MODES, checked_modes
from lcbench.errors import ParameterError
from lcbench.experiment.grids import Grid, as_grids
from lcbench.experiment.limits import DURATION_RULE, SIZE_RULE, parse_duration, parse_size
from lcbench.experiment.orders import FIXED, ORDERS
from lcbench.experiment.tuning import NONE, RULES, checked_rule
from lcbench.reading import is_folder
from lcbench.records import DEFAULT_FOLDER
from lcbench.records.record import parse_evaluate
from lcbench.registry.names import format_value, is_name, parse_stream_entry

if TYPE_CHECKING:
    from lcbench.records.store import Store


class _NoWordsError(Exception):
    """A value that the command line cannot say."""


FILE_ENDINGS = (
    ".csv", ".tsv", ".json", ".jsonl", ".parquet", ".npz", ".toml", ".txt", ".tex", ".md", ".html", ".htm", ".png",
    ".svg", ".pdf",
)  # fmt: skip
LOCAL, DASK = "local", "dask"
WHAT, ORDER, TUNING, LIMITS, OUTPUT = "What", "Order", "Tuning", "Limits", "Output"  # groups of options
TEXTS = "a text or a list of texts"
ENTRIES = "a text, a list of texts, or a table of names with a text each"


@dataclass(frozen=True, slots=True)
class Option:
    """The description of one option.

    `check` returns the value to use, or raises ParameterError or ValueError; `rule` finishes "NAME takes ...". `flags`
    are the words of the command line, `least` the bound of a whole number, `many` marks an option that may be repeated,
    `flag` one that is on or off, `shown` is its default in the help if that is no plain value, `group` is the heading
    under which the help has it. `old_flag` is a word that it had before: it still works, and a warning names the new
    one. An option `in_file` may be set in an experiment file; one that is `repeated` is part of the command that
    repeats a run, where `words` turns its value into texts.
    """

    help: str
    rule: str
    check: Callable[[Any], Any]
    flags: tuple[str, ...] = ()
    group: str = WHAT
    old_flag: str | None = None
    metavar: str | None = None
    least: int | None = None
    many: bool = False
    flag: bool = False
    shown: str | None = None
    in_file: bool = True
    repeated: bool = True
    words: Callable[[Any], list[str]] = lambda value: [str(value)]

    def checked(self, name: str, value: Any) -> Any:
        """The value to use; ParameterError if it is not one that the option takes."""
        try:
            return self.check(value)
        except (ValueError, TypeError):
            raise ParameterError(f"{name} takes {self.rule}, not {value!r}.") from None


def _option(default: Any, help: str, rule: str, check: Callable[[Any], Any], *flags: str, **more: Any) -> Any:
    return field(default=default, metadata={"option": Option(help, rule, check, flags, **more)})


def _count(default: int | None, help: str, *flags: str, least: int = 1, **more: Any) -> Any:
    def check(value: Any) -> int | None:
        if value is None and default is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError
        return value

    return _option(
        default, help, f"a whole number of at least {least}", check, *flags, metavar="N", least=least, **more
    )


def _flag(default: bool | None, help: str, *flags: str, **more: Any) -> Any:
    def check(value: Any) -> bool | None:
        if not isinstance(value, bool) and not (value is None and default is None):
            raise ValueError
        return value

    return _option(default, help, "true or false", check, *flags, flag=True, **more)


def _or_none(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise ValueError
    return (_text(value),) if isinstance(value, str) else tuple(_text(item) for item in value)


def _entries(value: Any) -> Any:
    """Texts or instances: one, several, or a mapping from labels to them; what they name is looked up later."""
    several = isinstance(value, Iterable) and not isinstance(value, str | PathLike)
    items = tuple(_items(value)) if several else (value,)
    if not items or not all(_text(item) if isinstance(item, str) else not isinstance(item, _PLAIN) for item in items):
        raise ValueError
    return value if isinstance(value, Mapping) else items


_PLAIN = (int, float, bytes, date, time, list, dict, type(None))  # what a file can hold besides texts


def _order(value: Any) -> str | tuple[str, ...]:
    names = _texts(value)
    if not names:
        raise ValueError
    if isinstance(value, str):
        return value.lower() if value.lower() in ORDERS else value
    return names


def _executor(value: Any) -> str:
    if _lower(value) not in (LOCAL, DASK):
        raise ValueError
    return str(_lower(value))


def _lower(value: Any) -> Any:
    """A word without regard to its case; anything else as it is."""
    return value.lower() if isinstance(value, str) else value


def _evaluate(value: Any) -> str:
    parse_evaluate(_text(value))
    return str(value)


def _grid(value: Any) -> tuple[Grid, ...] | None:
    return tuple(as_grids(value)) or None


def _paths(value: Any) -> tuple[str, ...]:
    """One path or several."""
    several = isinstance(value, Iterable) and not isinstance(value, str | PathLike | Mapping)
    return tuple(_text(fspath(path)) for path in (value if several else (value,)))


def _folder(value: Any) -> Any:
    """A path, or a store."""
    if hasattr(value, "save"):
        return value
    path = Path(_text(fspath(value)))
    if path.suffix.lower() in FILE_ENDINGS and not is_folder(path):
        raise ParameterError(
            f"Results are a folder, and '{path}' is the name of a file: 'lcbench results export {path.name}' and "
            f"'lcbench compare --out {path.name}' make files of them."
        )
    return value


def _entry_words(value: Any) -> list[str]:
    texts = list(_items(value))
    if not all(isinstance(text, str) for text in texts):
        raise _NoWordsError
    if not isinstance(value, Mapping):
        return texts
    if not all(map(is_name, value)):
        raise _NoWordsError
    return [f"{label}={_without_alias(text)}" for label, text in value.items()]


def _without_alias(text: str) -> str:
    alias = parse_stream_entry(text).alias
    return text if alias is None else text.strip()[len(alias) + 1 :]


def _order_words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if any('"' in name or name != name.strip() for name in value) or (len(value) == 1 and value[0] in ORDERS):
        raise _NoWordsError
    return [",".join(f'"{name}"' if "," in name else name for name in value)]


def _grid_words(value: Sequence[Grid]) -> list[str]:
    if any(not str(item) or '"' in str(item) for grid in value for item in grid.values):
        raise _NoWordsError
    return [f"{grid.method}.{grid.param}={','.join(map(format_value, grid.values))}" for grid in value]


def _listed(helps: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({help})" for name, help in helps.items())


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """The wishes of a user: methods, streams, and how they are run. Every value is checked when it is made."""

    methods: Any = _option(
        ("l2sc", "stsc"), "Method, with parameters as in l2sc:lam=10. May be repeated.", ENTRIES, _entries,
        "--method", "-m", metavar="NAME", many=True, words=_entry_words,
    )  # fmt: skip
    streams: Any = _option(
        ("digits",),
        "Stream, with parameters as in digits:tasks=3, or your own folder: ./news:label=y. May be repeated.",
        ENTRIES, _entries, "--stream", "-s", metavar="NAME", many=True, words=_entry_words,
    )  # fmt: skip
    plugins: Sequence[str] = _option(
        (), "A Python file with a method of yours, or with hooks, to use beside what is installed. May be repeated.",
        "the path of a Python file, or a list of them", _paths, "--plugin", metavar="FILE", many=True, words=list,
    )  # fmt: skip
    order: str | Sequence[str] = _option(
        FIXED,
        f"Order of tasks: {_listed({name: kind.help for name, kind in ORDERS.items()})}, or names: a,b,c.",
        f"{', '.join(ORDERS)}, or a list of task names", _order, "--order", metavar="ORDER", words=_order_words,
        group=ORDER,
    )  # fmt: skip
    repeats: int = _count(
        1, "How often, each time with new seeds and, if random, a new order.", "--repeats", group=ORDER
    )
    seed: int = _count(0, "All randomness comes from it.", "--seed", least=0, group=ORDER)
    grid: Any = _option(
        None, "Values to try: l2sc.lam=0.1,1,10, or a named grid: l2sc.lam=paper. May be repeated.",
        "tables such as [grid.l2sc]", _grid, "--grid", metavar="METHOD.PARAM=V,V", many=True, words=_grid_words,
        group=TUNING,
    )  # fmt: skip
    tune: str = _option(
        NONE,
        f"Choose among the grid: {_listed({name: rule.sees for name, rule in RULES.items()})}. {NONE} runs every point "
        "as a method of its own.",
        f"one of {', '.join((NONE, *RULES))}", lambda value: checked_rule(_lower(value)), "--tune",
        metavar="HOW", group=TUNING,
    )  # fmt: skip
    tune_metric: str | None = _option(
        None, "What a tuning with labels looks at.", "the name of a metric", _or_none(_text), "--tune-metric",
        metavar="NAME", shown="the first metric shown", group=TUNING,
    )  # fmt: skip
    name: str | None = _option(
        None, "A name for this experiment, kept with its runs: compare, plot, report and results take it too.",
        "a text", _or_none(_text), "--name", metavar="NAME", group=OUTPUT,
    )  # fmt: skip
    metrics: Sequence[str] = _option(
        (), "Metric to show. May be repeated.", TEXTS, _texts, "--metric", metavar="NAME", many=True,
        shown="purity, nmi, ri, ari; silhouette without labels", words=list, group=OUTPUT,
    )  # fmt: skip
    evaluate: str = _option(
        "all", "When all tasks seen so far are scored: all (after each task), every:N, or last.",
        "all, last or every:N with N of at least 1", _evaluate, "--evaluate", metavar="WHEN",
    )  # fmt: skip
    future: bool = _flag(False, "Score the tasks still to come as well, for methods that can.", "--future")
    baselines: bool = _flag(
        True, "Also run the single-task baseline of each method, shown as column 0.", "--baseline", "--no-baseline"
    )
    solo: bool | None = _flag(
        None, "Also learn each task alone with a fresh instance of the method, to tell what other tasks bring.",
        "--solo", "--no-solo", shown="up to 50 tasks",
    )  # fmt: skip
    audit: Sequence[str] = _option(
        DEFAULT_MODES,
        "See what a method keeps: measure (always), isolate (each task in a fresh process), poison (old tasks are "
        "overwritten). May be repeated.",
        TEXTS, lambda value: checked_modes(list(map(_lower, _texts(value)))), "--audit", metavar="HOW", many=True,
        words=lambda value: [mode for mode in value if mode != MODES[0]],
    )  # fmt: skip
    executor: str = _option(
        LOCAL, "Carry out runs on this machine (local), or on a Dask cluster (dask).", f"{LOCAL} or {DASK}", _executor,
        "--executor", metavar="WHERE", group=LIMITS,
    )  # fmt: skip
    scheduler: str | None = _option(
        None, "Address of the Dask scheduler, as tcp://host:8786.", "the address of a Dask scheduler", _or_none(_text),
        "--scheduler", metavar="ADDRESS", shown="a cluster on this machine", group=LIMITS,
    )  # fmt: skip
    jobs: int | None = _count(None, "Runs at a time.", "--jobs", "-j", shown="1", repeated=False, group=LIMITS)
    threads: int = _count(1, "BLAS and OpenMP threads of a run.", "--threads", group=LIMITS)
    timeout: float | str | None = _option(
        None, "Stop a run that takes longer: 60s, 5min, 2h.", DURATION_RULE, _or_none(parse_duration), "--timeout",
        metavar="TIME", words=lambda value: [f"{format_value(value)}s"], group=LIMITS,
    )  # fmt: skip
    memory_limit: int | str | None = _option(
        None, "Stop a run that needs more: 2GB, 512MB.", SIZE_RULE, _or_none(parse_size), "--memory-limit",
        metavar="SIZE", group=LIMITS,
    )  # fmt: skip
    sealed: bool = _flag(
        False, "Seal methods off (Linux, bubblewrap): no network, no cache, no results, a read-only file system.",
        "--sealed", group=LIMITS,
    )  # fmt: skip
    results: str | PathLike[str] | Store | None = _option(
        None, "Folder of finished runs: what is there is not run again.", "the name of a folder", _or_none(_folder),
        "--results", old_flag="--out", metavar="DIR", shown=DEFAULT_FOLDER, repeated=False, group=OUTPUT,
    )  # fmt: skip
    fresh: bool = _flag(False, "Run finished runs again.", "--fresh", in_file=False, repeated=False, group=OUTPUT)
    retry_failed: bool = _flag(
        False, "Run failed runs again.", "--retry-failed", in_file=False, repeated=False, group=OUTPUT
    )

    def __post_init__(self) -> None:
        for name, option in OPTIONS.items():
            object.__setattr__(self, name, option.checked(name, getattr(self, name)))
        if self.scheduler is not None and self.executor != DASK:
            raise ParameterError(f"A scheduler is for the executor {DASK}: name it too.")

    @property
    def command(self) -> str | None:
        """The command line that makes the same runs; None if there is none, as for objects and labels with spaces."""
        words = ["lcbench", "run"]
        for option in fields(self):
            value, described = getattr(self, option.name), OPTIONS[option.name]
            asked_for = option.name in ("methods", "streams") or value != option.default  # which may hold arrays
            if described.repeated and asked_for:
                try:
                    words += _typed(described, value)
                except _NoWordsError:
                    return None
        return shlex.join(words)


OPTIONS: Mapping[str, Option] = {option.name: option.metadata["option"] for option in fields(Experiment)}


def _items(entries: Any) -> Iterable[Any]:
    return entries.values() if isinstance(entries, Mapping) else entries


def _typed(option: Option, value: Any) -> list[str]:
    """The words of the command line that set an option to a value."""
    if isinstance(value, bool):
        return [option.flags[0] if value else option.flags[1]]
    return [word for text in option.words(value) for word in (option.flags[0], text)]
