"""What the content of a folder is known by: a run on other content is another run."""

from __future__ import annotations

import hashlib
import json

from lcbench.errors import InvalidTaskError
from lcbench.folders.hashes import file_hashes
from lcbench.folders.layout import Layout
from lcbench.folders.listing import Kind
from lcbench.folders.settings import TextSettings


def content_hash(layout: Layout, *, cached: bool = True) -> str:
    """A SHA-256 of the files of a stream, by name and content, and of what stream.toml says that is no parameter."""
    try:
        hashes = file_hashes(layout.folder, layout.files, cached=cached)
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
