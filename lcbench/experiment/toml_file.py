"""Reads an experiment from a TOML file, as in `lcbench run paper.toml`."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

from lcbench.errors import ExperimentFileError, ParameterError, did_you_mean
from lcbench.experiment.limits import DURATION_RULE, SIZE_RULE
from lcbench.experiment.tuning import NONE, PROTOCOLS
from lcbench.registry.names import parse_stream_entry

_COUNT = "a whole number of at least 1"
_ENTRIES = "a text, a list of texts, or a table of names with a text each"
_TEXTS = "a text or a list of texts"
_RULES = {
    "methods": _ENTRIES, "streams": _ENTRIES, "metrics": _TEXTS, "audit": _TEXTS,
    "order": "fixed, random, all, leave-one-out, or a list of task names",
    "repeats": _COUNT, "threads": _COUNT, "jobs": _COUNT, "seed": "a whole number of at least 0",
    "evaluate": "all, last or every:N with N of at least 1",
    "future": "true or false", "baselines": "true or false",
    "grid": "tables such as [grid.l2sc]", "tune": f"one of {', '.join((NONE, *PROTOCOLS))}",
    "tune_metric": "the name of a metric", "results": "the name of a folder",
    "timeout": DURATION_RULE, "memory_limit": SIZE_RULE,
}  # fmt: skip
_GRID_RULES = {2: "a table of parameters", 3: "a list of values or the name of a grid"}
_LONGEST = 60  # characters of a value quoted in a message


@dataclass(frozen=True, slots=True)
class ExperimentFile:
    """The content of an experiment file; None for keys it does not have. Its paths are relative to its own folder."""

    path: Path
    methods: list[str] | dict[str, str] | None = None
    streams: list[str] | dict[str, str] | None = None
    order: str | list[str] | None = None
    repeats: int | None = None
    seed: int | None = None
    metrics: list[str] | None = None
    evaluate: str | None = None
    future: bool | None = None
    baselines: bool | None = None
    threads: int | None = None
    grid: dict[str, dict[str, Any]] | None = None
    tune: str | None = None
    tune_metric: str | None = None
    jobs: int | None = None
    timeout: float | None = None
    memory_limit: int | None = None
    audit: list[str] | None = None
    results: Path | None = None


def read_experiment_file(path: str | PathLike[str]) -> ExperimentFile:
    """Reads and checks a TOML file; raises ExperimentFileError with a line for every fault."""
    path = Path(path)
    content = _content(path)

    from pydantic import ValidationError

    from lcbench.experiment.toml_model import ExperimentModel

    try:
        model = ExperimentModel.model_validate(content)
    except ValidationError as error:
        faults = _faults(error.errors(include_url=False), content)
        raise ExperimentFileError("\n".join(f"{path}: {fault}" for fault in faults)) from None
    said = {name: getattr(model, name) for name in ExperimentModel.model_fields}
    if said["results"] is not None:
        said["results"] = path.parent / Path(said["results"]).expanduser()
    said["streams"] = _placed(said["streams"], path)
    return ExperimentFile(path=path, **said)


def _content(path: Path) -> dict[str, Any]:
    """The parsed TOML of a file, not checked yet."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ExperimentFileError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise ExperimentFileError(f"{path}: this is a folder; name the file in it.") from None
    except OSError as error:
        raise ExperimentFileError(f"{path}: it cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise ExperimentFileError(f"{path}: it is not UTF-8 text; save it as UTF-8.") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExperimentFileError(_syntax_error(path, str(error), text)) from None
    except RecursionError:
        raise ExperimentFileError(f"{path}: its lists are nested too deeply.") from None


def _syntax_error(path: Path, message: str, text: str) -> str:
    """The message of the TOML parser, with the file and the line in front."""
    match = re.fullmatch(r"(?P<what>.*) \(at (?:line (?P<line>\d+), column \d+|end of document)\)", message, re.DOTALL)
    if match is None:
        return f"{path}: it is not TOML: {message}."
    line = match["line"] or text.count("\n") + (not text.endswith("\n"))
    return f"{path}, line {line}: {match['what']}."


def _placed(streams: Any, path: Path) -> Any:
    """The streams, with folders as absolute paths: they are relative to the experiment file."""
    if streams is None:
        return None
    try:
        if isinstance(streams, dict):
            return {alias: _placed_entry(text, path.parent) for alias, text in streams.items()}
        return [_placed_entry(text, path.parent) for text in streams]
    except ParameterError as error:
        raise ExperimentFileError(f"{path}: streams: {error}") from None


def _placed_entry(text: str, folder: Path) -> str:
    entry = parse_stream_entry(text)
    if not entry.is_path:
        return text
    start = "" if entry.alias is None else f"{entry.alias}="
    placed = folder.absolute() / Path(entry.name).expanduser()
    return f"{start}{placed}{text.strip()[len(start) + len(entry.name) :]}"


def _faults(errors: Sequence[Any], content: Mapping[str, Any]) -> list[str]:
    """A sentence for each wrong field, in the order of the file."""
    found: dict[tuple[Any, ...], str] = {}
    for error in errors:
        place = error["loc"][: 3 if error["loc"][0] == "grid" else 1]
        found.setdefault(place, _fault(place, error["type"], content))
    order = list(content)
    return [found[place] for place in sorted(found, key=lambda place: order.index(place[0]))]


def _fault(place: tuple[Any, ...], kind: str, content: Mapping[str, Any]) -> str:
    name = ".".join(map(str, place))
    if kind == "extra_forbidden":
        known = [field.name for field in fields(ExperimentFile) if field.name != "path"]
        return f"there is no setting '{name}'.{did_you_mean(name, known)}"
    value: Any = content
    for part in place:
        value = value[part]
    rule = _RULES[name] if len(place) == 1 else _GRID_RULES[len(place)]
    return f"{name} must be {rule}, not {_shown(value)}."


def _shown(value: Any) -> str:
    """A value about as TOML writes it, shortened."""
    text = repr(value) if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
