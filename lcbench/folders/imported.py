"""A user's own data under a name, kept in the cache: `imported/NAME/` with the files and what is known about them."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.errors import DataRefusedError, LcbenchError, OutputError, ParameterError, UnknownNameError, did_you_mean
from lcbench.folders.digest import content_hash
from lcbench.folders.facts import FACTS_FILE, FILES_FOLDER, ImportedFacts, read_facts
from lcbench.folders.layout import read_layout
from lcbench.folders.listing import SUFFIXES, TEXT_SUFFIX, suffix_of
from lcbench.folders.naming import NAME_RULE, is_name
from lcbench.folders.parameters import layout_params
from lcbench.folders.spec import absolute, layout_card, summary
from lcbench.sources.locations import cache_folder
from lcbench.specs import StreamSpec, TaskShape, resolve_params

if TYPE_CHECKING:
    from lcbench.task import LabelledTask

logger = logging.getLogger(__name__)


def imported_names() -> list[str]:
    """The names of all that was imported, in alphabetical order."""
    try:
        with os.scandir(_root()) as entries:
            return sorted(entry.name for entry in entries if is_name(entry.name) and entry.is_dir())
    except OSError:
        return []


def imported_specs() -> Iterator[StreamSpec]:
    """The streams of all that was imported; one that is damaged costs a warning."""
    for name in imported_names():
        try:
            yield read_facts(_root() / name).spec()
        except (OSError, ValueError, LcbenchError) as error:
            logger.warning(
                "'%s' cannot be read (%s): 'lcbench data remove %s', then import it again.",
                _root() / name / FACTS_FILE, error, name,
            )  # fmt: skip


def imported_facts(name: str) -> ImportedFacts:
    """What is known about the import of that name; DataRefusedError if that is damaged."""
    folder = _existing(name)
    try:
        return read_facts(folder)
    except (OSError, ValueError) as error:
        raise DataRefusedError(
            f"'{folder / FACTS_FILE}' cannot be read ({error}): 'lcbench data remove {name}', then import it again."
        ) from error


def import_folder(name: str, path: str, *, params: Mapping[str, str], taken: Callable[[str], bool]) -> StreamSpec:
    """Take a copy of a folder, or of an archive of one, once it was read whole; `params` become the defaults.

    It gets its name as the last step: what fails before leaves the cache as it was.
    """
    _check_name(name, taken)
    home = _root() / name
    with _staging() as stage:
        facts = _prepare(name, path, params, stage)
        (stage / name).rename(home)
    return replace(facts, path=home / FILES_FOLDER).spec()


def verify_imported(name: str) -> bool:
    """Whether the files are still those that were imported; if so, that is written down."""
    folder = _existing(name)
    try:
        facts = read_facts(folder)
        good = content_hash(read_layout(facts.path, name), cached=False) == facts.content
    except (OSError, ValueError, LcbenchError):
        return False
    if good:
        replace(facts, verified=_now()).write(folder)
    return good


def remove_imported(name: str) -> bool:
    """Remove an import; False if there is none of that name."""
    if name not in imported_names():
        return False
    with _staging() as stage:  # gone as a whole, whatever happens while its files are removed
        (_root() / name).rename(stage / name)
    return True


def _prepare(name: str, path: str, params: Mapping[str, str], stage: Path) -> ImportedFacts:
    """Put the import together in the staging folder, and read it whole from there."""
    from lcbench.folders.stream import FolderStream
    from lcbench.folders.unpacking import copy_files, unpack

    source = absolute(path)
    is_archive = source.is_file() and suffix_of(source.name) not in (*SUFFIXES, TEXT_SUFFIX)
    found = read_layout(unpack(source, stage / "archive") if is_archive else source, path)
    given = resolve_params(f"Stream '{name}'", layout_params(found), params)
    files = stage / name / FILES_FOLDER
    size = copy_files(found, files)
    layout = read_layout(files, path)
    tasks = FolderStream(folder=str(files), name=name, shown=path, **given).tasks()
    facts = ImportedFacts(
        name=name, path=files, origin=str(source), kind=layout.kind, params=given,
        tasks=tuple(map(_shape, tasks)), content=content_hash(layout, cached=False), bytes=size,
        imported=_now(), verified=_now(), summary=summary(layout), card=layout_card(layout, str(source)),
    )  # fmt: skip
    facts.write(stage / name)
    return facts


def _shape(labelled: LabelledTask) -> TaskShape:
    task, y = labelled.task, labelled.y
    counts = [] if y is None else [int((y == code).sum()) for code in range(len(labelled.classes))]
    classes = tuple(zip(labelled.classes, counts, strict=True))
    return TaskShape(task.name, task.n_samples, task.n_features, task.n_clusters, classes)


def _check_name(name: str, taken: Callable[[str], bool]) -> None:
    if not is_name(name):
        raise ParameterError(f"'{name}' cannot be the name of a stream: {NAME_RULE}.")
    if name in imported_names():
        raise ParameterError(f"'{name}' is imported already: 'lcbench data remove {name}' first.")
    if taken(name):
        raise ParameterError(f"There is a stream '{name}' already: choose another name for your data.")


def _existing(name: str) -> Path:
    known = imported_names()
    if name not in known:
        raise UnknownNameError(f"Nothing was imported as '{name}'.{did_you_mean(name, known)}")
    return _root() / name


def _root() -> Path:
    return cache_folder() / "imported"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@contextmanager
def _staging() -> Iterator[Path]:
    """A folder beside the imports that is gone in the end; what cannot be written there is said in one sentence."""
    root = _root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=".staging-", dir=root))
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"'{error.filename or root}' could not be written ({error.strerror or error}).") from error
    finally:
        with suppress(OSError):
            root.rmdir()  # if there is nothing in it
