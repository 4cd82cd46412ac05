"""The spec of a stream whose files are in a folder. Imports nothing heavy: start-up makes one of every import."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lcbench.specs import StreamCard, StreamSpec

REVISION = 1  # to be raised when the same files give other matrices than before


def make_spec(folder: Path, *, name: str, shown: str, content: str, card: StreamCard, **others: Any) -> StreamSpec:
    """The stream `name` in `folder`, which errors call `shown`; `content` is the hash of its files."""
    return StreamSpec(
        name=name,
        factory="lcbench.folders.stream:FolderStream",
        digest=f"folder-{REVISION}-{content}",
        card=card,
        fixed={"folder": str(folder), "name": name, "shown": shown, "content": content, "card": card},
        from_files=True,
        **others,
    )
