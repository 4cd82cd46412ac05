"""The names of the no-replay audits (measure, isolate, poison), and their check."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.errors import ParameterError, did_you_mean

MEASURE, ISOLATE, POISON = MODES = ("measure", "isolate", "poison")
DEFAULT_MODES = (MEASURE,)


def checked_modes(modes: str | Sequence[str]) -> tuple[str, ...]:
    """The audits asked for, each once and in the order of MODES; `measure` is always included."""
    asked = [modes] if isinstance(modes, str) else list(modes)
    for mode in asked:
        if mode not in MODES:
            raise ParameterError(f"There is no audit '{mode}'.{did_you_mean(str(mode), MODES)}")
    return tuple(mode for mode in MODES if mode == MODES[0] or mode in asked)
