"""Reads tar, zip and wheel archives and folders file by file; refuses unsafe ones.

No file is ever written under a name from an archive. An archive with an absolute path, a `..`, a link or a device in it
is refused as a whole, as is one with more bytes or files than the limits allow; no more is read than was counted.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
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
HEADERS = 4096  # bytes that a tar may use per file besides its content


@dataclass(frozen=True, slots=True)
class Limits:
    """The most bytes, in total, and the most files that are read from an archive."""

    total: int = 4 * 1024**3
    files: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive or folder: the parts of its path. `read` gives its bytes, until the next member is taken."""

    parts: tuple[str, ...]
    read: Callable[[], bytes]


def members(path: Path, limits: Limits | None = None, shown: str = "") -> Iterator[Member]:
    """Every file in a tar (plain or compressed), a zip or wheel, or a folder; DataRefusedError for an unsafe one.

    Hidden files, and those that macOS adds to an archive, are left out. Error messages call the archive `shown`.
    """
    meter = _Meter(shown or f"'{path}'", limits or Limits())
    for member in _all_members(path, meter):
        if not member.parts:
            raise meter.refusal("holds a file without a name")
        if not any(part.startswith(".") or part == "__MACOSX" for part in member.parts):
            yield member


def _all_members(path: Path, meter: _Meter) -> Iterator[Member]:
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except OSError as error:
        raise DataUnavailableError(f"There is no file or folder '{path}' ({error.strerror}).") from error
    if kind == stat.S_IFDIR:
        yield from _folder_members(path, meter)
    elif kind != stat.S_IFREG:
        raise DataRefusedError(f"{meter.shown} is neither a file nor a folder: it is not read.")
    elif _is_zip(path, meter):
        yield from _zip_members(path, meter)
    else:
        yield from _tar_members(path, meter)


def _is_zip(path: Path, meter: _Meter) -> bool:
    with _damage_named(meter.shown):
        return zipfile.is_zipfile(path)


class _Meter:
    """Counts the files and bytes read from an archive, and refuses it when they are too many."""

    def __init__(self, shown: str, limits: Limits) -> None:
        self.shown, self._limits = shown, limits
        self._bytes = self._files = self._stream = 0

    def count_file(self) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise self.refusal(f"holds more than {self._limits.files:,} files")

    def count_bytes(self, size: int) -> None:
        self._bytes += size
        if size < 0 or self._bytes > self._limits.total:
            raise self.refusal(f"unpacks to more than {self._limits.total:,} bytes")

    def count_stream(self, size: int) -> None:
        """Count decompressed bytes: no more than the counted files need with their headers, padding and the end."""
        self._stream += size
        if self._stream > self._bytes + HEADERS * (self._files + 8):
            raise self.refusal(f"unpacks to more than {self._limits.total:,} bytes")

    def parts(self, name: str) -> tuple[str, ...]:
        """The parts of a member's path; DataRefusedError if it leads out of the archive."""
        if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
            raise self.refusal(f"holds '{name}', an absolute path")
        if ".." in re.split(r"[/\\]", name) or "\0" in name:
            raise self.refusal(f"holds '{name}', which leads out of it")
        return tuple(part for part in name.split("/") if part not in ("", "."))

    def refusal(self, why: str) -> DataRefusedError:
        return DataRefusedError(f"{self.shown} {why}: it is not safe to read and was refused.")


class _Metered:
    """A stream that counts every byte read from it, of headers too."""

    def __init__(self, stream: Any, meter: _Meter) -> None:
        self._stream, self._meter = stream, meter

    def read(self, size: int) -> bytes:
        content: bytes = self._stream.read(size)
        self._meter.count_stream(len(content))
        return content


@contextmanager
def _damage_named(shown: str) -> Iterator[None]:
    """Turns any error in reading an archive into one sentence for the user."""
    try:
        yield
    except _BROKEN as error:
        what = str(error) or type(error).__name__
        if isinstance(error, PermissionError):
            raise DataUnavailableError(f"{shown} may not be read ({error.strerror}).") from error
        raise DataRefusedError(
            f"{shown} is damaged, cut off, or no tar, zip or wheel ({what}): fetch it again."
        ) from error


def _tar_members(path: Path, meter: _Meter) -> Iterator[Member]:
    with _damage_named(meter.shown), path.open("rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        opener = next((opener for magic, opener in _OPENERS if start.startswith(magic)), None)
        stream: Any = _Metered(raw if opener is None else opener(raw), meter)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                parts = meter.parts(info.name)
                meter.count_file()
                if info.isdir():
                    continue
                if not info.isreg() or info.issparse():  # a sparse file may unpack to any size
                    link = info.issym() or info.islnk()
                    raise meter.refusal(f"holds '{info.name}', a {'link' if link else 'device or sparse file'}")
                meter.count_bytes(info.size)
                yield Member(parts, partial(_read, meter.shown, partial(archive.extractfile, info), info.size))
        while stream.read(1 << 20):  # up to the end, where a compressed file has its checksum
            pass


def _zip_members(path: Path, meter: _Meter) -> Iterator[Member]:
    with _damage_named(meter.shown), zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            parts = meter.parts(info.filename)
            meter.count_file()
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir():
                continue
            if kind not in (0, stat.S_IFREG):
                raise meter.refusal(f"holds '{info.filename}', a {'link' if kind == stat.S_IFLNK else 'device'}")
            if info.flag_bits & 0x1:
                raise meter.refusal(f"holds '{info.filename}', which is encrypted")
            yield Member(parts, partial(_read, meter.shown, partial(archive.open, info), info.file_size, meter))


def _folder_members(path: Path, meter: _Meter) -> Iterator[Member]:
    """The files below a folder in the order of their names; links are not followed."""
    for folder, names, files in os.walk(path):
        names.sort()
        for name in sorted(files):
            file = Path(folder, name)
            if file.is_symlink() or not file.is_file():
                continue
            meter.count_file()
            parts = file.relative_to(path).parts
            yield Member(parts, partial(_read, f"'{file}'", partial(file.open, "rb"), file.stat().st_size, meter))


def _read(shown: str, opened: Callable[[], Any], size: int, meter: _Meter | None = None) -> bytes:
    """The bytes of a member, exactly as many as announced; `meter` counts them, unless the stream below does."""
    if meter is not None:
        meter.count_bytes(size)
    with _damage_named(shown), opened() as file:
        content: bytes = file.read(size + 1)
        if len(content) != size:
            raise EOFError(f"{size:,} bytes were announced and others came")
    return content
