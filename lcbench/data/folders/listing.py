"""Lists the files and subfolders of a folder that can be tasks, by file ending.

Arrays and tables are one file per task, texts a folder per task. None of them is read.
"""

from __future__ import annotations

import enum
import os
from collections.abc import Collection
from pathlib import Path

from lcbench.errors import InvalidTaskError


class Kind(enum.Enum):
    """The kind of files that the tasks of a folder are kept in."""

    ARRAYS = "arrays"
    TABLES = "tables"
    TEXTS = "texts"


SUFFIXES = {".npz": Kind.ARRAYS, ".csv": Kind.TABLES, ".tsv": Kind.TABLES, ".parquet": Kind.TABLES}
TEXT_SUFFIX = ".txt"


def find_tasks(folder: Path, shown: str, *, only: Collection[str] | None = None) -> dict[str, tuple[str, ...]]:
    """The files of each possible task, by the name of its file or folder; `only` limits which names are looked at."""
    found: dict[str, tuple[str, ...]] = {}
    for entry in _entries(folder, shown):
        if only is not None and entry.name not in only:
            continue
        if entry.is_dir():
            texts = _find_texts(Path(entry.path), entry.name, shown)
            if texts:
                found[entry.name] = texts
        elif suffix_of(entry.name) in SUFFIXES:
            _check_regular(entry, inside(shown, entry.name))
            found[entry.name] = (entry.name,)
    return found


def kind_of(file: str) -> Kind:
    """The kind of a task's file, by its ending."""
    return SUFFIXES.get(suffix_of(file), Kind.TEXTS)


def suffix_of(name: str) -> str:
    """The ending of a file name, in lower case."""
    return os.path.splitext(name)[1].lower()  # noqa: PTH122 - of a name, and of very many


def is_hidden(name: str) -> bool:
    """True if a file or folder is hidden: its name starts with a dot."""
    return name.startswith(".")


def inside(shown: str, file: str) -> str:
    """A file of a folder as errors name it."""
    return f"{shown.rstrip('/')}/{file}"


def _find_texts(folder: Path, task: str, shown: str) -> tuple[str, ...]:
    """The texts of a task: right in its folder, or one level down in the folders of its classes."""
    beside: list[str] = []
    below: list[str] = []
    for entry in _entries(folder, inside(shown, task)):
        if entry.is_dir():
            below += _texts_of(Path(entry.path), f"{task}/{entry.name}", shown)
        elif suffix_of(entry.name) == TEXT_SUFFIX:
            _check_regular(entry, inside(shown, f"{task}/{entry.name}"))
            beside.append(f"{task}/{entry.name}")
    if beside and below:
        raise InvalidTaskError(
            f"'{inside(shown, beside[0])}' stands beside the folders of classes and '{inside(shown, below[0])}' in "
            "one: put every text of a task in the folder of its class, or none."
        )
    return tuple(beside or below)


def _texts_of(folder: Path, prefix: str, shown: str) -> list[str]:
    names = [entry for entry in _entries(folder, inside(shown, prefix)) if suffix_of(entry.name) == TEXT_SUFFIX]
    texts = [entry for entry in names if not entry.is_dir()]
    for entry in texts:
        _check_regular(entry, inside(shown, f"{prefix}/{entry.name}"))
    return [f"{prefix}/{entry.name}" for entry in texts]


def _entries(folder: Path, shown: str) -> list[os.DirEntry[str]]:
    """Files and folders in a folder, without hidden ones, sorted by name."""
    try:
        with os.scandir(folder) as entries:
            return sorted((e for e in entries if not is_hidden(e.name)), key=lambda entry: entry.name)
    except OSError as error:
        raise InvalidTaskError(f"'{shown}' cannot be read ({error.strerror}).") from error


def _check_regular(entry: os.DirEntry[str], shown: str) -> None:
    if not entry.is_file():
        raise InvalidTaskError(f"'{shown}' is no regular file, or a link that leads nowhere: remove or replace it.")
