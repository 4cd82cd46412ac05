"""Reads tar, zip and wheel archives and folders file by file, up to a limit of bytes.

No file is ever written under a name from an archive, and links in it are not followed.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lcbench.errors import DataRefusedError, DataUnavailableError

_BROKEN = (
    EOFError, OSError, ValueError, RuntimeError, OverflowError, IndexError, MemoryError, zlib.error, lzma.LZMAError,
    tarfile.TarError, zipfile.BadZipFile,
)  # fmt: skip
_OPENERS: tuple[tuple[bytes, Callable[..., Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
)
MOST_BYTES = 4 * 1024**3  # that an archive may unpack to, its headers included


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive or folder: the parts of its path. `read` gives its bytes, until the next member is taken."""

    parts: tuple[str, ...]
    read: Callable[[], bytes]


def members(path: Path, shown: str = "") -> Iterator[Member]:
    """Every file in a tar (plain or compressed), a zip or wheel, or a folder; DataRefusedError for an unsafe one.

    Hidden files, and those that macOS adds to an archive, are left out. Error messages call the archive `shown`.
    """
    shown = shown or f"'{path}'"
    for member in _all_members(path, _Meter(shown)):
        if not any(part.startswith(".") or part == "__MACOSX" for part in member.parts):
            yield Member(member.parts, partial(_read, member.read, shown))


def _all_members(path: Path, meter: _Meter) -> Iterator[Member]:
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except OSError as error:
        raise DataUnavailableError(f"There is no file or folder '{path}' ({error.strerror}).") from error
    if kind not in (stat.S_IFDIR, stat.S_IFREG):
        raise DataRefusedError(f"{meter.shown} is neither a file nor a folder: it is not read.")
    with _damage_named(meter.shown):
        if kind == stat.S_IFDIR:
            yield from _folder_members(path, meter)
        elif zipfile.is_zipfile(path):
            yield from _zip_members(path, meter)
        else:
            yield from _tar_members(path, meter)


def _read(read: Callable[[], bytes], shown: str) -> bytes:
    with _damage_named(shown):
        return read()


class _Meter:
    """Counts the bytes read from an archive, and refuses it when they are too many."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self._bytes = 0

    def count(self, size: int) -> None:
        self._bytes += size
        if size < 0 or self._bytes > MOST_BYTES:
            raise DataRefusedError(
                f"{self.shown} unpacks to more than {MOST_BYTES:,} bytes: it is not safe to read and was refused."
            )


class _Metered:
    """A stream that counts every byte read from it."""

    def __init__(self, stream: Any, meter: _Meter) -> None:
        self._stream, self._meter = stream, meter

    def read(self, size: int) -> bytes:
        content: bytes = self._stream.read(size)
        self._meter.count(len(content))
        return content


@contextmanager
def _damage_named(shown: str) -> Iterator[None]:
    """Turns any error in reading an archive into one sentence for the user."""
    try:
        yield
    except PermissionError as error:
        raise DataUnavailableError(f"{shown} may not be read ({error.strerror}).") from error
    except _BROKEN as error:
        raise DataRefusedError(
            f"{shown} is damaged, cut off, or no tar, zip or wheel ({str(error) or type(error).__name__}): "
            "fetch it again."
        ) from error


def _tar_members(path: Path, meter: _Meter) -> Iterator[Member]:
    with path.open("rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        opener = next((opener for magic, opener in _OPENERS if start.startswith(magic)), None)
        stream: Any = _Metered(raw if opener is None else opener(raw), meter)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                if info.isreg() and not info.issparse():  # a sparse file may unpack to any size
                    yield Member(_parts(info.name), partial(_extract, archive, info))
        while stream.read(1 << 20):  # up to the end, where a compressed file has its checksum
            pass


def _extract(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    file: Any = archive.extractfile(info)
    with file:
        content: bytes = file.read()
    return content


def _zip_members(path: Path, meter: _Meter) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            if not info.is_dir() and stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG):
                yield Member(_parts(info.filename), partial(_unpack, archive, info, meter))


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: _Meter) -> bytes:
    meter.count(info.file_size)
    with archive.open(info) as file:
        return file.read(info.file_size + 1)  # without a size it would unpack more than was announced


def _folder_members(path: Path, meter: _Meter) -> Iterator[Member]:
    """The files below a folder in the order of their names; links are not followed."""
    for folder, names, files in os.walk(path):
        names.sort()
        for name in sorted(files):
            file = Path(folder, name)
            if file.is_file() and not file.is_symlink():
                yield Member(file.relative_to(path).parts, partial(_content, file, meter))


def _content(file: Path, meter: _Meter) -> bytes:
    meter.count(file.stat().st_size)
    return file.read_bytes()


def _parts(name: str) -> tuple[str, ...]:
    return tuple(part for part in name.split("/") if part not in ("", "."))
