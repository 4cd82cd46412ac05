"""Reads suites, which freeze streams and how they are run, and makes experiments of them.

Pydantic is slow to import: import this module only where a suite is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from lcbench.contract.hashing import content_id
from lcbench.contract.specs import SuiteSpec
from lcbench.errors import LcbenchError, SuiteError, did_you_mean
from lcbench.experiment.limits import DURATION_RULE, SIZE_RULE, parse_duration, parse_size
from lcbench.experiment.options import Experiment
from lcbench.experiment.orders import ORDERS, Order, plan_orders
from lcbench.experiment.resolving import configured_streams
from lcbench.printable import counted
from lcbench.records.record import parse_evaluate
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import metric_key
from lcbench.registry.names import NAME_RULE, format_entry, is_name
from lcbench.running.planned_run import ConfiguredStream
from lcbench.toml_files import Count, Table, Text, checked_by, read_toml

SHORT_DIGEST = 12
_FILLED = Field(min_length=1, description="a list with an entry or more")


def _name(value: Any) -> Any:
    if isinstance(value, str) and not is_name(value):
        raise SuiteError(NAME_RULE)
    return value


def _parsed_by(parse: Callable[[str], Any]) -> Any:
    """Refuses a text that a function cannot parse, and keeps any other as it is."""

    def check(value: Any) -> Any:
        if isinstance(value, str):
            parse(value)
        return value

    return checked_by(check)


Name = Annotated[str, checked_by(_name), Field(description=f"a name ({NAME_RULE})")]


class Budget(Table):
    """The time and the memory that each run may take; one that needs more has failed."""

    time: Annotated[str, _parsed_by(parse_duration), Field(description=DURATION_RULE)]
    memory: Annotated[str, _parsed_by(parse_size), Field(description=SIZE_RULE)]


class SuiteStream(Table):
    """A stream with its digest and all of its parameters, the order of its tasks, and the number of repeats.

    `label` is its name in tables, needed where a suite has a stream twice; `purpose` says what the stream is there for.
    """

    stream: Name
    label: Name | None = None
    params: Annotated[dict[str, Any], Field(description="a table with every parameter of the stream")]
    digest: Text
    tasks: Count
    order: Annotated[str, Field(pattern=f"^({'|'.join(ORDERS)})$", description=f"one of {', '.join(ORDERS)}")]
    repeats: Count
    purpose: Annotated[str, Field(description="a text")] = ""

    @property
    def shown(self) -> str:
        """The name of the stream in tables."""
        return self.label or self.stream

    @property
    def entry(self) -> str:
        """The stream with all of its parameters, as a user would type it."""
        return format_entry(self.stream, self.params)


class Quick(Table):
    """The quick version of a suite: some of its streams, each with the first of its repeats.

    Its runs are runs of the whole suite, which does not make them again.
    """

    streams: Annotated[list[Text], _FILLED]
    repeats: Count
    minutes: Count


class SuiteFile(Table):
    """The content of a suite's file. `minutes` are about those of an ordinary method on two cores."""

    name: Name
    about: Text
    seed: Annotated[int, Field(ge=0, description="a whole number of at least 0")]
    metrics: Annotated[list[Text], _FILLED]
    evaluate: Annotated[str, _parsed_by(parse_evaluate), Field(description="all, last or every:N with N of at least 1")]
    solo: bool
    sealed: bool
    minutes: Count
    budget: Budget
    quick: Quick
    streams: Annotated[list[SuiteStream], _FILLED]

    @model_validator(mode="after")
    def _fits(self) -> Self:
        """Refuse two streams of one name, and a quick version that is no part of the suite."""
        repeats: dict[str, int] = {}
        for stream in self.streams:
            if stream.shown in repeats:
                raise ValueError(f"two streams are called '{stream.shown}': give one of them a label")
            repeats[stream.shown] = stream.repeats
        for name in self.quick.streams:
            if name not in repeats:
                raise ValueError(f"quick.streams: there is no stream '{name}'.{did_you_mean(name, repeats)}")
            if self.quick.repeats > repeats[name]:
                raise ValueError(f"quick.repeats is {self.quick.repeats}, and '{name}' has {repeats[name]}")
        return self


@dataclass(frozen=True)
class Suite:
    """A suite that was read, or with `quick` its quick version."""

    file: SuiteFile
    quick: bool = False

    @property
    def name(self) -> str:
        """The name of the suite, the same for its quick version."""
        return self.file.name

    @cached_property
    def digest(self) -> str:
        """A SHA-256 of what the file says, comments and layout aside: it never changes."""
        return content_id(self.file.model_dump(mode="json", exclude_unset=True))

    @property
    def tag(self) -> str:
        """The name under which runs belong to the suite: its own, and the start of its digest."""
        return f"{self.name}@{self.digest[:SHORT_DIGEST]}"

    @cached_property
    def streams(self) -> list[SuiteStream]:
        """The streams to run, with their number of repeats."""
        if not self.quick:
            return self.file.streams
        quick, by_name = self.file.quick, {stream.shown: stream for stream in self.file.streams}
        return [by_name[name].model_copy(update={"repeats": quick.repeats}) for name in quick.streams]

    @property
    def metrics(self) -> list[str]:
        """The keys of the metrics that every run is scored by."""
        return [metric_key(name, plugin_host().registry) for name in self.file.metrics]

    @property
    def seconds(self) -> float:
        """The seconds that a run may take."""
        return parse_duration(self.file.budget.time)

    @property
    def bytes(self) -> int:
        """The bytes of memory that a run may take."""
        return parse_size(self.file.budget.memory)

    def configured(self) -> list[ConfiguredStream]:
        """The installed streams that the suite names; SuiteError if one is not that of the suite."""
        return [self._checked(stream) for stream in self.streams]

    def orders(self, stream: SuiteStream, tasks: Sequence[str]) -> list[tuple[int, Order]]:
        """The repeat and the order of each run of a method on a stream that has these tasks."""
        named = {"repeats": stream.repeats, "seed": self.file.seed, "stream": stream.stream}
        return plan_orders(stream.order, tasks, **named)  # type: ignore[arg-type]

    def experiments(self, methods: Any, **how: Any) -> list[Experiment]:
        """The experiments that run methods on the suite, one for all streams with the same kind and number of orders.

        `how` are options that do not change the runs.
        """
        self.configured()
        groups: dict[tuple[str, int], dict[str, str]] = {}
        for stream in self.streams:
            groups.setdefault((stream.order, stream.repeats), {})[stream.shown] = stream.entry
        file = self.file
        facts = {
            "methods": methods, "seed": file.seed, "metrics": file.metrics, "evaluate": file.evaluate,
            "solo": file.solo, "baselines": False, "name": self.tag, "timeout": file.budget.time,
            "memory_limit": file.budget.memory,
        }  # fmt: skip
        how["sealed"] = file.sealed or how.get("sealed", False)
        return [
            Experiment(**facts, **how, streams=streams, order=order, repeats=repeats)
            for (order, repeats), streams in groups.items()
        ]

    def _checked(self, wanted: SuiteStream) -> ConfiguredStream:
        """The installed stream; SuiteError if its parameters, its digest or its tasks are not those of the suite."""
        try:
            (found,) = configured_streams({wanted.shown: wanted.entry})
        except LcbenchError as error:
            raise SuiteError(f"Suite '{self.name}' cannot be run here: {error}") from None
        source = plugin_host().registry.streams.source(wanted.stream)
        here = f"stream '{wanted.stream}' of {source} {source.version}"
        unset = [name for name in found.params if name not in wanted.params]
        fault = ""
        if unset:
            fault = f"{here} takes {', '.join(unset)}, which the suite does not set"
        elif found.digest != wanted.digest:
            fault = f"{here} has the digest {found.digest!r}, and the suite {wanted.digest!r}"
        elif len(found.task_names) != wanted.tasks:
            fault = f"{here} has {counted(len(found.task_names), 'task')}, and the suite {wanted.tasks}"
        if fault:
            raise SuiteError(
                f"Suite '{self.name}' cannot be run here: {fault}. Scores would not compare: install the version that "
                "the suite was made for."
            )
        return found


def read_suite(name: str, *, quick: bool = False) -> Suite:
    """The registered suite of a name, or its quick version; SuiteError with a line for every fault of its file."""
    return suite_of(plugin_host().registry.suites[name], quick=quick)


def suite_of(spec: SuiteSpec, *, quick: bool = False) -> Suite:
    """The suite of a spec; SuiteError with a line for every fault of its file."""
    shown = f"The file '{Path(spec.file).name}' of suite '{spec.name}'"
    file = read_toml(spec.file, SuiteFile, shown=shown, error=SuiteError)
    if file.name != spec.name:
        raise SuiteError(f"{shown}: name is '{file.name}', and the suite is registered as '{spec.name}'.")
    try:
        metrics = [metric_key(each, plugin_host().registry) for each in file.metrics]
    except LcbenchError as error:
        raise SuiteError(f"{shown}: metrics: {error}") from None
    if len(set(metrics)) < len(metrics):
        raise SuiteError(f"{shown}: metrics names one of them twice.")
    return Suite(file, quick)
