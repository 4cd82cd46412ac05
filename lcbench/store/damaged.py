"""Run files that cannot be read, put where they are in nobody's way."""

from __future__ import annotations

import contextlib
from itertools import count
from pathlib import Path


def set_aside(file: Path, labels: Path, content: bytes, aside: Path) -> Path | None:
    """Move a run file and its labels to the folder `aside`; where it went, None if it is not what was read any more.

    What was moved there before is never overwritten.
    """
    if file.read_bytes() != content:
        return None
    aside.mkdir(exist_ok=True)
    for number in count(1):
        stem = file.stem if number == 1 else f"{file.stem}.{number}"
        new_file, new_labels = aside / f"{stem}{file.suffix}", aside / f"{stem}{labels.suffix}"
        if not new_file.exists() and not new_labels.exists():
            break
    file.rename(new_file)
    with contextlib.suppress(FileNotFoundError):
        labels.rename(new_labels)
    return new_file
