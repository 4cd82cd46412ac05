"""Describes an error that a method raised: facts in its process, the sentence outside."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from lcbench.errors import ContractError, LcbenchError, error_text
from lcbench.records.record import FAILED, OUT_OF_MEMORY

FRAMES_KEPT, LINES_KEPT = 6, 16
LONGEST_LINE, LONGEST_TEXT = 300, 2000
READ_ONLY = ". Task.X is read-only: where a library writes to its input, hand it task.X.copy()"
LCBENCH = Path(__file__).parents[1]


def facts_of(error: BaseException) -> dict[str, Any]:
    """Kind, text, place and traceback of an error, and if it is one of lcbench's own."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "kind": type(error).__name__,
        "text": error_text(error)[:LONGEST_TEXT],
        "place": f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "",
        "memory": isinstance(error, MemoryError),
        "contract": isinstance(error, ContractError),
        "ours": isinstance(error, LcbenchError),
        "traceback": _last_lines(error),
    }


def described(facts: dict[str, Any], blame: str, task: str) -> tuple[str, str, list[str]]:
    """The status, the sentence and the traceback for a run whose method raised an error, whatever its facts say."""
    kind, text, place = (str(facts.get(name, ""))[:LONGEST_TEXT] for name in ("kind", "text", "place"))
    lines = facts.get("traceback")
    shown = [str(line)[:LONGEST_LINE] for line in lines[:LINES_KEPT]] if isinstance(lines, list) else []
    status = OUT_OF_MEMORY if facts.get("memory") is True else FAILED
    if facts.get("contract") is True:
        return status, f"{text} The fault is in {blame}.", shown
    if facts.get("ours") is True:
        return status, text if text.startswith(blame) else f"{blame}: {text}", shown
    where = f"{place}, at task '{task}'" if place else f"at task '{task}'"
    hint = READ_ONLY if "read-only" in text else ""
    return status, f"{blame} raised {kind}: {text} ({where}){hint}", shown


def _last_lines(error: BaseException) -> list[str]:
    """The traceback as Python prints it, without the frames of lcbench and shortened to the innermost frames."""
    frames = traceback.extract_tb(error.__traceback__)
    while len(frames) > 1 and Path(frames[0].filename).is_relative_to(LCBENCH):
        del frames[0]
    shown = "".join(traceback.format_list(frames[-FRAMES_KEPT:])) + f"{type(error).__name__}: {error_text(error)}"
    return ["Traceback (most recent call last):", *(line[:LONGEST_LINE] for line in shown.splitlines() if line.strip())]
