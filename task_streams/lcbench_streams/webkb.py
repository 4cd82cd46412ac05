"""Reads the web pages of the WebKB archive, and turns their HTML into text.

The CMU World Wide Knowledge Base has its pages under `.../CLASS/UNIVERSITY/PAGE`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

from lcbench import Member, RawData

_INVISIBLE = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]*>")


def read_pages(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Key 'class/university' and HTML of every page. File names are ignored: copies of the archive differ in them."""
    for member in members:
        key = "/".join(member.parts[-3:-1])
        if key in raw.counts:
            yield key, member.read().decode("latin-1")


def page_text(page: str) -> str:
    """The visible text of a page: without scripts, styles, tags, and its HTTP header, which names the university."""
    _, found, body = page.partition("\n\n")
    body = _INVISIBLE.sub(" ", body if found else page)
    return html.unescape(_TAG.sub(" ", body))
