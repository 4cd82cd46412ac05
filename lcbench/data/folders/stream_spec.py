"""Parameters (label, clusters, weighting) and spec of a stream in a folder.

A folder has only the parameters that have an effect on its kind of files. Imports nothing heavy.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import Param, Params, StreamCard, StreamSpec
from lcbench.data.folders.listing import Kind
from lcbench.data.text.parameters import text_params

if TYPE_CHECKING:
    from lcbench.data.folders.layout import Layout

REVISION = 1  # to be raised when the same files give other matrices than before
WEIGHTING, MAX_FEATURES, IDF = "tfidf", 5000, "pool"
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


def kind_params(kind: Kind, defaults: Params) -> tuple[Param, ...]:
    """The parameters of a folder of that kind; `defaults` replace the usual ones."""
    words = text_params(weighting=WEIGHTING, max_features=MAX_FEATURES, idf=IDF)
    usual = {Kind.ARRAYS: (_CLUSTERS,), Kind.TABLES: (_LABEL, _CLUSTERS), Kind.TEXTS: (_CLUSTERS, *words)}[kind]
    return tuple(replace(param, default=defaults.get(param.name, param.default)) for param in usual)


def layout_params(layout: Layout) -> tuple[Param, ...]:
    """The parameters of the stream in a folder; their defaults are taken from its stream.toml."""
    text = layout.settings.text
    words = {} if text is None else {name: getattr(text, name) for name in ("weighting", "max_features", "idf")}
    return kind_params(layout.kind, {"label": layout.settings.label, "clusters": layout.clusters, **words})


def make_spec(folder: Path, *, name: str, shown: str, content: str, card: StreamCard, **others: Any) -> StreamSpec:
    """The spec of the stream `name` in `folder`, which errors name `shown`; `content` is the hash of its files."""
    return StreamSpec(
        name=name,
        factory="lcbench.data.folders.stream:FolderStream",
        digest=f"folder-{REVISION}-{content}",
        card=card,
        fixed={"folder": str(folder), "name": name, "shown": shown, "content": content, "card": card},
        from_files=True,
        **others,
    )
