"""Serves the modules of one-file plugins from their source text, in every process.

The text was read once: what is edited, hidden or removed afterwards changes nothing. It imports nothing heavy, as each
process of a run imports it.
"""

from __future__ import annotations

import hashlib
import linecache
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.abc import ExecutionLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType
from typing import NamedTuple


class SourceFile(NamedTuple):
    """A Python file as it was read: its absolute path and its text."""

    path: str
    text: str

    @property
    def sha256(self) -> str:
        """The SHA-256 of the text."""
        return _sha256(self.text)


@lru_cache(maxsize=64)
def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


_served: dict[str, SourceFile] = {}


class _Loader(ExecutionLoader):
    """Makes a module from the text of a file; no bytecode is read or written."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file

    def is_package(self, fullname: str) -> bool:
        return False

    def get_filename(self, fullname: str) -> str:
        return self._file.path

    def get_source(self, fullname: str) -> str:
        return self._file.text


class _Finder(MetaPathFinder):
    """Finds the modules that are served, before those of the import path."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        file = _served.get(fullname)
        return None if file is None else spec_from_loader(fullname, _Loader(file))


_finder = _Finder()


def serve(files: Mapping[str, SourceFile]) -> None:
    """Have these modules, by their names, imported from the text of these files from now on."""
    if files and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    for name, file in files.items():
        _served[name] = file
        sys.modules.pop(name, None)
        # the lines that tracebacks show, though the file may be another one by now; None: not to be read again
        linecache.cache[file.path] = len(file.text), None, file.text.splitlines(keepends=True), file.path


def withdraw(name: str) -> None:
    """Serve a module no more, and forget that it was imported."""
    file = _served.pop(name, None)
    sys.modules.pop(name, None)
    if file is not None:
        linecache.cache.pop(file.path, None)


def served() -> dict[str, SourceFile]:
    """The files that are served now, by the names of their modules."""
    return dict(_served)
