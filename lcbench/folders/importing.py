"""Putting an import together beside its place in the cache, where nobody sees it until it is whole."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from lcbench.errors import OutputError
from lcbench.folders.digest import content_hash
from lcbench.folders.facts import FILES_FOLDER, ImportedFacts
from lcbench.folders.layout import read_layout
from lcbench.folders.listing import SUFFIXES, TEXT_SUFFIX, suffix_of
from lcbench.folders.parameters import layout_params
from lcbench.folders.spec import absolute, layout_card, summary
from lcbench.folders.stream import FolderStream
from lcbench.folders.unpacking import copy_files, unpack
from lcbench.specs import resolve_params

OLD = 24 * 3600  # seconds; no import takes that long


def prepare(name: str, path: str, params: Mapping[str, str], stage: Path) -> ImportedFacts:
    """Copy a stream to `stage/NAME`, read it whole from there, and write down what it is."""
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


def now() -> str:
    """This moment, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _sweep(root: Path) -> None:
    """Remove what an import left that was killed long ago."""
    for left in root.glob(".staging-*"):
        if time.time() - left.stat().st_mtime > OLD:
            shutil.rmtree(left, ignore_errors=True)


@contextmanager
def staging(root: Path) -> Iterator[Path]:
    """A folder in `root` that is gone in the end; what cannot be written there is said in one sentence."""
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
            root.rmdir()  # if there is nothing in it
