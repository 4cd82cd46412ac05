"""Event hooks that attack: they run in lcbench's own process, each only if HOSTILE_LISTENER names it."""

from __future__ import annotations

import os
from typing import Any

ESCAPES = "\x1b[31mred\x1b]0;title\x07\r\x9b2J\nstsc: done"


class Unusual(BaseException):
    """An exception that `except Exception` does not catch."""


def rewrites(run: Any, step: Any) -> None:
    """Gives every run the best scores, other labels and another status."""
    for target in (run, step):
        for name, value in vars_of(target).items():
            if name == "scores":
                for rows in value.values():
                    rows[:] = [[1.0] * len(row) if isinstance(row, list) else 1.0 for row in rows]
            if name == "labels":
                for labels in value if isinstance(value, list) else [value]:
                    for task in list(labels):
                        labels[task] = labels[task] * 0
    for name, value in (("status", "failed"), ("error", "rewritten"), ("learn_seconds", [0.0]), ("digest", "0")):
        setattr(run, name, value)


def vars_of(target: Any) -> dict[str, Any]:
    """The fields of an object with slots."""
    return {name: getattr(target, name) for name in getattr(type(target), "__slots__", ())}


def raises(run: Any, step: Any) -> None:
    """Raises an exception with escape codes."""
    raise ValueError(ESCAPES)


def exits(run: Any, step: Any) -> None:
    """Calls exit."""
    raise SystemExit(ESCAPES)


def raises_base(run: Any, step: Any) -> None:
    """Raises an exception that is no Exception."""
    raise Unusual("as you like")


def textless(run: Any, step: Any) -> None:
    """Raises an exception that has no text."""

    class TextlessError(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    raise TextlessError


def heard(run: Any, step: Any = None) -> None:
    """Let the attack that is switched on hear an event."""
    attacks = {each.__name__: each for each in (rewrites, raises, exits, raises_base, textless)}
    if (name := os.environ.get("HOSTILE_LISTENER")) is not None:
        attacks[name](run, step)
