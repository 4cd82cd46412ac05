"""Writes the tables of docs/transfer.md from results folders: `python docs/make_transfer_table.py FOLDER...`.

The page has the commands that make the runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import lcbench

METRICS = ("purity", "nmi", "ri", "ari")
PAGE = Path(__file__).with_name("transfer.md")
START, END = "<!-- table: {} -->\n", "<!-- end of table: {} -->"


def cell(found, name: str) -> str:
    """A part of transfer by every metric, bold where its interval excludes zero."""
    texts = []
    for metric in METRICS:
        part = found[metric].parts[name]
        text = f"{round(100 * part.mean, 1) + 0.0:+.1f}"  # + 0.0: no negative zero
        sure = part.low is not None and (part.low > 0.0005 or part.high < -0.0005)
        texts.append(f"**{text}**" if sure else text)
    return " / ".join(texts)


def rows(stream) -> list[str]:
    """The table of a stream, a row per method, the best total transfer by the second metric first."""
    found = {
        method.label: {metric: stream.transfer[method.label, metric] for metric in METRICS}
        for method in stream.methods
        if all((method.label, metric) in stream.transfer for metric in METRICS)
    }
    head = "| method | orders | solo | forward | backward | total transfer |\n|---|---:|---|---|---|---|"
    lines = [head]
    for label, parts in sorted(found.items(), key=lambda item: -item[1]["nmi"].parts["total_transfer"].mean):
        solo = " / ".join(f"{100 * parts[metric].solo:.1f}" for metric in METRICS)
        changes = " | ".join(cell(parts, name) for name in ("forward", "backward", "total_transfer"))
        lines.append(f"| `{label}` | {parts['nmi'].orders} | {solo} | {changes} |")
    return lines


def main(folders: list[str]) -> None:
    """Replace the table of every stream that the folders hold."""
    text = PAGE.read_text(encoding="utf-8")
    for folder in folders:
        for stream in lcbench.compare(folder, metrics=list(METRICS)).streams:
            start, end = START.format(stream.label), END.format(stream.label)
            before, rest = text.split(start)
            text = before + start + "\n" + "\n".join(rows(stream)) + "\n\n" + end + rest.split(end)[1]
    PAGE.write_text(text, encoding="utf-8")


main(sys.argv[1:])
