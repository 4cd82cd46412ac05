"""Names of streams and tasks that are made from the names of files and folders. Imports nothing heavy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from typing import Any

from lcbench.errors import did_you_mean

NAME_RULE = "a name starts with a letter or digit and goes on with letters, digits, '_', '-' or '.'"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.\-]*")
_MOST_LISTED = 12


def is_name(text: str) -> bool:
    """Whether `text` can be the name of a stream."""
    return _NAME.fullmatch(text) is not None


def name_from(basename: str) -> str:
    """The name of a stream that is kept in a folder of that name."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", basename).lstrip("_.-").rstrip("-")
    return name or "folder"


def natural_key(name: str) -> tuple[Any, ...]:
    """Sorts names as people do: numbers in them by value, so that task-2 comes before task-10."""
    parts = re.split(r"(\d+)", name.casefold())
    return tuple(int(part) if i % 2 else part for i, part in enumerate(parts)), name


def suggestion(name: str, known: Collection[str]) -> str:
    """As `did_you_mean`, but a long list that holds nothing near is left out."""
    near = difflib.get_close_matches(name.lower(), [k.lower() for k in known], n=1, cutoff=0.6)
    return did_you_mean(name, known) if near or len(known) <= _MOST_LISTED else ""
