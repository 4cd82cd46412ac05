"""Reads an experiment from a TOML file, as in `lcbench run paper.toml`."""

from __future__ import annotations

from functools import partial
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

from lcbench.errors import ExperimentFileError, ParameterError
from lcbench.experiment.options import OPTIONS
from lcbench.registry.names import parse_stream_entry


def read_experiment_file(path: str | PathLike[str]) -> dict[str, Any]:
    """The options that a TOML file sets, checked; raises ExperimentFileError with a line for every fault.

    Paths in the file are relative to its own folder.
    """
    from pydantic import Field, create_model

    from lcbench.toml_files import Table, checked_by, read_toml

    keys: dict[str, Any] = {
        name: (Annotated[Any, checked_by(partial(option.checked, name)), Field(description=option.rule)], None)
        for name, option in OPTIONS.items()
        if option.in_file
    }
    path = Path(path)
    said = read_toml(path, create_model("ExperimentTable", __base__=Table, **keys), error=ExperimentFileError)
    found = {name: getattr(said, name) for name in said.model_fields_set}
    if "results" in found:
        found["results"] = path.parent / Path(found["results"]).expanduser()
    if "plugins" in found:
        found["plugins"] = [str(path.parent.absolute() / Path(file).expanduser()) for file in found["plugins"]]
    if "streams" in found:
        try:
            found["streams"] = _placed(found["streams"], path.parent.absolute())
        except ParameterError as error:
            raise ExperimentFileError(f"{path}: streams: {error}") from None
    return found


def _placed(streams: Any, folder: Path) -> Any:
    """The streams, with folders as absolute paths: they are relative to the experiment file."""
    if isinstance(streams, dict):
        return {alias: _placed_entry(text, folder) for alias, text in streams.items()}
    return [_placed_entry(text, folder) for text in streams]


def _placed_entry(text: str, folder: Path) -> str:
    entry = parse_stream_entry(text)
    if not entry.is_path:
        return text
    start = "" if entry.alias is None else f"{entry.alias}="
    placed = folder / Path(entry.name).expanduser()
    return f"{start}{placed}{text.strip()[len(start) + len(entry.name) :]}"
