"""Reads and validates `stream.toml`, a user's settings for a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from lcbench.contract.specs import Param
from lcbench.data.text_parameters import text_params
from lcbench.errors import ParameterError
from lcbench.reading import is_there
from lcbench.registry.names import NAME_RULE, is_name
from lcbench.toml_files import Count, Table, Text, checked_by, read_toml

FILE_NAME = "stream.toml"
WORD_PARAMS = text_params(weighting="tfidf", max_features=5000, idf="pool")
_WORD_PARAM: dict[str, Param] = {param.name: param for param in WORD_PARAMS}


def _check_name(name: str) -> str:
    if not is_name(name):
        raise ValueError(f"{name!r} cannot be used: {NAME_RULE}")
    return name


def _check_encoding(encoding: str) -> str:
    try:
        b"x".decode(encoding)
    except UnicodeError:
        pass  # the encoding exists, though it cannot decode this byte
    except (LookupError, ValueError):
        raise ValueError(f"{encoding!r} is not known: write 'utf-8' or 'latin-1', say") from None
    return encoding


def _check_pattern(pattern: str) -> str:
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError) as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    if compiled.groups > 1:
        raise ValueError(f"{pattern!r} has {compiled.groups} groups: write (?:...) for all but one")
    if compiled.match("") is not None:
        raise ValueError(f"{pattern!r} matches where there is no text: a word has at least one letter")
    return pattern


class TextSettings(Table):
    """`[text]`: settings for turning texts into numbers. Without a `pattern` words are two letters or more."""

    weighting: Annotated[str, checked_by(_WORD_PARAM["weighting"].parse)] = "tfidf"
    max_features: Annotated[int | None, checked_by(_WORD_PARAM["max_features"].parse)] = 5000
    idf: Annotated[str, checked_by(_WORD_PARAM["idf"].parse)] = "pool"
    min_df: Count = 2
    stop_words: Literal["english", "none"] = "english"
    pattern: Annotated[str, AfterValidator(_check_pattern)] | None = None
    encoding: Annotated[str, AfterValidator(_check_encoding)] = "utf-8"


class TaskSettings(Table):
    """One of `[[tasks]]`: its file or folder, and perhaps its name and number of clusters."""

    file: str
    name: Text | None = None
    clusters: Count | None = None


class Settings(Table):
    """All settings of `stream.toml`."""

    name: Annotated[str, AfterValidator(_check_name)] | None = None
    what: str = ""
    source: str = ""
    licence: str = ""
    label: str | None = None
    clusters: Count | None = None
    drop: list[str] = Field(default_factory=list, description="a list of columns")
    tasks: list[TaskSettings] = Field(default_factory=list)
    text: TextSettings | None = None

    @model_validator(mode="after")
    def _label_is_not_dropped(self) -> Any:
        if self.label is not None and self.label in self.drop:
            raise ValueError(f"label and drop both name the column {self.label!r}")
        return self


def read_settings(folder: Path, shown: str) -> Settings:
    """Read `stream.toml` in the folder, which messages call `shown`; the defaults if there is none."""
    file = folder / FILE_NAME
    if not is_there(file):
        return Settings()
    return read_toml(file, Settings, shown=f"{shown}/{FILE_NAME}", error=ParameterError)
