"""Finds files in a folder that look like data but belong to no task of the stream.

Such files are a level too deep or compressed; empty folders are found as well.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from lcbench.data.folders.layout import SUFFIXES, TEXT_SUFFIX, is_hidden, suffix_of

MOST_LOOKED_AT = 10_000
_DEEP = 3
_PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")
_ABOUT = re.compile(r"(readme|licen[cs]e|copying|changes|changelog|notes?|about)\b", re.IGNORECASE)


def unused(folder: Path, used: Collection[str]) -> list[str]:
    """Paths of files that could hold data but are not `used`; a folder without any used file is listed as `name/`."""
    known = set(used)
    busy = {file.split("/")[0] for file in used}
    full: set[str] = set()
    empty: list[str] = []
    found: list[str] = []
    for path, is_folder in _entries(folder):
        top, *below = path.split("/")
        if is_folder and not below:
            empty.append(top)
            continue
        full.add(top)
        if not is_folder and path not in known and _looks_like_data(path) and not _ABOUT.match(Path(path).name):
            found.append(path if not below or top in busy else f"{top}/")
    return list(dict.fromkeys([*found, *(f"{top}/" for top in empty if top not in full)]))


def count_endings(folder: Path) -> str:
    """Counts the files of a folder by their three most frequent endings: `60 .html, 2 .pkl`."""
    endings = Counter(suffix_of(path) or "without an ending" for path, is_folder in _entries(folder) if not is_folder)
    return ", ".join(f"{count:,} {ending}" for ending, count in endings.most_common(3))


def _looks_like_data(name: str) -> bool:
    stem = name
    while suffix_of(stem) in _PACKED:
        stem = stem[: -len(suffix_of(stem))]
    return suffix_of(stem) in (*SUFFIXES, TEXT_SUFFIX)


def _entries(folder: Path) -> Iterator[tuple[str, bool]]:
    """Paths of visible files and folders, each with True if it is a folder; limited in depth and number."""
    count = 0
    for root, folders, files in os.walk(folder):
        above = Path(root).relative_to(folder).parts
        folders[:] = sorted(name for name in folders if not is_hidden(name)) if len(above) < _DEEP else []
        for name in [*folders, *sorted(files)]:
            count += 1
            if count > MOST_LOOKED_AT:
                return
            if not is_hidden(name):
                yield "/".join((*above, name)), name in folders
