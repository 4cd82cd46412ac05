"""The files of a stream, copied out of a folder, or out of an archive that somebody brought."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from lcbench.errors import DataRefusedError, InvalidTaskError
from lcbench.folders.layout import Layout
from lcbench.folders.listing import SUFFIXES, TEXT_SUFFIX, suffix_of
from lcbench.folders.settings import FILE_NAME
from lcbench.sources.archives import members

logger = logging.getLogger(__name__)


def copy_files(layout: Layout, target: Path) -> int:
    """Copy what makes up the stream, and nothing else; the bytes that were copied."""
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
    """Write the files of an archive that may belong to a stream below `target`; the folder that holds the stream.

    If all that the archive holds is in one folder, that folder is the stream.
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


def _write(target: Path, parts: tuple[str, ...], content: bytes, archive: Path) -> None:
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
