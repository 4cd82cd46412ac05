"""File names made from what a figure is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lcbench.report.figures.chart import Chart

LONGEST = 200


def file_names(charts: Sequence[Chart], format: str) -> list[str]:
    """A name per chart, such as `lifelong-webkb4-l2sc.png`; no two are the same on any file system."""
    taken: set[str] = set()
    names = []
    for chart in charts:
        stem = _cut("-".join(part for text in chart.about if (part := _plain(text))))
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        names.append(f"{name}.{format}")
    return names


def _plain(text: str) -> str:
    """Letters, digits and a few signs: what every file system and shell takes as it is."""
    return re.sub(r"[^\w.=]+", "-", text).strip("-._")


def _cut(stem: str) -> str:
    """So many bytes that a number and an ending still fit."""
    return stem.encode()[:LONGEST].decode(errors="ignore").rstrip("-._")
