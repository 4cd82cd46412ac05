"""Searches memory and open files for bytes that the searcher itself never holds.

What to look for comes from a file in which every bit is turned round, and all that is read is turned round as well: so
the only copy that can be found is one that somebody else left.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

TURNED = bytes(255 - n for n in range(256))
CHUNK = 1 << 24


def wanted() -> dict[str, bytes]:
    """The bytes to look for, turned round, by name; they come from the test."""
    return {
        name: bytes.fromhex(text) for name, text in json.loads(Path(os.environ["HOSTILE_WANTED"]).read_text()).items()
    }


def found_in_memory(pid: int | str) -> set[str]:
    """The names of what is in the readable memory of a process."""
    found: set[str] = set()
    patterns = wanted()
    longest = max(map(len, patterns.values()))
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:  # noqa: PTH123
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            place, rights = line.split()[:2]
            if "r" not in rights or line.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
                continue
            start, end = (int(each, 16) for each in place.split("-"))
            for at in range(start, end, CHUNK):
                with contextlib.suppress(OSError, ValueError, OverflowError):
                    memory.seek(at)
                    found |= _names_in(memory.read(min(CHUNK + longest, end - at)), patterns)
    return found


def found_in_files(pid: int | str) -> set[str]:
    """The names of what is in the files that a process has open."""
    found: set[str] = set()
    patterns = wanted()
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if entry.is_file():
                    found |= _names_in(entry.read_bytes(), patterns)
    return found


def _names_in(content: bytes, patterns: dict[str, bytes]) -> set[str]:
    turned = content.translate(TURNED)
    return {name for name, pattern in patterns.items() if pattern in turned}
