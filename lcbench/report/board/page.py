"""The page of a board: tables of each suite, and filters by setting, level and budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lcbench.printable import byte_size, counted, duration
from lcbench.report.board.sheets import (
    across_sheet,
    overall_sheet,
    stream_sheet,
    stream_transfer_sheet,
    submission_sheet,
    transfer_sheet,
)
from lcbench.report.page.shell import render_page
from lcbench.report.sheets.sheet import Sheet
from lcbench.submission.standings import Board
from lcbench.submission.verification import Level

SECONDS = (1, 10, 60, 600, 3600)
BYTES = (250_000_000, 500_000_000, 1_000_000_000, 4_000_000_000)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page, of the board of a number: its tables, those folded that are True beside them."""

    id: str
    name: str
    board: int
    tables: tuple[tuple[Sheet, bool], ...]


def render_board(boards: Sequence[Board]) -> str:
    """The page as HTML."""
    sections = [section for i, board in enumerate(boards) for section in _sections(i, board, many=len(boards) > 1)]
    standings = [standing for board in boards for standing in board.standings]
    return render_page(
        "board.html.jinja",
        scripts=("board.js",),
        data={"entries": list(_entries(boards)), "levels": list(Level)},
        title=", ".join(board.title for board in boards),
        summary=_summary(boards),
        budgets=[_budget(board) for board in boards],
        parts=sections,
        sections={section.id: section.name for section in sections},
        filters=_filters(boards),
        settings={name: name for name in sorted({standing.entry.method.setting for standing in standings})},
    )


def _sections(number: int, board: Board, *, many: bool) -> Iterator[Section]:
    prefix = f"{board.title}: " if many else ""
    streams = tuple((stream_sheet(board, stream.shown), True) for stream in board.streams)
    across = tuple((across_sheet(board, metric), i > 0) for i, metric in enumerate(board.metrics))
    yield Section(f"overall-{number}", f"{prefix}Overall", number, ((overall_sheet(board), False),))
    yield Section(f"streams-{number}", f"{prefix}Streams", number, (*across, *streams))
    transfer = ((transfer_sheet(board), False), (stream_transfer_sheet(board), True))
    shown = tuple((sheet, folded) for sheet, folded in transfer if sheet is not None)
    if shown:
        yield Section(f"transfer-{number}", f"{prefix}Transfer", number, shown)
    yield Section(f"submissions-{number}", f"{prefix}Submissions", number, ((submission_sheet(board), False),))


def _summary(boards: Sequence[Board]) -> list[tuple[str, str]]:
    """Numbers at the head of the page, each with its noun."""
    standings = [standing for board in boards for standing in board.standings]
    runs = sum(len(standing.entry.runs) + len(standing.entry.solos) for standing in standings)
    counts = [
        (len(standings), "method"),
        (len({standing.entry.submission.id for standing in standings}), "submission"),
        (max(len(board.streams) for board in boards), "stream"),
        (runs, "run"),
        (sum(len(standing.entry.failed) for standing in standings), "failed run"),
    ]
    words = [counted(number, noun).split(" ", 1) for number, noun in counts]
    return [(noun, number) for number, noun in words]


def _budget(board: Board) -> str:
    """A sentence on what a suite allows, and the digest that tells it from others of its name."""
    budget = board.suite.file.budget
    return (
        f"{board.title}: {counted(len(board.streams), 'stream')}, {budget.time} and {budget.memory} for each run; "
        f"digest {board.suite.digest[:12]}."
    )


def _entries(boards: Sequence[Board]) -> Iterator[dict[str, Any]]:
    """The facts that the filters look at; a method with failed runs needs more than the budget."""
    for i, board in enumerate(boards):
        for entry in (standing.entry for standing in board.standings):
            yield {
                "board": i,
                "name": entry.name,
                "setting": entry.method.setting,
                "level": str(entry.level),
                "seconds": None if entry.failed else entry.seconds,
                "bytes": None if entry.failed else entry.bytes,
            }


def _filters(boards: Sequence[Board]) -> dict[str, dict[str, str]]:
    """The choices of time and memory below what the suites allow: value -> text."""
    most_seconds = max(board.suite.seconds for board in boards)
    most_bytes = max(board.suite.bytes for board in boards)
    return {
        "seconds": {str(n): duration(n) for n in SECONDS if n < most_seconds} | {str(most_seconds): "whole budget"},
        "bytes": {str(n): byte_size(n) for n in BYTES if n < most_bytes} | {str(most_bytes): "whole budget"},
    }
