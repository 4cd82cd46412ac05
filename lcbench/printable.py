"""Makes text from outside safe to print, and counts and byte sizes easy to read."""

from __future__ import annotations

import re
import textwrap

MOST_NAMED = 5  # names in one message
LONGEST_VALUE, LONGEST_LINE = 300, 2000  # characters in a message
_VALUE = re.compile(r"""(?<!\w)'[^']*'(?!\w)|(?<!\w)"[^"]*"(?!\w)|\S+""")


def printable(text: object) -> str:
    """`text` with every control character but the line break replaced: it cannot steer a terminal."""
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in shown)


def printable_line(text: object) -> str:
    """As `printable`, but on one line, so that nothing in it looks like a line of our own output."""
    return printable(text).replace("\n", "\N{REPLACEMENT CHARACTER}")


def shortened(text: str) -> str:
    """`text` without the middle of words and quoted values that are very long, and of lines that still are."""
    lines = _VALUE.sub(lambda value: cut(value[0], LONGEST_VALUE), text).split("\n")
    return "\n".join(cut(line, LONGEST_LINE) for line in lines)


def cut(text: str, most: int) -> str:
    """`text`, or its start and its end if it has more than `most` characters."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 4 :]}"


def word_lines(text: str, width: int, indent: str = "") -> list[str]:
    """`text` in lines that end between words; long words, such as paths, stay whole. Lines that go on have `indent`."""
    return textwrap.wrap(
        text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ) or [text]  # fmt: skip


def counted(number: int, thing: str) -> str:
    """A number with its noun in singular or plural: `1 task`, `2,000 tasks`."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def byte_size(count: float) -> str:
    """A number of bytes in the unit that fits: `999 B`, `1.2 kB`, `56.7 MB`, `2.5 GB`."""
    for unit in ("B", "kB", "MB"):
        if count < 999.95:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def duration(seconds: float) -> str:
    """A time in words, to about two digits: seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 100 * 60 else f"{seconds / 3600:.1f} h"
