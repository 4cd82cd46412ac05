"""The keys and values that an experiment's TOML file may hold, as a pydantic model.

It is imported only when there is a file to check: importing pydantic takes long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from lcbench.errors import ParameterError
from lcbench.experiment.limits import parse_duration, parse_size
from lcbench.experiment.tuning import check_protocol
from lcbench.records.record import parse_evaluate


def _parsed_by(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A pydantic validator that returns `parse(value)`; a ParameterError becomes the ValueError pydantic expects."""

    def validate(value: Any) -> Any:
        try:
            return parse(value)
        except ParameterError as error:
            raise ValueError(str(error)) from None

    return validate


def _checked_by(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A pydantic validator that returns the value unchanged if `check` accepts it."""

    def validate(value: Any) -> Any:
        _parsed_by(check)(value)
        return value

    return validate


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, StringConstraints(pattern=r"\S")]
Texts = Annotated[list[Text], BeforeValidator(_as_list), Field(min_length=1)]
Entries = Annotated[list[Text] | dict[Text, Text], BeforeValidator(_as_list), Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
GridValue = bool | int | float | str | list[int]


class ExperimentModel(BaseModel):
    """The keys of an experiment file, all of them optional."""

    model_config = ConfigDict(extra="forbid", strict=True)

    methods: Entries | None = None
    streams: Entries | None = None
    order: Text | Annotated[list[Text], Field(min_length=1)] | None = None
    repeats: Count | None = None
    seed: Annotated[int, Field(ge=0)] | None = None
    metrics: Texts | None = None
    evaluate: Annotated[str, AfterValidator(_checked_by(parse_evaluate))] | None = None
    future: bool | None = None
    baselines: bool | None = None
    threads: Count | None = None
    grid: dict[str, dict[str, Annotated[list[GridValue], Field(min_length=1)] | Text]] | None = None
    tune: Annotated[str, AfterValidator(_checked_by(check_protocol))] | None = None
    tune_metric: Text | None = None
    jobs: Count | None = None
    timeout: Annotated[float, BeforeValidator(_parsed_by(parse_duration))] | None = None
    memory_limit: Annotated[int, BeforeValidator(_parsed_by(parse_size))] | None = None
    audit: Texts | None = None
    results: Text | None = None
