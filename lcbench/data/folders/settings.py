"""Reads and validates `stream.toml`, a user's settings for a folder.

The classes list the settings. Pydantic checks the file against them, and is imported only if there is a file.
"""

from __future__ import annotations

import json
import re
import reprlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Literal

from lcbench.data.folders.stream_spec import IDF, MAX_FEATURES, WEIGHTING
from lcbench.data.text.parameters import text_params
from lcbench.errors import ParameterError, did_you_mean
from lcbench.registry.names import NAME_RULE, is_name

FILE_NAME = "stream.toml"
_STRICT = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class TextSettings:
    """`[text]`: settings for turning texts into numbers. Without a `pattern` words are two letters or more."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT

    weighting: str = WEIGHTING
    max_features: Any = MAX_FEATURES  # a number, or "none": `text_params` checks it
    idf: str = IDF
    min_df: int = 2
    stop_words: Literal["english", "none"] = "english"
    pattern: str | None = None
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        try:
            text_params(weighting=self.weighting, max_features=self.max_features, idf=self.idf)
        except ParameterError as error:
            raise ValueError(str(error)) from None
        _check_count("min_df", self.min_df)
        if self.pattern is not None:
            _check_pattern(self.pattern)
        _check_encoding(self.encoding)


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """One of `[[tasks]]`: its file or folder, and perhaps its name and number of clusters."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT

    file: str
    name: str | None = None
    clusters: int | None = None

    def __post_init__(self) -> None:
        _check_count("clusters", self.clusters)
        if self.name is not None and not self.name.strip():
            raise ValueError("name is empty")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of `stream.toml`."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = _STRICT

    name: str | None = None
    what: str = ""
    source: str = ""
    licence: str = ""
    label: str | None = None
    clusters: int | None = None
    drop: tuple[str, ...] = ()
    tasks: tuple[TaskSettings, ...] = ()
    text: TextSettings | None = None

    def __post_init__(self) -> None:
        _check_count("clusters", self.clusters)
        if self.name is not None and not is_name(self.name):
            raise ValueError(f"name {self.name!r} cannot be used: {NAME_RULE}")
        if self.label is not None and self.label in self.drop:
            raise ValueError(f"label and drop both name the column {self.label!r}")


def read_settings(folder: Path, shown: str) -> Settings:
    """Read `stream.toml` in the folder; the defaults if there is none."""
    table = _read_table(folder / FILE_NAME, f"{shown}/{FILE_NAME}")
    if table is None:
        return Settings()

    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(Settings).validate_json(json.dumps(table, default=str))
    except ValidationError as error:
        raise ParameterError(f"'{shown}/{FILE_NAME}' {_fault(error.errors(include_url=False))}") from None


def _read_table(file: Path, shown: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ParameterError(f"'{shown}' cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ParameterError(f"'{shown}' is not UTF-8 text: save it as UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ParameterError(f"'{shown}' is not valid TOML: {error}.") from error


def _fault(errors: Sequence[Any]) -> str:
    """The first fault that pydantic found, in words. A misspelt key comes before the key that is missing for it."""
    unknown = next((e for e in errors if e["type"] == "unexpected_keyword_argument"), None)
    error = unknown or errors[0]
    place = ".".join(str(part + 1) if isinstance(part, int) else part for part in error["loc"])
    if unknown is not None:
        owner = {"text": TextSettings, "tasks": TaskSettings}.get(error["loc"][0], Settings)
        known = fields(owner if len(error["loc"]) > 1 else Settings)
        return f"has no setting '{place}'.{did_you_mean(error['loc'][-1], [f.name for f in known])}"
    if error["type"] == "missing":
        return f"lacks '{place}'."
    if error["type"] == "value_error":
        reason = error["msg"].removeprefix("Value error, ")
        return f"cannot be used: {place}: {reason}." if place else f"cannot be used: {reason}."
    reason = error["msg"].removeprefix("Input ")
    return f"cannot be used: '{place}' {reason}, not {reprlib.repr(error['input'])}."


def _check_count(name: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise ValueError(f"{name} takes a whole number of at least 1, not {value}")


def _check_encoding(encoding: str) -> None:
    try:
        b"x".decode(encoding)
    except UnicodeError:
        pass  # the encoding exists, though it cannot decode this byte
    except (LookupError, ValueError):
        raise ValueError(f"encoding {encoding!r} is not known: write 'utf-8' or 'latin-1', say") from None


def _check_pattern(pattern: str) -> None:
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError) as error:
        raise ValueError(f"pattern {pattern!r} is no regular expression: {error}") from None
    if compiled.groups > 1:
        raise ValueError(f"pattern {pattern!r} has {compiled.groups} groups: write (?:...) for all but one")
    if compiled.match("") is not None:
        raise ValueError(f"pattern {pattern!r} matches where there is no text: a word has at least one letter")
