"""Reads the numbers by which a column of texts is sorted: `56.7 ±2.7`, `1.2 kB`, `<0.001`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lcbench.report.numbers import MISSING

_UNITS = {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}
_NUMBER = re.compile(
    r"[<[]?(?P<number>[+-]?\d[\d,]*(?:\.\d+)?)(?: ?(?P<unit>B|kB|MB|GB|s|%|x))?(?: (?:±|\+|of|to|\[|†) ?.*|±.*|, .*\])?"
)


def sort_keys(texts: Sequence[str]) -> list[str | None]:
    """The key of each text, "" for what is missing; None for all where a text of the column is no number."""
    found = [None if text in ("", MISSING) else _NUMBER.fullmatch(text) for text in texts]
    numbers = [match for match in found if match is not None]
    if not numbers or any(
        match is None and text not in ("", MISSING) for match, text in zip(found, texts, strict=True)
    ):
        return [None] * len(texts)
    return ["" if match is None else _key(match) for match in found]


def _key(match: re.Match[str]) -> str:
    return repr(float(match["number"].replace(",", "")) * _UNITS.get(match["unit"] or "", 1.0))
