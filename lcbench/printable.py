"""Text from outside, made safe to show."""

from __future__ import annotations


def printable(text: object) -> str:
    """`text` with every control character but the line break replaced: it cannot steer a terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in str(text))
