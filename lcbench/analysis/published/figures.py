"""The model of a TOML file of published figures, validated by pydantic.

Pydantic is slow to import: import this module only where such a file is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

AVERAGE = "average"
_FIGURE = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:±\s*(\d+(?:\.\d+)?)\s*)?")


class Figure(NamedTuple):
    """A printed figure: its mean, its standard deviation if there is one, and its text as printed."""

    mean: float
    sd: float | None
    text: str


def parse_figure(text: Any) -> Figure:
    """Parse `62.66 ± 0.00`, or `62.66` alone."""
    match = _FIGURE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f'a figure is a text such as "62.66 ± 0.00", not {text!r}')
    mean, sd = match.groups()
    return Figure(float(mean), None if sd is None else float(sd), " ".join(text.split()))


Text = Annotated[str, StringConstraints(pattern=r"\S")]
Row = list[Annotated[Figure, BeforeValidator(parse_figure)]]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PublishedMethod(_Part):
    """A method of the paper: the entry it is run as, and the parameters that `--full` tunes over their grid `paper`.

    `seconds` is about how long one run takes, to tell the user beforehand how long all will take.
    """

    entry: Text
    seconds: Annotated[float, Field(ge=0, strict=False)] = 0.0
    grid: list[Text] = []
    note: str = ""


class PublishedProtocol(_Part):
    """The paper's stream, as far as it is known, with the orders of tasks and the number of repeats."""

    stream: Text
    order: Text = "random"
    repeats: Annotated[int, Field(ge=1)] = 10


class PublishedRuntime(_Part):
    """The seconds that the paper prints for each method."""

    table: Text
    seconds: Row
    note: str = ""


class Published(_Part):
    """A table of a paper, and how it is reproduced.

    `figures` are by metric, then by task of the paper or `average`, one per method in the order of `methods`. `tasks`
    maps the paper's name of each task to ours. `same_data` is false if the paper had other data or another split.
    `closing` is a sentence that is shown last.
    """

    source: Text
    table: Text
    same_data: bool
    notes: list[Text] = []
    closing: str = ""
    protocol: PublishedProtocol
    tasks: Annotated[dict[str, Text], Field(min_length=1)]
    methods: Annotated[dict[str, PublishedMethod], Field(min_length=1)]
    runtime: PublishedRuntime | None = None
    figures: Annotated[dict[str, dict[str, Row]], Field(min_length=1)]

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
