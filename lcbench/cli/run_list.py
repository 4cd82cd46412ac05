"""The list of stored runs for `results list`: as a table, plain lines or JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from lcbench.cli.stored_runs import SHORT
from lcbench.printable import printable_line

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.table import Table

    from lcbench.records.index import IndexEntry

GIVE_WAY = ("order", "repeat", "learn s", "when")
LONGEST_ORDER = 24


def table(runs: Sequence[tuple[str, IndexEntry]], width: int) -> tuple[Table, list[str]]:
    """Builds a table with a row per run; also returns the columns left out to fit the width."""
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table

    from lcbench.cli.console import plain
    from lcbench.registry.metrics import shown_metrics

    metrics = shown_metrics({metric: [[score]] for metric, score in entry.after_all.items()} for _, entry in runs)
    names = ["id", "status", "method", "stream", "order", "repeat", *metrics, "learn s", "when"]
    rows = [_row(run_id[:SHORT], entry, metrics, _short_order(entry.order)) for run_id, entry in runs]
    widths = {name: max(cell_len(text) for text in (name, *(row[i] for row in rows))) for i, name in enumerate(names)}
    for name in ("method", "stream"):
        widths[name] = min(widths[name], max(width // 5, 8))
    kept = list(names)
    for name in GIVE_WAY:
        if sum(widths[k] + 2 for k in kept) > width:
            kept.remove(name)
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in kept:
        side: JustifyMethod = "right" if name in (*metrics, "repeat", "learn s") else "left"
        grid.add_column(plain(name), justify=side, overflow="fold", max_width=widths[name], no_wrap=name == "id")
    for row in rows:
        grid.add_row(*(plain(row[names.index(name)], "cyan" if name == "id" else "") for name in kept))
    return grid, [name for name in names if name not in kept]


def plain_lines(runs: Sequence[tuple[str, IndexEntry]]) -> Iterator[str]:
    """A line per run, tab separated: as in the table, with the whole id and order and fixed columns."""
    from lcbench.registry.metrics import default_metrics

    metrics = default_metrics()
    for run_id, entry in runs:
        yield "\t".join(_row(run_id, entry, metrics, ",".join(entry.order)))


def json_lines(runs: Sequence[tuple[str, IndexEntry]]) -> Iterator[str]:
    """A JSON object per run: what the index has."""
    for run_id, entry in runs:
        yield json.dumps({"run_id": run_id, **entry._asdict()})


def _row(run_id: str, entry: IndexEntry, metrics: Sequence[str], order: str) -> list[str]:
    from lcbench.report import numbers

    scores = [_score(metric, entry.after_all.get(metric)) for metric in metrics]
    seconds = numbers.seconds(entry.learn_seconds)
    when = f"{entry.when.astimezone():%Y-%m-%d %H:%M}"
    cells = [entry.status, entry.label, entry.stream_label, order, str(entry.repeat), *scores, seconds, when]
    return [run_id, *(cell if cell.isprintable() else printable_line(cell) for cell in cells)]


@lru_cache(maxsize=4096)
def _score(metric: str, value: float | None) -> str:
    from lcbench.report import numbers

    return numbers.score(metric, value)


def _short_order(order: Sequence[str]) -> str:
    """The order of the tasks, shortened: as many names as fit, then the number of tasks."""
    whole = ",".join(order)
    if len(whole) <= LONGEST_ORDER:
        return whole
    ending = f",... ({len(order)})"
    text = order[0][: LONGEST_ORDER - len(ending)]
    for task in order[1:]:
        if len(f"{text},{task}{ending}") > LONGEST_ORDER:
            break
        text += f",{task}"
    return text + ending
