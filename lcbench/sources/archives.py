"""Archives and folders that somebody brought, read file by file and with suspicion.

Nothing is ever extracted under a name from an archive. An archive with an absolute path, a `..`, a link or a device in
it is refused whole, as is one that holds more, or more files, than the limits allow; no more is read than was counted.
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

_BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, NotImplementedError)
_OPENERS: tuple[tuple[bytes, Callable[..., Any]], ...] = (
    (b"\x1f\x8b", gzip.open),
    (b"BZh", bz2.open),
    (b"\xfd7zXZ\x00", lzma.open),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that is read: bytes in all, and files."""

    total: int = 4 * 1024**3
    files: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive or folder: the parts of its path, and its bytes, to be read before the next is asked for."""

    parts: tuple[str, ...]
    read: Callable[[], bytes]


def members(path: Path, limits: Limits | None = None) -> Iterator[Member]:
    """Every file in a tar (plain or compressed), a zip or wheel, or a folder; DataRefusedError for what is not safe."""
    limits = limits or Limits()
    if path.is_dir():
        yield from _folder_members(path, _Meter(path, limits))
    elif not path.exists():
        raise DataUnavailableError(f"There is no file or folder '{path}'.")
    elif zipfile.is_zipfile(path):
        yield from _zip_members(path, _Meter(path, limits))
    else:
        yield from _tar_members(path, _Meter(path, limits))


class _Meter:
    """Counts what is read from an archive, and stops it where that is too much."""

    def __init__(self, archive: Path, limits: Limits) -> None:
        self._archive, self._limits = archive, limits
        self._bytes = self._files = 0

    def count_file(self) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise self.refusal(f"holds more than {self._limits.files:,} files")

    def count_bytes(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._limits.total:
            raise self.refusal(f"unpacks to more than {self._limits.total:,} bytes")

    def parts(self, name: str) -> tuple[str, ...]:
        """The parts of a member's path, if it stays inside."""
        if name.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", name):
            raise self.refusal(f"holds '{name}', an absolute path")
        if ".." in re.split(r"[/\\]", name) or "\0" in name:
            raise self.refusal(f"holds '{name}', which leads out of it")
        return tuple(part for part in name.split("/") if part not in ("", "."))

    def refusal(self, why: str) -> DataRefusedError:
        return DataRefusedError(f"'{self._archive}' {why}: it is not safe to read and was refused.")


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """What goes wrong while an archive is read, as one sentence."""
    try:
        yield
    except _BROKEN as error:
        what = str(error) or type(error).__name__
        if isinstance(error, PermissionError):
            raise DataUnavailableError(f"'{path}' may not be read ({error.strerror}).") from error
        raise DataRefusedError(
            f"'{path}' is damaged, cut off, or no tar, zip or wheel ({what}): fetch it again."
        ) from error


def _tar_members(path: Path, meter: _Meter) -> Iterator[Member]:
    with _damage_named(path), path.open("rb") as raw:
        start = raw.read(6)
        raw.seek(0)
        opener = next((opener for magic, opener in _OPENERS if start.startswith(magic)), None)
        stream = raw if opener is None else opener(raw)
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for info in archive:
                parts = meter.parts(info.name)
                if info.isdir():
                    continue
                if not info.isreg() or info.issparse():  # a sparse file unpacks to what it likes
                    link = info.issym() or info.islnk()
                    raise meter.refusal(f"holds '{info.name}', a {'link' if link else 'device or sparse file'}")
                meter.count_file()
                meter.count_bytes(info.size)  # decompressed even if it is skipped
                yield Member(parts, partial(_read, path, partial(archive.extractfile, info)))
        while stream.read(1 << 20):  # to its end, where a compressed file has its checksum
            pass


def _zip_members(path: Path, meter: _Meter) -> Iterator[Member]:
    with _damage_named(path), zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            parts = meter.parts(info.filename)
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.is_dir():
                continue
            if kind not in (0, stat.S_IFREG):
                raise meter.refusal(f"holds '{info.filename}', a {'link' if kind == stat.S_IFLNK else 'device'}")
            if info.flag_bits & 0x1:
                raise meter.refusal(f"holds '{info.filename}', which is encrypted")
            meter.count_file()
            yield Member(parts, partial(_read, path, partial(archive.open, info), meter, info.file_size))


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
            yield Member(parts, partial(_read, file, partial(file.open, "rb"), meter, file.stat().st_size))


def _read(path: Path, opened: Callable[[], Any], meter: _Meter | None = None, size: int = 0) -> bytes:
    """The bytes of a member; `size` is counted where that was not done yet."""
    if meter is not None:
        meter.count_bytes(size)
    with _damage_named(path), opened() as file:
        content: bytes = file.read()
    return content
