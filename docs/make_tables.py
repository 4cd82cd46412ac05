"""Writes the tables of figures in the docs from the files in docs/tables: `python docs/make_tables.py`.

A page has a table between `<!-- table: NAME -->` and `<!-- end of table: NAME -->`, and what a command printed between
`<!-- output: NAME -->` and `<!-- end of output: NAME -->`. Nobody types into these: TABLES says which command makes the
file of each, and a test compares pages with files.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

DOCS = Path(__file__).parent
FILES = DOCS / "tables"


@dataclass(frozen=True)
class Cell:
    """A line of a file: a figure by one metric, half the width of its 95 % interval, how many orders, if not all."""

    row: str
    column: str
    metric: str
    value: str
    half: str = ""
    orders: str = ""
    bold: str = ""


@dataclass(frozen=True)
class Table:
    """Where a file is shown: page, title of the first column, metrics of a cell; and the command that makes it.

    A file without a page is linked, not shown.
    """

    page: str
    corner: str
    metrics: tuple[str, ...]
    made_by: str


SCORES = ("purity", "nmi", "ri")
RUNS, MEASURED = "docs/make_run_tables.py {} FOLDER", "docs/make_measured_tables.py {}"
TABLES = {
    "streams-paper": Table("streams.md", "stream", ("purity", "nmi"), RUNS.format("streams-paper")),
    "streams-long": Table("streams.md", "stream", ("ari",), RUNS.format("streams-long")),
    "neighbours": Table("streams.md", "stream", ("ari",), MEASURED.format("neighbours")),
    "widths": Table("streams.md", "stream", ("ari",), MEASURED.format("widths")),
    "seeds": Table("streams.md", "stream", ("ari",), MEASURED.format("seeds")),
    "alone": Table("", "stream", ("ari",), MEASURED.format("alone")),
    "webkb4": Table("transfer.md", "method", ("nmi",), RUNS.format("transfer")),
    "reuters": Table("transfer.md", "method", ("nmi",), RUNS.format("transfer")),
    "20newsgroups": Table("transfer.md", "method", ("nmi",), RUNS.format("transfer")),
    "single-task": Table("transfer.md", "stream", ("purity", "nmi"), RUNS.format("single-task")),
    "tuning-gap": Table("tuning.md", "stream", SCORES, RUNS.format("tuning-gap")),
    "cpsc": Table("methods/cpsc.md", "stream", ("nmi",), RUNS.format("cpsc")),
    "cpsc-cost": Table("methods/cpsc.md", "stream", ("ratio",), MEASURED.format("cpsc-cost")),
    "cpsc-settings": Table("methods/cpsc.md", "what", ("text",), "notes of its development, which no command repeats"),
    "whose-webkb4": Table("methods/reproducibility.md", "method", SCORES, RUNS.format("whose-webkb4")),
    "whose-splits": Table("methods/reproducibility.md", "method", SCORES, RUNS.format("whose-splits")),
    "whose-seconds": Table("methods/reproducibility.md", "method", ("seconds",), RUNS.format("whose-seconds")),
    "lifelong-kmeans": Table("methods.md", "stream", ("ari",), RUNS.format("lifelong-kmeans")),
    "baseline-settings": Table("", "setting", ("text",), MEASURED.format("baseline-settings")),
    "paper-averages": Table("reproduce.md", "average", ("percent",), MEASURED.format("paper-averages")),
    "cluster": Table("cluster.md", "what", ("text",), MEASURED.format("cluster")),
}
OUTPUTS = {
    "targets": ("performance.md", "python tests/benchmarks/targets.py"),
    "reproduce-webkb4": ("reproduce.md", "lcbench reproduce webkb4, from the line that begins with 'Averages' on"),
}


def write_file(name: str, cells: Iterable[Cell]) -> None:
    """Keep the cells of a table in its file."""
    with (FILES / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [field.name for field in fields(Cell)], lineterminator="\n")
        rows.writeheader()
        rows.writerows(asdict(cell) for cell in cells)


def read_file(name: str) -> list[Cell]:
    """The cells of a table."""
    with (FILES / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [Cell(**row) for row in csv.DictReader(file)]


def update_file(name: str, cells: Iterable[Cell]) -> None:
    """Put these cells into the file of a table, in the place of those that it has, and say how many are other ones."""
    found = {(cell.row, cell.column, cell.metric): cell for cell in read_file(name)}
    made = {(cell.row, cell.column, cell.metric): cell for cell in cells}
    changed = [key for key, cell in made.items() if key not in found or found[key].value != cell.value]
    write_file(name, {**found, **made}.values())
    print(f"{name}: {len(made)} figures, {len(changed)} of them other than before")


def shown(cells: list[Cell]) -> str:
    """What stands in one cell of the page."""
    text = " / ".join(f"**{cell.value}**" if cell.bold else cell.value for cell in cells)
    if cells and cells[-1].half:
        text += f" ± {cells[-1].half}"
    return text + (f" ({cells[-1].orders})" if cells and cells[-1].orders else "")


def markdown(name: str) -> str:
    """The table of a page; columns of figures are set to the right."""
    table, found = TABLES[name], {}
    for cell in read_file(name):
        found.setdefault((cell.row, cell.column), {})[cell.metric] = cell
    rows, columns = (list(dict.fromkeys(key[i] for key in found)) for i in (0, 1))
    texts = {key: shown([by[m] for m in ("", *table.metrics) if m in by]) for key, by in found.items()}
    words = {column for (_, column), text in texts.items() if re.search("[a-z]", text)}
    sides = ["---" if column in words else "---:" for column in columns]
    lines = [f"| {' | '.join([table.corner, *columns])} |", f"|---|{'|'.join(sides)}|"]
    lines += [f"| {' | '.join([row, *(texts.get((row, column), '') for column in columns)])} |" for row in rows]
    return "\n".join(lines)


def between(text: str, kind: str, name: str, inner: str) -> str:
    """The text of a page with other lines between the marks of a name."""
    start, end = f"<!-- {kind}: {name} -->\n", f"<!-- end of {kind}: {name} -->"
    before, rest = text.split(start)
    return f"{before}{start}\n{inner}\n\n{end}{rest.split(end)[1]}"


def filled(page: str) -> str:
    """The text of a page with its tables as the files have them."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for name, table in TABLES.items():
        if table.page == page:
            text = between(text, "table", name, markdown(name))
    for name, (where, _) in OUTPUTS.items():
        if where == page:
            printed = (FILES / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")
            text = between(text, "output", name, f"```text\n{printed}\n```")
    return text


def pages() -> list[str]:
    """The pages that have tables of figures."""
    return sorted({table.page for table in TABLES.values() if table.page} | {page for page, _ in OUTPUTS.values()})


def main() -> None:
    """Fill all pages."""
    for page in pages():
        (DOCS / page).write_text(filled(page), encoding="utf-8")


if __name__ == "__main__":
    main()
