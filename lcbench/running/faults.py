"""Describes an error that a method raised: facts in its process, the sentence outside."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from lcbench.errors import ContractError, LcbenchError, error_text
from lcbench.records.record import FAILED, OUT_OF_MEMORY
from lcbench.registry.plugin_code import Fault, fault_of

FRAMES_KEPT, LINES_KEPT = 6, 16
LONGEST_LINE, LONGEST_TEXT = 300, 2000
LCBENCH = Path(__file__).parents[1]


def facts_of(error: BaseException) -> dict[str, Any]:
    """Kind, text, place, hint and traceback of an error, and if it is one of lcbench's own."""
    fault, ours = fault_of(error), isinstance(error, LcbenchError)
    return {
        "kind": fault.kind,
        "text": error_text(error)[:LONGEST_TEXT] if ours else fault.text,
        "place": fault.place,
        "hint": fault.hint,
        "memory": isinstance(error, MemoryError),
        "contract": isinstance(error, ContractError),
        "ours": ours,
        "traceback": _last_lines(error),
    }


def described(facts: dict[str, Any], blame: str, task: str) -> tuple[str, str, list[str]]:
    """The status, the sentence and the traceback for a run whose method raised an error, whatever its facts say."""
    kind, text, place, hint = (str(facts.get(name, ""))[:LONGEST_TEXT] for name in ("kind", "text", "place", "hint"))
    lines = facts.get("traceback")
    shown = [str(line)[:LONGEST_LINE] for line in lines[:LINES_KEPT]] if isinstance(lines, list) else []
    status = OUT_OF_MEMORY if facts.get("memory") is True else FAILED
    if facts.get("contract") is True:
        return status, f"{text} The fault is in {blame}.", shown
    if facts.get("ours") is True:
        return status, text if text.startswith(blame) else f"{blame}: {text}", shown
    told = Fault(kind, text, place, hint).told(f"at task '{task}'")
    return status, f"{blame} raised {told}", shown


def _last_lines(error: BaseException) -> list[str]:
    """The traceback as Python prints it, without the frames of lcbench and shortened to the innermost frames."""
    frames = traceback.extract_tb(error.__traceback__)
    while len(frames) > 1 and Path(frames[0].filename).is_relative_to(LCBENCH):
        del frames[0]
    shown = "".join(traceback.format_list(frames[-FRAMES_KEPT:])) + f"{type(error).__name__}: {error_text(error)}"
    return ["Traceback (most recent call last):", *(line[:LONGEST_LINE] for line in shown.splitlines() if line.strip())]
