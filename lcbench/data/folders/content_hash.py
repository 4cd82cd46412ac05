"""Hashes the files of a folder (SHA-256), and caches the hashes of unchanged files.

The hash is part of the stream's digest: a run on other content is another run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from lcbench.data.folders.layout import Kind, Layout
from lcbench.data.folders.settings import TextSettings
from lcbench.data.sources.locations import cache_folder
from lcbench.errors import InvalidTaskError, OutputError
from lcbench.writing import write_whole

_FRESH = 2_000_000_000  # ns; a file that changed this recently may change again without a new modification time
_Known: TypeAlias = dict[str, tuple[int, int, str]]  # size, modification time in ns and SHA-256 of each file


def content_hash(layout: Layout) -> str:
    """A SHA-256 of a stream's files, by name and content, and of the settings in stream.toml that are no parameters."""
    try:
        hashes = file_hashes(layout.folder, layout.files)
    except OSError as error:
        raise InvalidTaskError(f"'{error.filename or layout.shown}' cannot be read ({error.strerror}).") from error
    text = layout.settings.text or TextSettings()
    words = [text.min_df, text.stop_words, text.pattern, text.encoding] if layout.kind is Kind.TEXTS else []
    content = {
        "kind": layout.kind.value,
        "tasks": [[t.name, t.clusters, sorted((file, hashes[file]) for file in t.files)] for t in layout.tasks],
        "drop": sorted(layout.settings.drop),
        "words": words,
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def file_hashes(folder: Path, files: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of each file; only files whose size or modification time changed are read. May raise OSError."""
    known = _read_cache(folder)
    hashes: dict[str, str] = {}
    lasting: _Known = {}
    for file in files:
        path = folder / file
        before = path.stat()
        size, changed, digest = known.get(file, (None, None, ""))
        if (size, changed) != (before.st_size, before.st_mtime_ns):
            digest = _hash(path)
        hashes[file] = digest
        if time.time_ns() - before.st_mtime_ns >= _FRESH:
            lasting[file] = (before.st_size, before.st_mtime_ns, digest)
    if lasting != known:
        _write_cache(folder, lasting)
    return hashes


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cache_file(folder: Path) -> Path:
    key = hashlib.sha256(str(folder).encode(errors="surrogatepass")).hexdigest()
    return cache_folder() / "hashes" / f"{key[:32]}.json"


def _read_cache(folder: Path) -> _Known:
    """The cached hashes of a folder; none if the cache cannot be read."""
    try:
        content = json.loads(_cache_file(folder).read_bytes())
        if content["folder"] != str(folder):
            return {}
        return {
            str(file): (int(size), int(changed), str(digest))
            for file, (size, changed, digest) in content["files"].items()
        }
    except (OSError, OutputError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write_cache(folder: Path, known: _Known) -> None:
    with contextlib.suppress(OSError, OutputError):
        file = _cache_file(folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps({"folder": str(folder), "files": known}).encode())
