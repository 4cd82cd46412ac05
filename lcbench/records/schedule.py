"""The schedule of scoring: after every task, every N tasks, or the last task only."""

from __future__ import annotations

import re

from lcbench.errors import ParameterError


def parse_evaluate(evaluate: str) -> int:
    """The number of tasks between two scorings: 1 for `all`, N for `every:N`, 0 for `last` (only at the end)."""
    if evaluate in ("all", "last"):
        return 1 if evaluate == "all" else 0
    match = re.fullmatch(r"every:([1-9]\d*)", evaluate)
    if match is None:
        raise ParameterError(f"evaluate takes all, last or every:N with N of at least 1, not '{evaluate}'.")
    return int(match[1])


def is_scored(learned: int, total: int, every: int) -> bool:
    """True if the tasks seen so far are scored after `learned` of `total` tasks; always so after the last."""
    return learned == total or (every > 0 and learned % every == 0)
