"""Reference: a publication that a method, stream or metric comes from, for BibTeX.

It imports nothing heavy: specs hold references, and are read by every command.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reference:
    """One publication. `key` is its key in a .bib file, `authors` are written `Family, Given`.

    `kind` is a type of BibTeX's: `article` in a journal, `inproceedings` of a conference, `book`, or `misc` for what is
    neither. `venue` is the journal, the proceedings, the publisher of a book, or where else it appeared. What is not
    known stays empty, and is left out of the entry.
    """

    key: str
    kind: str
    title: str
    authors: tuple[str, ...]
    year: int | None = None
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    doi: str = ""
    url: str = ""
