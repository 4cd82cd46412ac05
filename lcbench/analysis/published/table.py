"""A table of published figures: the TOML file of a stream, read and checked.

Pydantic is slow to import: import this module only where such a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BeforeValidator, Field, model_validator

from lcbench.analysis.run_scores import AVERAGE
from lcbench.contract.specs import StreamSpec, resolve_params
from lcbench.errors import LcbenchError, ParameterError, PluginError, UnknownNameError, did_you_mean
from lcbench.registry.catalogue import Registry
from lcbench.registry.names import parse_stream_entry
from lcbench.toml_files import Count, Table, Text, read_toml

_FIGURE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:±\s*(\d+(?:\.\d+)?)\s*)?")
_FILLED = Field(min_length=1, description="a table with an entry or more")


class Figure(NamedTuple):
    """A printed figure: its mean, its standard deviation if there is one, and its text as printed."""

    mean: float
    sd: float | None
    text: str


def parse_figure(text: Any) -> Figure:
    """Parse `62.66 ± 0.00`, or `62.66` alone."""
    match = _FIGURE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"{text!r} is not a figure")
    mean, sd = match.groups()
    return Figure(float(mean), None if sd is None else float(sd), " ".join(text.split()))


Row = list[Annotated[Figure, BeforeValidator(parse_figure), Field(description='a text such as "62.66 ± 0.00"')]]


class PublishedMethod(Table):
    """A method of the paper: the entry it is run as, and the parameters that `--full` tunes over their grid `paper`.

    `seconds` is about how long one run takes, to tell the user beforehand how long all will take.
    """

    entry: Text
    seconds: Annotated[float, Field(ge=0, strict=False, description="a number of at least 0")] = 0.0
    grid: list[Text] = Field(default=[])
    note: str = ""


class PublishedProtocol(Table):
    """The paper's stream, as far as it is known, with the orders of tasks and the number of repeats."""

    stream: Text
    order: Text = "random"
    repeats: Count = 10


class PublishedRuntime(Table):
    """The seconds that the paper prints for each method."""

    table: Text
    seconds: Row
    note: str = ""


class Published(Table):
    """A table of a paper, and how it is reproduced.

    `figures` are by metric, then by task of the paper or `average`, one per method in the order of `methods`. `tasks`
    maps the paper's name of each task to ours. `same_data` is false if the paper had other data or another split.
    `closing` is a sentence that is shown last.
    """

    source: Text
    table: Text
    same_data: bool
    notes: list[Text] = Field(default=[])
    closing: str = ""
    protocol: PublishedProtocol
    tasks: Annotated[dict[str, Text], _FILLED]
    methods: Annotated[dict[str, PublishedMethod], _FILLED]
    runtime: PublishedRuntime | None = None
    figures: Annotated[dict[str, dict[str, Row]], _FILLED]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Refuse a table that lacks a row, or a row that does not have one figure per method."""
        wanted = [*self.tasks, AVERAGE]
        for metric, rows in self.figures.items():
            if sorted(rows) != sorted(wanted):
                raise ValueError(f"figures.{metric} needs the rows {', '.join(wanted)}, and has {', '.join(rows)}")
            for task, row in rows.items():
                self._one_each(f"figures.{metric}.{task}", row)
        if self.runtime is not None:
            self._one_each("runtime.seconds", self.runtime.seconds)
        return self

    def _one_each(self, place: str, row: Row) -> None:
        if len(row) != len(self.methods):
            raise ValueError(f"{place} needs a figure for each of {len(self.methods)} methods, and has {len(row)}")

    def column(self, method: str) -> int:
        """The position of a method's figure in every row."""
        return list(self.methods).index(method)

    def figure(self, metric: str, task: str, method: str) -> Figure:
        """The figure that the paper prints for a method on a task, or for the `average`."""
        return self.figures[metric][task][self.column(method)]

    def chosen(self, methods: Mapping[str, PublishedMethod]) -> Self:
        """A copy with some of the methods only, and their figures."""
        columns = [self.column(name) for name in methods]

        def cut(row: Row) -> Row:
            return [row[i] for i in columns]

        figures = {metric: {task: cut(row) for task, row in rows.items()} for metric, rows in self.figures.items()}
        runtime = self.runtime and self.runtime.model_copy(update={"seconds": cut(self.runtime.seconds)})
        return self.model_copy(update={"methods": dict(methods), "figures": figures, "runtime": runtime})


def published_for(name: str, registry: Registry) -> Published:
    """The published figures of a stream; an error that names the streams that have some if it has none."""
    known = [spec.name for spec in registry.streams if spec.published is not None]
    spec = registry.streams.get(name)
    if spec is not None and spec.published is not None:
        return read_published(spec, registry)
    if ":" in name and name.partition(":")[0] in known:
        stream = name.partition(":")[0]
        raise ParameterError(f"Parameters of '{stream}' are part of the paper's protocol: write '{stream}' alone.")
    hint = did_you_mean(name, known) if spec is None and known else ""
    names = f" There are some for {', '.join(known)}." if known and "Did you mean" not in hint else hint
    raise UnknownNameError(f"There are no published figures for '{name}'.{names}")


def read_published(spec: StreamSpec, registry: Registry) -> Published:
    """Read the file that a stream's spec names, and check it against the registered streams and metrics."""
    shown = f"The published figures '{spec.published}' of stream '{spec.name}'"
    package, _, path = (spec.published or "").partition(":")
    try:
        file = resources.files(package).joinpath(path)
    except (ImportError, ValueError):
        raise PluginError(f"{shown}: there is no package '{package}'; write package:path/of/file.toml.") from None
    published = read_toml(file, Published, shown=shown, error=PluginError)
    try:
        _check(published, spec, registry)
    except LcbenchError as error:
        raise PluginError(f"{shown}: {str(error).rstrip('.')}.") from None
    return published


def _check(published: Published, spec: StreamSpec, registry: Registry) -> None:
    """Refuse figures of another stream, of tasks that it does not have, and of metrics not in percent."""
    entry = parse_stream_entry(published.protocol.stream)
    if entry.name != spec.name:
        raise PluginError(f"protocol.stream is '{entry.name}', but the figures are those of '{spec.name}'")
    tasks = {shape.name for shape in spec.shapes(resolve_params(f"Stream '{spec.name}'", spec.params, entry.params))}
    if set(published.tasks.values()) != tasks or len(published.tasks) != len(tasks):
        named = ", ".join(published.tasks.values())
        raise PluginError(f"tasks names {named}, and the stream has {', '.join(sorted(tasks))}")
    for metric in published.figures:
        if not registry.metrics[metric].percent:
            raise PluginError(f"figures.{metric} cannot be compared: only metrics in percent can")
