"""Durations and sizes as people write them: `60s`, `5min`, `1.5h`; `512MB`, `2GB`, `1.5GiB`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from lcbench.errors import ParameterError

SECONDS: Mapping[str, float] = {
    "": 1, "ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400,
}  # fmt: skip
BYTES: Mapping[str, float] = {
    "": 1, "b": 1,
    "k": 1000, "kb": 1000, "kib": 1024,
    "m": 1000**2, "mb": 1000**2, "mib": 1024**2,
    "g": 1000**3, "gb": 1000**3, "gib": 1024**3,
    "t": 1000**4, "tb": 1000**4, "tib": 1024**4,
}  # fmt: skip
DURATION_RULE = "a duration above 0 such as 60s, 5min or 1.5h"
SIZE_RULE = "a size of at least one byte such as 512MB, 2GB or 1.5GiB"
_QUANTITY = re.compile(r"\s*(?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*(?P<unit>[A-Za-z]*)\s*", re.ASCII)


def parse_duration(text: str | float) -> float:
    """Seconds; a number without a unit is a number of seconds."""
    return _parse(text, SECONDS, DURATION_RULE)


def parse_size(text: str | float) -> int:
    """Bytes: kB, MB, GB and TB count in thousands, KiB, MiB, GiB and TiB in 1024s; no unit is bytes."""
    size = int(_parse(text, BYTES, SIZE_RULE))
    if size < 1:
        raise _refuse(text, SIZE_RULE)
    return size


def _parse(text: Any, units: Mapping[str, float], rule: str) -> float:
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        value = float(text)
    else:
        match = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
        factor = None if match is None else units.get(match["unit"].lower())
        if match is None or factor is None:
            raise _refuse(text, rule)
        value = float(match["number"]) * factor
    if not math.isfinite(value) or value <= 0:
        raise _refuse(text, rule)
    return value


def _refuse(text: Any, rule: str) -> ParameterError:
    return ParameterError(f"{text!r} is not {rule}.")
