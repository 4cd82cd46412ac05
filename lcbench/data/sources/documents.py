"""Raw documents: hashes that show if any was altered, and the file that caches them."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from lcbench.errors import DataRefusedError
from lcbench.writing import write_whole


class Document(NamedTuple):
    """A text, with the key by which recipes refer to its kind, such as 'course/cornell' or 'gnp'."""

    key: str
    text: str


def unify_line_ends(text: str) -> str:
    """`text` with every line end as a newline: honest copies of the same data may differ in that."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def text_digest(text: str) -> str:
    """The SHA-256 of a text. Documents are sorted by it, an order that says nothing about their classes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def content_digest(documents: Iterable[Document]) -> str:
    """A SHA-256 over the sorted keys and texts of documents: the order and the files they came in do not matter."""
    digest = hashlib.sha256()
    for line in sorted(f"{document.key}\t{text_digest(document.text)}\n" for document in documents):
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def count_keys(documents: Iterable[Document]) -> dict[str, int]:
    """The number of documents of each key."""
    return dict(sorted(Counter(document.key for document in documents).items()))


def write_documents(path: Path, documents: Sequence[Document]) -> None:
    """Write one JSON array per line, compressed; the file appears whole or not at all."""
    lines = "".join(json.dumps(list(document)) + "\n" for document in documents)
    write_whole(path, gzip.compress(lines.encode(), compresslevel=6, mtime=0))


def read_documents(path: Path) -> list[Document]:
    """The documents in a file of `write_documents`; DataRefusedError if it is damaged."""
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
        pairs = [json.loads(line) for line in lines]
        return [Document(str(key), str(text)) for key, text in pairs]
    except (OSError, EOFError, zlib.error, ValueError, TypeError) as error:
        raise DataRefusedError(f"'{path}' is damaged ({str(error) or type(error).__name__}).") from error
