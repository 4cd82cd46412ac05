"""Prepares an import in a temporary folder: copies files or unpacks an archive.

The temporary folder is beside the imports in the cache; an import is renamed into place when it is complete.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from lcbench.contract.specs import resolve_params
from lcbench.data.folders.content_hash import content_hash
from lcbench.data.folders.folder_spec import absolute, layout_card, summary
from lcbench.data.folders.imported_facts import FILES_FOLDER, ImportedFacts
from lcbench.data.folders.layout import Layout, read_layout
from lcbench.data.folders.listing import SUFFIXES, TEXT_SUFFIX, suffix_of
from lcbench.data.folders.settings import FILE_NAME
from lcbench.data.folders.stream import FolderStream
from lcbench.data.folders.stream_spec import layout_params
from lcbench.data.sources.archives import members
from lcbench.errors import DataRefusedError, InvalidTaskError, OutputError

logger = logging.getLogger(__name__)
OLD = 24 * 3600  # seconds; no import takes that long


def prepare(name: str, path: str, params: Mapping[str, str], stage: Path) -> ImportedFacts:
    """Copy a folder or archive to `stage/NAME`, load all its tasks from there, and write their description."""
    source = absolute(path)
    is_archive = source.is_file() and suffix_of(source.name) not in (*SUFFIXES, TEXT_SUFFIX)
    found = read_layout(unpack(source, stage / ".archive") if is_archive else source, path)
    given = resolve_params(f"Stream '{name}'", layout_params(found), params)
    files = stage / name / FILES_FOLDER
    size = copy_files(found, files)
    layout = read_layout(files, path)
    tasks = FolderStream(folder=str(files), name=name, shown=path, **given).tasks()
    moment = now()
    facts = ImportedFacts(
        name=name, path=files, origin=str(source), kind=layout.kind, params=given,
        tasks=tuple(task.shape for task in tasks), content=content_hash(layout, cached=False), bytes=size,
        imported=moment, verified=moment, summary=summary(layout), card=layout_card(layout, str(source)),
    )  # fmt: skip
    facts.write(stage / name)
    return facts


def copy_files(layout: Layout, target: Path) -> int:
    """Copy the files of the tasks and stream.toml, and nothing else; returns the number of bytes."""
    extra = (FILE_NAME,) if layout.path(FILE_NAME).is_file() else ()
    size = 0
    for file in (*layout.files, *extra):
        copy = target / file
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            source = layout.path(file).open("rb")
        except OSError as error:
            raise InvalidTaskError(f"'{layout.show(file)}' cannot be read ({error.strerror}).") from error
        with source, copy.open("xb") as file_copy:
            shutil.copyfileobj(source, file_copy)
        size += copy.stat().st_size
    return size


def unpack(archive: Path, target: Path) -> Path:
    """Unpack the files of an archive that can belong to a stream; returns the folder of the stream.

    That is `target`, or the only folder in it if all files of the archive are in one folder.
    """
    target.mkdir()
    roots: set[str | None] = set()
    ignored = 0
    for member in members(archive):
        *folders, name = member.parts
        roots.add(folders[0] if folders else None)
        if name == FILE_NAME or suffix_of(name) in (*SUFFIXES, TEXT_SUFFIX):
            _write(target, member.parts, member.read(), archive)
        else:
            ignored += 1
    if ignored:
        logger.warning("'%s' holds %d files that can be no part of a stream: they are left out.", archive, ignored)
    root = roots.pop() if len(roots) == 1 else None
    return target if root is None or not (target / root).is_dir() else target / root


@contextmanager
def staging(root: Path) -> Iterator[Path]:
    """A temporary folder in `root`, removed in the end; errors of writing become one OutputError."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        _sweep(root)
        stage = Path(tempfile.mkdtemp(prefix=".staging-", dir=root))
        try:
            yield stage
        finally:
            shutil.rmtree(stage, ignore_errors=True)
    except OSError as error:
        raise OutputError(f"'{error.filename or root}' could not be written ({error.strerror or error}).") from error
    finally:
        with suppress(OSError):
            root.rmdir()  # fails unless it is empty


def now() -> str:
    """The present time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _sweep(root: Path) -> None:
    """Remove temporary folders of imports that were killed long ago."""
    for left in root.glob(".staging-*"):
        if time.time() - left.stat().st_mtime > OLD:
            shutil.rmtree(left, ignore_errors=True)


def _write(target: Path, parts: tuple[str, ...], content: bytes, archive: Path) -> None:
    """Write one file of an archive; refuse a path that leads out of `target` or that was written before."""
    shown = "/".join(parts)
    if any(part == ".." or Path(part).name != part for part in parts):
        raise DataRefusedError(f"'{archive}' holds '{shown}', which cannot be the name of a file here: it was refused.")
    path = target.joinpath(*parts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except (FileExistsError, NotADirectoryError):
        raise DataRefusedError(f"'{archive}' holds '{shown}' twice: it was refused.") from None
