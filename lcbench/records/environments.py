"""Stores facts about machines and packages once, however many runs refer to them."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from lcbench.contract.hashing import content_id
from lcbench.reading import read_regular
from lcbench.writing import write_whole

_HASH = re.compile(r"[0-9a-f]{64}")


class Environments:
    """A folder of files `HASH.json`; each is read at most once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, dict[str, Any]] = {}

    def file(self, environment_id: str) -> Path:
        """The file for the facts with that hash."""
        return self.folder / f"{environment_id}.json"

    def save(self, facts: dict[str, Any]) -> str:
        """Write the facts unless their file is there already, and return their hash."""
        alike = (known for known, others in self._known.items() if others == facts)
        environment_id = next(alike, None) or content_id(facts)
        file = self.file(environment_id)
        if not file.exists() or self.load(environment_id) != facts:
            write_whole(file, json.dumps(facts, allow_nan=False).encode() + b"\n")
            self._known[environment_id] = facts
        return environment_id

    def load(self, environment_id: str) -> dict[str, Any]:
        """The facts with that hash; empty if their file is gone or damaged."""
        if environment_id not in self._known:
            facts: Any = None
            if _HASH.fullmatch(environment_id):
                with contextlib.suppress(OSError, ValueError, RecursionError):
                    facts = json.loads(read_regular(self.file(environment_id)))
            if not isinstance(facts, dict) or content_id(facts) != environment_id:
                return {}
            self._known[environment_id] = facts
        return self._known[environment_id]

    def remove_others(self, used: Collection[str | None]) -> None:
        """Delete the facts whose hash is not in `used`."""
        for file in self.folder.glob("*.json"):
            if file.stem not in used and _HASH.fullmatch(file.stem):
                file.unlink(missing_ok=True)
