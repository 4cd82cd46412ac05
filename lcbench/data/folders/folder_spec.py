"""Describes a user's folder as a stream spec: name, content hash, card, tasks.

The files are listed and hashed, and not yet loaded. Imports nothing heavy.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from lcbench.contract.specs import StreamCard, StreamSpec, TaskShape
from lcbench.data.folders.content_hash import content_hash
from lcbench.data.folders.layout import Layout, read_layout
from lcbench.data.folders.listing import Kind
from lcbench.data.folders.settings import FILE_NAME, TextSettings
from lcbench.data.folders.stream_spec import layout_params, make_spec
from lcbench.data.sources.locations import expanded
from lcbench.printable import counted
from lcbench.registry.catalogue import Source

SOURCE = Source("folders", "lcbench")


def folder_spec(path: str, *, name: str | None = None) -> StreamSpec:
    """The spec of the folder `path`; its name is `name`, else the one in stream.toml, else that of the folder."""
    folder = absolute(path)
    layout = read_layout(folder, path)
    return make_spec(
        folder,
        name=name or layout.settings.name or name_from(folder.name),
        shown=path,
        content=content_hash(layout),
        card=layout_card(layout, str(folder)),
        tasks=tuple(TaskShape(task.name) for task in layout.tasks),
        params=layout_params(layout),
        summary=summary(layout),
    )


def absolute(path: str) -> Path:
    """The absolute path that a user means: `~` is expanded, and `..` is removed."""
    return Path(os.path.abspath(expanded(path)))  # noqa: PTH100 - removes `..`, follows no link


def summary(layout: Layout) -> str:
    """A folder in a few words: `3 .csv files, one per task`."""
    if layout.kind is Kind.TEXTS:
        return f"{counted(len(layout.files), 'text')} in {counted(len(layout.tasks), 'folder')}, one per task"
    suffixes = " and ".join(sorted({Path(file).suffix.lower() for file in layout.files}))
    return f"{counted(len(layout.files), f'{suffixes} file')}, one per task"


def layout_card(layout: Layout, source: str) -> StreamCard:
    """The card of the stream: description, source and licence from stream.toml, else what is known of the folder."""
    settings = layout.settings
    return StreamCard(
        what=settings.what or f"your own data: {summary(layout)}",
        source=settings.source or source,
        licence=settings.licence,
        notes=_notes(layout),
    )


def _notes(layout: Layout) -> tuple[str, ...]:
    """A sentence that says how texts are split into words; none for other kinds."""
    if layout.kind is not Kind.TEXTS:
        return ()
    text = layout.settings.text or TextSettings()
    stop = "without scikit-learn's English stop words" if text.stop_words == "english" else "stop words included"
    pattern = f"what matches {text.pattern}" if text.pattern else "two letters or more, of any alphabet"
    return (
        f"Words are {pattern}, lower-cased, {stop}, in at least {counted(text.min_df, 'text')}; texts are read as "
        f"{text.encoding}. {FILE_NAME} changes that.",
    )


def name_from(basename: str) -> str:
    """Turns the name of a folder into a name that a stream may have."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", basename).lstrip("_.-").rstrip("-")
    return name or "folder"
