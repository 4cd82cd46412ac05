"""The no-replay audit: whether a method keeps more of its old tasks than its setting promises."""

from __future__ import annotations

from collections.abc import Sequence

from lcbench.errors import ParameterError, did_you_mean

MEASURE, ISOLATE, POISON = MODES = ("measure", "isolate", "poison")


DEFAULT_MODES = (MEASURE,)


def checked_modes(modes: str | Sequence[str]) -> tuple[str, ...]:
    """The ways of auditing that were asked for, each once; `measure` is always among them."""
    asked = [modes] if isinstance(modes, str) else list(modes)
    for mode in asked:
        if mode not in MODES:
            raise ParameterError(f"There is no audit '{mode}'.{did_you_mean(str(mode), MODES)}")
    return tuple(mode for mode in MODES if mode == MODES[0] or mode in asked)
