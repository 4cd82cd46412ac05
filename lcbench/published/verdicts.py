"""How near ours is to a printed figure, in a word."""

from __future__ import annotations

from collections.abc import Iterable

WITHIN_POINTS = 2.0
NEAR_POINTS = 5.0
DECIMALS = 2

WITHIN, NEAR, OFF = f"within {WITHIN_POINTS:g}", "near", "off"
OTHER_SPLIT, MISSING = "other split", "no result"
_FROM_BEST = (WITHIN, NEAR, OFF, OTHER_SPLIT, MISSING)


def verdict(difference: float | None, *, same_data: bool) -> str:
    """`within 2` up to 2 points of difference, `near` up to 5, else `off`; no such claim about other data.

    Differences count as they are shown, with two decimals.
    """
    if difference is None:
        return MISSING
    if not same_data:
        return OTHER_SPLIT
    size = abs(round(difference, DECIMALS))
    return WITHIN if size <= WITHIN_POINTS else NEAR if size <= NEAR_POINTS else OFF


def worst(verdicts: Iterable[str]) -> str:
    """What holds for all of them."""
    return max(verdicts, key=_FROM_BEST.index)
