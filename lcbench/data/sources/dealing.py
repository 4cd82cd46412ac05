"""Deals documents to tasks by hashes of their content: always the same tasks.

No random generator has a say, whose numbers may differ between versions. A task depends on those before it alone.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from lcbench.data.sources.documents import Document
from lcbench.errors import PluginError


def deal(stream: str, documents: Iterable[Document], sizes: Sequence[Mapping[str, int]]) -> list[list[Document]]:
    """The documents of each task; `sizes[t]` has the numbers of documents that task t gets, by key.

    Those of a key are taken in ascending order of SHA-256(stream, NUL, text), each text once. Those of a task are then
    sorted by a second hash: by the first one, the last task of a key would hold its largest hashes and be sorted.
    """
    texts: dict[str, set[str]] = defaultdict(set)
    for document in documents:
        texts[document.key].add(document.text)
    left = {key: iter(sorted(found, key=lambda text: _hash(stream, text))) for key, found in texts.items()}
    tasks = []
    for t, wanted in enumerate(sizes):
        task = [Document(key, text) for key, n in wanted.items() for text in islice(left[key], n)]
        if len(task) < sum(wanted.values()):
            raise PluginError(f"Stream '{stream}' cannot be cut: there are too few documents for part {t + 1}.")
        tasks.append(sorted(task, key=lambda document: (_hash(f"{stream}\0row", document.text), document.key)))
    return tasks


def _hash(stream: str, text: str) -> bytes:
    return hashlib.sha256(f"{stream}\0{text}".encode("utf-8", "surrogatepass")).digest()
