"""The figures of boards as rows of a CSV file, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from lcbench import __version__
from lcbench.analysis.statistics import Interval
from lcbench.report.sheets.formats import RawRows, csv_lines
from lcbench.submission.standings import PARTS, Board, Standing, part_of

RANK, SCORE = "rank", "score"
COLUMNS = (
    "suite", "suite_digest", "quick", "method", "setting", "level", "distribution", "version", "submission", "stream",
    "metric", "figure", "mean", "low", "high", "runs", "failed",
)  # fmt: skip


def board_csv(boards: Sequence[Board]) -> str:
    """A row per entry, stream, metric and figure; the stream is empty in a mean over all of them."""
    rows = (row for board in boards for standing in board.standings for row in _rows(board, standing))
    return "".join(csv_lines(RawRows(COLUMNS, rows)))


def _rows(board: Board, standing: Standing) -> Iterator[dict[str, Any]]:
    about = {**_suite(board), **_entry(standing)}
    for stream, metric, figure, found in _figures(board, standing):
        entry = standing.entry
        runs = len(entry.runs_on(stream)) if stream else len(entry.runs)
        failed = sum(entry.failed_on(each.shown) for each in board.streams if stream in ("", each.shown))
        yield {
            **about, "stream": stream, "metric": metric, "figure": figure, **_numbers(found), "runs": runs,
            "failed": failed,
        }  # fmt: skip


def _figures(board: Board, standing: Standing) -> Iterator[tuple[str, str, str, Interval | None]]:
    """Stream, metric, figure and value: first the means over all streams, then those on each."""
    first = board.metrics[0]
    yield "", first, RANK, standing.rank
    yield from (("", metric, SCORE, standing.means[metric]) for metric in board.metrics)
    yield from (("", first, part, found) for part, found in standing.parts.items())
    for stream in (each.shown for each in board.streams):
        yield stream, first, RANK, Interval(standing.ranks[stream], None, None, "nothing")
        yield from ((stream, metric, SCORE, standing.scores[stream, metric]) for metric in board.metrics)
        if stream in standing.transfer:
            yield from ((stream, first, part, part_of(standing.transfer[stream], part)) for part in PARTS)


def board_json(boards: Sequence[Board]) -> str:
    """The boards with their entries: who submitted them, on which proof, and the same figures as the rows have."""
    content = {"lcbench": __version__, "boards": [_board(board) for board in boards]}
    return json.dumps(content, indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def _board(board: Board) -> dict[str, Any]:
    budget = board.suite.file.budget
    return {
        **_suite(board),
        "budget": {"time": budget.time, "memory": budget.memory},
        "metrics": list(board.metrics),
        "streams": [
            {"stream": s.shown, "digest": s.digest, "tasks": s.tasks, "order": s.order, "repeats": s.repeats}
            for s in board.streams
        ],
        "entries": [_with_figures(board, standing) for standing in board.standings],
    }


def _with_figures(board: Board, standing: Standing) -> dict[str, Any]:
    entry = standing.entry
    return {
        **_entry(standing),
        "params": entry.method.values,
        "about": entry.submission.description.about.model_dump(mode="json"),
        "verification": None if entry.verification is None else entry.verification.model_dump(mode="json"),
        "runs": len(entry.runs),
        "solo_runs": len(entry.solos),
        "failed": [{"run": run.run_id, "stream": run.stream_label, "status": run.status} for run in entry.failed],
        "longest_run_seconds": entry.seconds,
        "peak_bytes": entry.bytes,
        "figures": [
            {"stream": stream, "metric": metric, "figure": figure, **_numbers(found)}
            for stream, metric, figure, found in _figures(board, standing)
        ],
    }


def _suite(board: Board) -> dict[str, Any]:
    return {"suite": board.suite.name, "suite_digest": board.suite.digest, "quick": board.suite.quick}


def _entry(standing: Standing) -> dict[str, Any]:
    entry = standing.entry
    package = entry.submission.description.package
    return {
        "method": entry.name, "setting": entry.method.setting, "level": str(entry.level),
        "distribution": package.distribution, "version": package.version, "submission": entry.submission.id,
    }  # fmt: skip


def _numbers(found: Interval | None) -> dict[str, float | None]:
    return {name: getattr(found, name, None) for name in ("mean", "low", "high")}
