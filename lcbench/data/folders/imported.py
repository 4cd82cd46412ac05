"""Imports folders: copies them into the cache, where they are streams with a name.

An import is the folder `imported/NAME/` in the cache, with a copy of the files in `stream/` and `imported.json`.
"""

from __future__ import annotations

import json
import logging
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from lcbench.contract.hookspecs import hookimpl
from lcbench.contract.specs import StreamSpec, resolve_params
from lcbench.data.folders.folder_spec import folder_spec, layout_spec
from lcbench.data.folders.layout import read_layout
from lcbench.data.folders.settings import FILE_NAME
from lcbench.data.sources.locations import cache_folder, make_folder
from lcbench.errors import DataRefusedError, LcbenchError, OutputError, ParameterError
from lcbench.registry.names import NAME_RULE, is_name

logger = logging.getLogger(__name__)
FACTS_FILE, FILES_FOLDER = "imported.json", "stream"


class Imported(NamedTuple):
    """Facts about an import: the path it was copied from, and the defaults of its parameters."""

    origin: str
    params: dict[str, Any]


@hookimpl
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """Registers every import, by the same hook as a plugin's streams; a damaged one costs a warning."""
    for name in imported_names():
        try:
            spec = imported_spec(name)
        except LcbenchError as error:
            logger.warning("'%s' was left out: %s", name, error)
        else:
            register(spec)


def imported_names() -> list[str]:
    """The names of all imports, in alphabetical order."""
    try:
        return sorted(path.name for path in imports_folder().iterdir() if is_name(path.name) and path.is_dir())
    except (OSError, OutputError):
        return []


def imports_folder() -> Path:
    """The folder of all imports; it exists only if there were any."""
    return cache_folder() / "imported"


def imported_spec(name: str) -> StreamSpec:
    """The spec of the stream that was imported as `name`."""
    facts = read_facts(name)
    layout = read_layout(imports_folder() / name / FILES_FOLDER, name)
    return layout_spec(layout, name, source=facts.origin, defaults=facts.params)


def read_facts(name: str) -> Imported:
    """The facts about the import of that name; DataRefusedError if they are damaged."""
    file = imports_folder() / name / FACTS_FILE
    try:
        facts = json.loads(file.read_bytes())
        return Imported(str(facts["origin"]), dict(facts["params"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DataRefusedError(
            f"'{file}' cannot be read ({error}): 'lcbench data remove {name}', then import it again."
        ) from error


def import_folder(name: str, path: str, *, params: Mapping[str, str], taken: Callable[[str], bool]) -> None:
    """Copy a folder into the cache as stream `name`; `params` become its defaults.

    `taken` is True for names of other streams. All tasks are read before the copy is renamed into place as the last
    step, so an import that fails leaves the cache as it was.
    """
    from lcbench.data.folders.stream import FolderStream

    if not is_name(name):
        raise ParameterError(f"'{name}' cannot be the name of a stream: {NAME_RULE}.")
    if name in imported_names():
        raise ParameterError(f"'{name}' is imported already: 'lcbench data remove {name}' first.")
    if taken(name):
        raise ParameterError(f"There is a stream '{name}' already: choose another name for your data.")
    spec = folder_spec(path)
    given = resolve_params(f"Stream '{name}'", spec.params, params)
    FolderStream(**spec.fixed, **given).tasks()
    source = Path(spec.fixed["folder"])
    make_folder(imports_folder())
    try:
        with tempfile.TemporaryDirectory(prefix=".staging-", dir=imports_folder()) as stage:
            copy = Path(stage, name)
            for file in (*read_layout(source, path).files, FILE_NAME):
                if file != FILE_NAME or (source / file).is_file():
                    (copy / FILES_FOLDER / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(source / file, copy / FILES_FOLDER / file)
            (copy / FACTS_FILE).write_text(json.dumps(Imported(str(source), given)._asdict()))
            copy.rename(imports_folder() / name)
    except OSError as error:
        raise OutputError(f"'{error.filename}' could not be copied ({error.strerror or error}).") from error


def remove_imported(name: str) -> None:
    """Remove the import of that name."""
    shutil.rmtree(imports_folder() / name)
