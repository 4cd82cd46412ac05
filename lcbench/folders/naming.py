"""Names of streams that are made from the names of folders. Imports nothing heavy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection

from lcbench.errors import did_you_mean

_MOST_LISTED = 12


def name_from(basename: str) -> str:
    """The name of a stream that is kept in a folder of that name."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", basename).lstrip("_.-").rstrip("-")
    return name or "folder"


def suggestion(name: str, known: Collection[str]) -> str:
    """As `did_you_mean`, but a long list that holds nothing near is left out."""
    near = difflib.get_close_matches(name.lower(), [k.lower() for k in known], n=1, cutoff=0.6)
    return did_you_mean(name, known) if near or len(known) <= _MOST_LISTED else ""
