"""Writes files atomically, so that each is there whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from lcbench.errors import DiskFullError, OutputError

ONE_DAY = 24 * 3600
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_TEMPORARY = re.compile(r"\..+\.(?:(?P<host>[0-9a-f]{8})-)?(?P<pid>\d+)-[0-9a-f]{8}\.tmp")


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` under a temporary name beside `path`, flush it to the disk, and rename it to `path`."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a file that is renamed to `path` when the block ends, or removed if the block raises."""
    temporary = path.parent / f".{path.name}.{_host()}-{os.getpid()}-{secrets.token_hex(4)}.tmp"
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _flush_folder(path.parent)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError):
            kind = DiskFullError if error.errno in _FULL else OutputError
            raise kind(f"'{path}' could not be written ({error.strerror or error}).") from error
        raise


def make_folder(folder: Path) -> None:
    """Makes a folder for files to write, unless it is there; OutputError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"The folder '{folder}' cannot be made ({error.strerror or error}).") from error


def sweep(folder: Path) -> None:
    """Remove temporary files in `folder` left by dead processes of this machine, or older than a day."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = _TEMPORARY.fullmatch(entry.name)
            if match is not None:
                with contextlib.suppress(OSError):  # gone meanwhile, or not ours to remove
                    ours = match["host"] == _host() and not _is_alive(int(match["pid"]))
                    if ours or time.time() - entry.stat(follow_symlinks=False).st_mtime > ONE_DAY:
                        Path(entry.path).unlink()


def _flush_folder(folder: Path) -> None:
    """Flush a folder's list of names, so that a renamed file keeps its name when the power goes."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # a folder that may be written but not read
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot flush a folder
            raise
    finally:
        os.close(descriptor)


@lru_cache(maxsize=1)
def _host() -> str:
    """A short hash of the machine's name and its PID namespace, as containers may share the name."""
    import platform

    try:
        space = os.readlink("/proc/self/ns/pid")  # noqa: PTH115  it is no path
    except OSError:
        space = ""
    return hashlib.sha256(f"{platform.node()} {space}".encode()).hexdigest()[:8]


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True  # os.kill would end it
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
