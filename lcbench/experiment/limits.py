"""Parses the timeout and memory limit of runs, such as `5min` and `2GB`.

Durations are written like `60s`, `5min` or `1.5h`, sizes like `512MB`, `2GB` or `1.5GiB`.
"""

from __future__ import annotations

import logging
import math
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lcbench.errors import ParameterError
from lcbench.printable import counted

if TYPE_CHECKING:
    from lcbench.running.executor import Limits

logger = logging.getLogger(__name__)

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
    """Turns a duration into seconds; a number without a unit is a number of seconds."""
    return _parse(text, SECONDS, DURATION_RULE)


def parse_size(text: str | float) -> int:
    """Turns a size into bytes: kB to TB count in thousands, KiB to TiB in 1024s; a bare number is in bytes."""
    size = int(_parse(text, BYTES, SIZE_RULE))
    if size < 1:
        raise _refuse(text, SIZE_RULE)
    return size


def make_limits(jobs: int, threads: int, timeout: Any, memory_limit: Any) -> Limits:
    """The limits of an experiment, which are checked; warns if memory cannot be limited, or there are few cores."""
    from lcbench.running.executor import Limits
    from lcbench.running.process_limits import can_limit_memory

    if memory_limit is not None and not can_limit_memory():
        logger.warning("Memory can be limited on Linux only: runs go without a limit here.")
        memory_limit = None
    cores = os.cpu_count() or 1
    if jobs * threads > cores:
        logger.warning(
            "%d jobs with %d thread%s each are more than the %s of this machine: times will not be fair.",
            jobs, threads, "" if threads == 1 else "s", counted(cores, "core"),
        )  # fmt: skip
    return Limits(jobs, threads, timeout, memory_limit)


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
