"""Reads files that are regular and not too large, and tells what lies at a path.

Nothing waits on a pipe, or fills the memory from a device.
"""

from __future__ import annotations

import errno
import os
import stat
from os import PathLike, fspath

from lcbench.printable import byte_size

MOST_BYTES = 1024**3
MOST_TEXT_BYTES = 16 * 1024**2  # of a file that somebody writes by hand


def read_regular(path: str | PathLike[str], most: int = MOST_BYTES) -> bytes:
    """The content of a regular file; OSError, whose `strerror` says why, for any other and for one above `most` bytes.

    A pipe is not waited for, and a device is not read.
    """
    named = fspath(path)
    descriptor = os.open(named, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), named)
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "it is no regular file", named)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {byte_size(most)}", named)
    return content


def is_there(path: str | PathLike[str]) -> bool:
    """True if there is something at a path; False, not an error, if the path cannot be one or may not be looked at."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | PathLike[str]) -> bool:
    """True if there is a regular file at a path; False, not an error, as for `is_there`."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | PathLike[str]) -> bool:
    """True if there is a folder at a path; False, not an error, as for `is_there`."""
    return os.path.isdir(path)  # noqa: PTH112
