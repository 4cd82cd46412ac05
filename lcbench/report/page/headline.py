"""What the page is called: its streams and how many methods are on them."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.printable import counted

MOST_STREAMS, MOST_CHARACTERS = 3, 70


def headline(streams: Sequence[str], methods: int) -> str:
    """`webkb4, digits · 11 methods`; many streams, or such with long names, are counted."""
    names = ", ".join(streams)
    short = len(streams) <= MOST_STREAMS and len(names) <= MOST_CHARACTERS
    return f"{names if short else counted(len(streams), 'stream')} · {counted(methods, 'method')}"
