"""The audits by name, and the verdict on a run: it keeps nothing, a library, or its data.

It needs neither the method nor the data, only the setting, the state's sizes and the audit in the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import Setting
from lcbench.errors import ParameterError, did_you_mean
from lcbench.printable import byte_size

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord

MEASURE, ISOLATE, POISON = MODES = ("measure", "isolate", "poison")  # the audits
DEFAULT_MODES = (MEASURE,)
NOTHING, LIBRARY, DATA, UNKNOWN = "nothing", "library", "data", "unknown"
PROMISES = {
    Setting.SINGLE_TASK.value: (NOTHING,),
    Setting.LIFELONG.value: (NOTHING, LIBRARY),
    Setting.MULTI_TASK.value: (NOTHING, LIBRARY, DATA, UNKNOWN),
}
MOST_BEFORE = 65_536  # bytes before the first task, or an eighth of one: in more there is room for data
FEW_BYTES = 256  # room for a flag or a counter: up to this a method keeps nothing
BYTES_PER_TASK = 512  # room for a name and counters: a library may grow by this with each task


def checked_modes(modes: str | Sequence[str]) -> tuple[str, ...]:
    """The audits asked for, each once and in the order of MODES; `measure` is always included."""
    asked = [modes] if isinstance(modes, str) else list(modes)
    for mode in asked:
        if mode not in MODES:
            raise ParameterError(f"There is no audit '{mode}'.{did_you_mean(str(mode), MODES)}")
    return tuple(mode for mode in MODES if mode == MEASURE or mode in asked)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on a method: what is `kept`, if its setting allows that (None: unknown), and the reasons.

    `size` is the number of bytes it held at the end beyond those it held before the first task. If it does not repeat
    itself (`repeats`), its labels differ under an audit as they do in every run: that accuses it of nothing.
    """

    kept: str
    size: int
    within_promise: bool | None
    reasons: tuple[str, ...] = ()
    repeats: bool = True

    def __str__(self) -> str:
        if self.kept == LIBRARY:
            return f"keeps a library of {self.size:,} bytes"
        return {NOTHING: "keeps nothing", DATA: "keeps its data", UNKNOWN: "cannot be told"}[self.kept]


def verdict(setting: str, state_bytes: Sequence[int], audit: Mapping[str, Any]) -> Verdict:
    """The verdict on a run from its setting, the bytes of its state after each step, and its audit.

    s_1, ..., s_m are the sizes after each of m tasks, of the pickled state or of the memory the method holds, minus the
    size before the first task. K_i is the largest number of clusters among the first i tasks. The method keeps its data
    if one of its tasks' arrays can still be reached, if its labels change under `isolate` or `poison`, or if for one of
    the two sizes max_i (s_i - s_1 (K_i / K_1)²) / (m - 1) is above 512; otherwise it keeps nothing if no s_i is above
    256, and a library if one is.
    """
    measure = audit.get(MEASURE, {})
    sizes = [size for size in (_state_sizes(state_bytes, measure), measure.get("held_bytes", [])) if size]
    if not sizes:
        return _judged(setting, UNKNOWN, 0, ("nothing was measured",))
    size = max(max(series[-1], 0) for series in sizes)
    findings = [*_reached(measure), *_grown(sizes, measure), *_changed(audit)]
    if findings:
        return _judged(setting, DATA, size, tuple(findings))
    doubts = _doubts(measure, audit)
    if max(map(max, sizes)) <= FEW_BYTES:
        kept = NOTHING
    elif len(sizes[0]) == 1:
        kept, doubts = UNKNOWN, (*doubts, "one task cannot tell a library from data")
    else:
        kept = LIBRARY
    if doubts and kept != UNKNOWN:
        return Verdict(kept, size, True if DATA in PROMISES[setting] else None, doubts, _repeats(audit))
    return _judged(setting, kept, size, doubts)


def verdict_of(record: RunRecord) -> Verdict:
    """The verdict on a run."""
    return verdict(record.setting, record.state_bytes, record.audit)


def _judged(setting: str, kept: str, size: int, reasons: tuple[str, ...]) -> Verdict:
    within = kept in PROMISES[setting]
    return Verdict(kept, size, None if kept == UNKNOWN and not within else within, reasons)


def _state_sizes(state_bytes: Sequence[int], measure: Mapping[str, Any]) -> list[int]:
    before = measure.get("state_bytes_before")
    return [] if before is None else [size - before for size in state_bytes]


def _reached(measure: Mapping[str, Any]) -> list[str]:
    first = measure.get("first_reachable")
    if first is None:
        return []
    return [f"the arrays of task '{first['task']}' could still be reached after step {first['step']}"]


def _grown(sizes: Sequence[Sequence[int]], measure: Mapping[str, Any]) -> list[str]:
    """A sentence about the size that grows most, if that is more than a library may grow."""
    growth = max(growth_per_task(series, measure.get("clusters", [])) for series in sizes)
    if growth <= BYTES_PER_TASK:
        return []
    data = measure["task_bytes"][: len(sizes[0])]
    share = growth * len(data) / sum(data)
    return [f"it grows by {byte_size(growth)} per task, {share:.0%} of a task's data"]


def growth_per_task(sizes: Sequence[int], clusters: Sequence[int]) -> float:
    """max_i (s_i - s_1 (K_i / K_1)²) / (m - 1): a library may widen with the number of clusters, not with the tasks."""
    if len(sizes) < 2:
        return 0.0
    most = list(accumulate(clusters, max)) or [1] * len(sizes)
    allowed = [max(sizes[0], 0) * (k / most[0]) ** 2 for k in most]
    return max(size - allow for size, allow in zip(sizes[1:], allowed[1:], strict=False)) / (len(sizes) - 1)


def _changed(audit: Mapping[str, Any]) -> list[str]:
    """Sentences about changed labels; changes prove nothing if the method gives other labels in every run."""
    said = {
        ISOLATE: "its labels change when it goes on from its pickled state alone",
        POISON: "its labels change when it is run again and old tasks are overwritten",
    }
    return [
        f"{sentence} ({_where(audit[mode])})"
        for mode, sentence in said.items()
        if audit.get(mode, {}).get("passed") is False and audit[mode].get("repeats") is not False
    ]


def _where(result: Mapping[str, Any]) -> str:
    where = f"step {result['step']}, task '{result['task']}'"
    return f"{where}: {result['error'].splitlines()[0][:100]}" if result.get("error") else where


def _doubts(measure: Mapping[str, Any], audit: Mapping[str, Any]) -> tuple[str, ...]:
    """Reasons why the audit may have missed something."""
    doubts = []
    before, data = measure.get("state_bytes_before"), measure.get("task_bytes") or [0]
    if before is not None and before > max(MOST_BEFORE, min(data) / 8):
        doubts.append(f"it held {byte_size(before)} before its first task, and what is in that by now is not told")
    if not measure.get("complete", False):
        doubts.append("it holds too much to be searched whole, or could not be looked into")
    if not _repeats(audit):
        doubts.append("it does not repeat itself, so that its labels accuse it of nothing and prove nothing")
    return tuple(doubts)


def _repeats(audit: Mapping[str, Any]) -> bool:
    return all(audit.get(mode, {}).get("repeats") is not False for mode in (ISOLATE, POISON))
