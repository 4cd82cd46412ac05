"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from lcbench.errors import OutputError


def write_whole(path: Path, content: bytes) -> None:
    """Write `path` under a temporary name beside it, flush it to the disk, and give it its name."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise OutputError(f"'{path}' could not be written ({error.strerror}).") from error
