"""Edits the file of a stored run as a user, an older lcbench or a bad disk would; for tests."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any


def edit(file: Path, **values: Any) -> None:
    """Change some values in a run file, and leave its checksum as it was."""
    written = json.loads(file.read_bytes())
    file.write_text(json.dumps({**written, **values, "checksum": written["checksum"]}) + "\n")


def older(content: bytes, without: Collection[str] = (), **values: Any) -> bytes:
    """The content of a run file as version 0.1 wrote it, without a checksum, with these values."""
    left_out = {"checksum", "first_schema", *without}
    kept = {key: value for key, value in json.loads(content).items() if key not in left_out}
    return json.dumps({**kept, "schema": 2, **values}).encode() + b"\n"


def write_older(file: Path, without: Collection[str] = (), **values: Any) -> None:
    """Write a run file as version 0.1 did."""
    file.write_bytes(older(file.read_bytes(), without, **values))
