"""The tables that an experiment with tuning ends with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import JustifyMethod, RenderableType
from rich.table import Table

from lcbench.cli.console import plain
from lcbench.record import RunRecord
from lcbench.report.tuning import CHOICE_HEADER, GAP_HEADER, choice_rows, gap_rows
from lcbench.tuning import PROTOCOLS, Gap

_TEXT_COLUMNS = ("stream", "method", "metric", "chosen", "not usable")
_GIVE_WAY = ("search s", "points", "runs", "untuned", "oracle - first-task", "first-task")
_EDGES, _GAP, _NARROW = 2, 2, 10  # of a table, between two columns, and how narrow a column of text may become


def tuning_tables(tuned: Sequence[RunRecord], gaps: Sequence[Gap], width: int) -> Iterator[RenderableType]:
    """What was chosen for each tuned run, and the gap between choosing with and without labels."""
    rows = choice_rows(tuned)
    if rows:
        yield plain("Tuning: the points chosen, and the seconds of learning and predicting at all points", "bold")
        yield from _table(CHOICE_HEADER, rows, [True] * len(rows), width)
    compared = gap_rows(gaps)
    if compared:
        yield plain("The oracle gap: averages after all tasks, had each protocol chosen among the same runs", "bold")
        yield from _table(GAP_HEADER, [row.cells for row in compared], [row.first for row in compared], width)
        yield plain("; ".join(f"{name}: {looks}" for name, looks in PROTOCOLS.items()) + ".", "dim")


def _table(
    header: Sequence[str], rows: Sequence[Sequence[str]], starts: Sequence[bool], width: int
) -> Iterator[RenderableType]:
    """A table; where it is too narrow for all, some columns give way and no number is cut."""
    titles = [name.replace("- ", "-\n") if " - " in name else name.replace(" ", "\n") for name in header]
    widths = [
        max(*map(cell_len, title.splitlines()), *(cell_len(row[i]) for row in rows)) for i, title in enumerate(titles)
    ]
    least = [min(w, _NARROW) if name in _TEXT_COLUMNS else w for name, w in zip(header, widths, strict=True)]
    kept = list(range(len(header)))
    for name in _GIVE_WAY:
        if name in header and _EDGES + sum(least[i] + _GAP for i in kept) - _GAP > width:
            kept.remove(header.index(name))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for i in kept:
        text = header[i] in _TEXT_COLUMNS
        side: JustifyMethod = "left" if text else "right"
        table.add_column(titles[i], justify=side, min_width=least[i], overflow="fold")
    for i, row in enumerate(rows):
        table.add_row(*(plain(row[j]) for j in kept), end_section=i + 1 == len(rows) or starts[i + 1])
    yield table
    left_out = [name for i, name in enumerate(header) if i not in kept]
    if left_out:
        yield plain(f"Left out to fit the width: {', '.join(left_out)}; --json has the runs.", "dim")
