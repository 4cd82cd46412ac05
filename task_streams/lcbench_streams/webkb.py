"""The pages of the CMU World Wide Knowledge Base, as their archive holds them: `.../CLASS/UNIVERSITY/PAGE`."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from lcbench import Member, RawData

_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def read_pages(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Pages by 'class/university'. Only folders are looked at: copies of the archive spell the names of pages apart."""
    for member in members:
        key = "/".join(member.parts[-3:-1])
        if key in raw.counts:
            yield key, member.read().decode("latin-1")


def page_text(page: str) -> str:
    """What a reader sees of a page: without its HTTP header, which names the university, scripts, styles and tags."""
    _, found, body = page.partition("\n\n")
    body = _UNSEEN.sub(" ", body if found else page)
    return html.unescape(_TAG.sub(" ", body))
