"""Imports folders into the cache under a name; lists, verifies and removes them.

An import is the folder `imported/NAME/` in the cache, with the files and a description of them. Every start of lcbench
looks there, so this module imports next to nothing until there is an import to read.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.contract.hookspecs import hookimpl
from lcbench.data.sources.locations import imported_folder
from lcbench.errors import DataRefusedError, LcbenchError, OutputError, ParameterError, UnknownNameError, did_you_mean
from lcbench.registry.names import NAME_RULE, is_name

if TYPE_CHECKING:
    from lcbench.contract.specs import StreamSpec
    from lcbench.data.folders.imported_facts import ImportedFacts

logger = logging.getLogger(__name__)


@hookimpl
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """Registers every folder that the user imported, by the same hook as a plugin's streams."""
    for spec in imported_specs():
        register(spec)


def imported_names() -> list[str]:
    """The names of all imports, in alphabetical order."""
    try:
        with os.scandir(imported_folder()) as entries:
            return sorted(entry.name for entry in entries if is_name(entry.name) and entry.is_dir())
    except (OSError, OutputError):
        return []


def imported_specs() -> Iterator[StreamSpec]:
    """The specs of all imports; a damaged import is left out with a warning."""
    for name in imported_names():
        try:
            spec = imported_facts(name).spec()
        except LcbenchError as error:
            logger.warning("%s", error)
        else:
            yield spec


def imported_facts(name: str) -> ImportedFacts:
    """The description of the import of that name; DataRefusedError if it is damaged."""
    from lcbench.data.folders.imported_facts import FACTS_FILE, read_facts

    folder = _existing(name)
    try:
        return read_facts(folder)
    except (OSError, ValueError) as error:
        raise DataRefusedError(
            f"'{folder / FACTS_FILE}' cannot be read ({error}): 'lcbench data remove {name}', then import it again."
        ) from error


def import_folder(name: str, path: str, *, params: Mapping[str, str], taken: Callable[[str], bool]) -> StreamSpec:
    """Copy a folder, or an archive of one, into the cache as stream `name`; `params` become its defaults.

    `taken` is True for names of other streams. All tasks are read before the copy is renamed into place as the last
    step, so an import that fails leaves the cache as it was.
    """
    from lcbench.data.folders.importing import prepare, staging

    _check_name(name, taken)
    with staging(imported_folder()) as stage:
        prepare(name, path, params, stage)
        (stage / name).rename(imported_folder() / name)
    return imported_facts(name).spec()


def verify_imported(name: str) -> bool:
    """True if the files are still those that were imported; the time of the check is kept, or cleared if not."""
    from contextlib import suppress
    from dataclasses import replace

    from lcbench.data.folders.content_hash import content_hash
    from lcbench.data.folders.importing import now
    from lcbench.data.folders.layout import read_layout

    folder = _existing(name)
    try:
        facts = imported_facts(name)
        good = content_hash(read_layout(facts.path, name), cached=False) == facts.content
    except LcbenchError:
        return False
    with suppress(OutputError):  # a cache that may only be read is good all the same
        replace(facts, verified=now() if good else "").write(folder)
    return good


def remove_imported(name: str) -> bool:
    """Remove an import; False if there is none of that name."""
    from lcbench.data.folders.importing import staging

    if name not in imported_names():
        return False
    with staging(imported_folder()) as stage:  # moved away first: an interruption leaves no half-removed import
        (imported_folder() / name).rename(stage / name)
    return True


def _check_name(name: str, taken: Callable[[str], bool]) -> None:
    if not is_name(name):
        raise ParameterError(f"'{name}' cannot be the name of a stream: {NAME_RULE}.")
    if name in imported_names():
        raise ParameterError(f"'{name}' is imported already: 'lcbench data remove {name}' first.")
    if taken(name):
        raise ParameterError(f"There is a stream '{name}' already: choose another name for your data.")


def _existing(name: str) -> Path:
    """The folder of the import of that name; UnknownNameError if there is none."""
    known = imported_names()
    if name not in known:
        raise UnknownNameError(f"Nothing was imported as '{name}'.{did_you_mean(name, known)}")
    return imported_folder() / name
