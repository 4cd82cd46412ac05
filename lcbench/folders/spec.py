"""A folder as a stream that can be run: looked at, hashed, and not yet read. Imports nothing heavy."""

from __future__ import annotations

import os
from pathlib import Path

from lcbench.folders.digest import content_hash
from lcbench.folders.layout import Layout, read_layout
from lcbench.folders.listing import Kind
from lcbench.folders.naming import name_from
from lcbench.folders.parameters import layout_params
from lcbench.folders.streamspec import make_spec
from lcbench.registry import Source
from lcbench.sources.locations import expanded
from lcbench.specs import StreamCard, StreamSpec, TaskShape

SOURCE = Source("folders", "lcbench")


def folder_spec(path: str, *, name: str | None = None) -> StreamSpec:
    """The stream in the folder `path`, called `name`, or what its stream.toml says, or after the folder."""
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
    """The folder or file that a user means."""
    return Path(os.path.abspath(expanded(path)))  # noqa: PTH100 - takes `..` away, follows no link


def summary(layout: Layout) -> str:
    """What a folder holds, in a few words: `3 .csv files, one per task`."""
    if layout.kind is Kind.TEXTS:
        return f"{_count(len(layout.files), 'text')} in {_count(len(layout.tasks), 'folder')}, one per task"
    suffixes = " and ".join(sorted({Path(file).suffix.lower() for file in layout.files}))
    return f"{_count(len(layout.files), f'{suffixes} file')}, one per task"


def layout_card(layout: Layout, source: str) -> StreamCard:
    """What stream.toml says about the data, and where they are."""
    settings = layout.settings
    return StreamCard(
        what=settings.what or f"your own data: {summary(layout)}",
        source=settings.source or source,
        licence=settings.licence,
    )


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
