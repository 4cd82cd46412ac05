"""Describes a folder as a stream spec: name, parameters, content hash, card, tasks.

A folder has only the parameters that have an effect on its kind of files. The files are listed and hashed, and not yet
loaded. Imports no numpy.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import replace
from pathlib import Path

from lcbench.contract.specs import Param, StreamCard, StreamSpec, TaskShape
from lcbench.data.folders.layout import Kind, Layout, read_layout
from lcbench.data.folders.settings import FILE_NAME, WORD_PARAMS, read_settings
from lcbench.data.sources.locations import expanded
from lcbench.errors import InvalidTaskError
from lcbench.printable import counted
from lcbench.registry.catalogue import Source

SOURCE = Source("folders", "lcbench")
REVISION = 1  # to be raised when the same files give other matrices than before
_LABEL = Param(
    "label", str, None, "the column that holds the class; none takes every column as a feature", optional=True
)
_CLUSTERS = Param(
    "clusters",
    int,
    None,
    "how many clusters to look for in every task; none takes the number of its classes",
    minimum=1,
    optional=True,
)
_PARAMS = {Kind.ARRAYS: (_CLUSTERS,), Kind.TABLES: (_LABEL, _CLUSTERS), Kind.TEXTS: (_CLUSTERS, *WORD_PARAMS)}


def folder_spec(path: str, *, name: str | None = None) -> StreamSpec:
    """The spec of the folder `path`; its name is `name`, else the one in stream.toml, else that of the folder."""
    folder = Path(os.path.abspath(expanded(path)))  # noqa: PTH100 - removes `..`, follows no link
    layout = read_layout(folder, path)
    name = name or layout.settings.name or name_from(folder.name)
    content = content_hash(layout)
    summary = _summary(layout)
    card = StreamCard(
        what=layout.settings.what or f"your own data: {summary}",
        source=layout.settings.source or str(folder),
        licence=layout.settings.licence,
        notes=_notes(layout),
    )
    return StreamSpec(
        name=name,
        factory="lcbench.data.folders.stream:FolderStream",
        tasks=tuple(TaskShape(task.name) for task in layout.tasks),
        params=layout_params(layout),
        digest=f"folder-{REVISION}-{content}",
        summary=summary,
        card=card,
        fixed={"folder": str(folder), "name": name, "shown": layout.shown, "content": content, "card": card},
        from_files=True,
        looks_ahead=layout.kind is Kind.TEXTS,  # words are chosen from the texts of all tasks
    )


def folder_name(path: str) -> str:
    """The name of the stream in a folder, by its stream.toml if there is one, else by its own name."""
    folder = Path(os.path.abspath(expanded(path)))  # noqa: PTH100 - as in folder_spec
    return read_settings(folder, path).name or name_from(folder.name)


def content_hash(layout: Layout) -> str:
    """A SHA-256 of a stream's files, by name and content, and of the settings in stream.toml that are no parameters.

    It is part of the stream's digest: a run on other content is another run.
    """
    try:
        tasks = [
            [t.name, t.clusters, sorted((file, _hash(layout.path(file))) for file in t.files)] for t in layout.tasks
        ]
    except OSError as error:
        raise InvalidTaskError(f"'{error.filename or layout.shown}' cannot be read ({error.strerror}).") from error
    text = layout.text
    words = [text.min_df, text.stop_words, text.pattern, text.encoding] if layout.kind is Kind.TEXTS else []
    content = {"kind": layout.kind.value, "tasks": tasks, "drop": sorted(layout.settings.drop), "words": words}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def layout_params(layout: Layout) -> tuple[Param, ...]:
    """The parameters of the stream in a folder; their defaults are taken from its stream.toml."""
    text = layout.text
    said = {
        "label": layout.settings.label, "clusters": layout.clusters, "weighting": text.weighting,
        "max_features": text.max_features, "idf": text.idf,
    }  # fmt: skip
    return tuple(replace(param, default=said[param.name]) for param in _PARAMS[layout.kind])


def name_from(basename: str) -> str:
    """Turns the name of a folder into a name that a stream may have."""
    name = re.sub(r"[^A-Za-z0-9_.\-]+", "-", basename).lstrip("_.-").rstrip("-")
    return name or "folder"


def _summary(layout: Layout) -> str:
    """A folder in a few words: `3 .csv files, one per task`."""
    if layout.kind is Kind.TEXTS:
        return f"{counted(len(layout.files), 'text')} in {counted(len(layout.tasks), 'folder')}, one per task"
    suffixes = " and ".join(sorted({Path(file).suffix.lower() for file in layout.files}))
    return f"{counted(len(layout.files), f'{suffixes} file')}, one per task"


def _notes(layout: Layout) -> tuple[str, ...]:
    """A sentence that says how texts are split into words; none for other kinds."""
    if layout.kind is not Kind.TEXTS:
        return ()
    text = layout.text
    stop = "without scikit-learn's English stop words" if text.stop_words == "english" else "stop words included"
    pattern = f"what matches {text.pattern}" if text.pattern else "two letters or more, of any alphabet"
    return (
        f"Words are {pattern}, lower-cased, {stop}, in at least {counted(text.min_df, 'text')}; texts are read as "
        f"{text.encoding}. {FILE_NAME} changes that.",
    )
