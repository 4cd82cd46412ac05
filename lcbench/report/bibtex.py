"""Writes BibTeX: entries of lcbench, and of the methods, streams and metrics used."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any

from lcbench import __version__
from lcbench.contract.reference import Reference

# As in CITATION.cff, which is not installed with the package; a test compares them.
AUTHORS = ("The lcbench developers",)
TITLE = "lcbench: a benchmark for lifelong and multi-task clustering"

_VENUES = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}
_ESCAPED = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
}
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030a": "r ", "\u0327": "c ",
    "\u030c": "v ", "\u0306": "u ",
}  # fmt: skip
_DOTTED = {"i": r"\i", "j": r"\j"}


def lcbench_entry() -> str:
    """The entry of lcbench itself, in this version."""
    author = " and ".join(f"{{{name}}}" for name in AUTHORS)  # in braces, as it is no person with a family name
    return _entry(
        "misc", "lcbench", [("author", author), ("title", f"{{{TITLE}}}"), ("note", f"Version {__version__}")]
    )


def entry(reference: Reference) -> str:
    """The entry of a publication, without the fields that are not known; its title keeps its capitals."""
    venue = _VENUES.get(reference.kind, "howpublished")
    fields = [
        ("author", " and ".join(map(in_bibtex, reference.authors))),
        ("title", f"{{{in_bibtex(reference.title)}}}"),
        (venue, in_bibtex(reference.venue)),
        ("volume", in_bibtex(reference.volume)),
        ("number", in_bibtex(reference.number)),
        ("pages", reference.pages.replace("-", "--")),
        ("year", str(reference.year or "")),
        ("doi", reference.doi),
        ("url", reference.url),
    ]
    return _entry(reference.kind, reference.key, fields)


def bibliography(used: Iterable[tuple[str, Any]]) -> str:
    """The entries of lcbench and of specs, with what each is used as; a publication comes once.

    What has no citation has a comment with its reference in words, if there is one.
    """
    entries: dict[str, str] = {}
    remarks = []
    for what, spec in used:
        for cited in spec.citations:
            entries.setdefault(cited.key, entry(cited))
        keys = ", ".join(cited.key for cited in spec.citations)
        words = getattr(spec, "reference", "") or getattr(getattr(spec, "card", None), "source", "")
        remarks.append(f"% {what} {spec.name}: {keys or _one_line(words) or 'nothing to cite'}")
    return "\n".join([*remarks, *([""] if remarks else []), "\n\n".join([lcbench_entry(), *entries.values()])]) + "\n"


def in_bibtex(text: str) -> str:
    r"""Text with special characters escaped, and letters with accents as BibTeX sorts them: {\"u}."""
    return "".join(_ESCAPED.get(letter) or _accented(letter) for letter in text)


def _accented(letter: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if len(marks) != 1 or marks[0] not in _ACCENTS:
        return letter
    accent = _ACCENTS[marks[0]]
    return f"{{\\{accent}{_DOTTED.get(base, base)}}}"


def _entry(kind: str, key: str, fields: Iterable[tuple[str, str]]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _one_line(text: str) -> str:
    return " ".join(text.split())
