"""Checks a record that was read: types and shapes, its setting, audits, ranges of scores.

Its id covers only what decides the labels, and files of older schemas have no checksum: one that was edited must cost
its own run alone, not every table that it would be in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from types import NoneType
from typing import Any

from lcbench.contract.specs import Setting
from lcbench.errors import RecordError
from lcbench.records.record import OK, RunRecord
from lcbench.registry.metrics import metric_spec

_SETTINGS = {setting.value for setting in Setting}
_PER_STEP = ("learn_seconds", "predict_seconds", "state_bytes")  # those that every schema has


def check_record(record: RunRecord) -> None:
    """Raise RecordError if a field has a wrong type or shape, or a score is outside of its metric's range."""
    for name, is_right in _FIELDS.items():
        if not is_right(getattr(record, name)):
            raise RecordError(f"its '{name}' cannot be read")
    if record.setting not in _SETTINGS:
        raise RecordError(f"its setting is {record.setting!r}")
    if not _audits_fit(record):
        raise RecordError("its 'audit' cannot be read")
    tasks = len(record.order)
    for name in _PER_STEP if record.status == OK else ():
        if len(getattr(record, name)) != tasks:
            raise RecordError(f"its '{name}' does not fit its {tasks} tasks")
    for metric, R in record.scores.items():
        if not _fits(R, record):
            raise RecordError(f"its scores of '{metric}' do not fit its {tasks} tasks")
        _check_range(metric, R)
    if record.agreement and not _fits(record.agreement, record):  # older files have none
        raise RecordError(f"its 'agreement' does not fit its {tasks} tasks")
    if record.largest and len(record.largest) != tasks:
        raise RecordError(f"its 'largest' does not fit its {tasks} tasks")


def _fits(matrix: Any, record: RunRecord) -> bool:
    """True if there is a row per finished step, each with a cell per task."""
    tasks = len(record.order)
    whole = isinstance(matrix, list) and (len(matrix) == tasks if record.status == OK else len(matrix) <= tasks)
    return whole and all(_cells(row) and len(row) == tasks for row in matrix)


def _audits_fit(record: RunRecord) -> bool:
    """True if each audit has what verdicts and tables look at; `measure` of a run that ended well, for every task."""
    audit = record.audit
    if not all(isinstance(found, dict) for found in audit.values()):
        return False
    if "measure" in audit:
        found = audit["measure"]
        if not _measure(found) or min([*found["task_bytes"], *found.get("clusters", ())], default=1) <= 0:
            return False
        if record.status == OK and len(found["task_bytes"]) != len(record.order):
            return False
    replays = [audit[mode] for mode in ("isolate", "poison") if mode in audit]
    return all(_replay(found) and (found["passed"] is not False or {"step", "task"} <= set(found)) for found in replays)


def _check_range(metric: str, R: list[list[float | None]]) -> None:
    """Raise RecordError if a score is outside of the range of its metric, which is not known if its plugin is gone."""
    spec = metric_spec(metric)
    if spec is None or spec.range is None:
        return
    scores = [score for row in R for score in row if score is not None]
    for score in (max(scores), min(scores)) if scores else ():
        if not spec.allows(score):
            low, high = spec.range
            raise RecordError(f"its {metric} of {score:g} is outside of the range from {low:g} to {high:g}")


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _list_of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and set(kinds).issuperset(map(type, value))


def _shaped(required: Mapping[str, Callable[[Any], bool]], **optional: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A check that a value is a dictionary with these keys, and with these optional ones if they are there."""
    every = {**required, **optional}
    return lambda value: (
        isinstance(value, dict)
        and required.keys() <= value.keys()
        and all(is_right(value[key]) for key, is_right in every.items() if key in value)
    )


def _or_none(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_right(value)


def _all(is_right: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


_cells, _texts, _counts = _list_of(float, int, NoneType), _list_of(str), _list_of(int)
_text_or_none, _flag_or_none, _facts = _is(str, NoneType), _is(bool, NoneType), _is(dict)
_measure = _shaped(
    {"task_bytes": _counts, "held_bytes": _counts},
    clusters=_counts, reachable=_counts, complete=_flag_or_none, state_bytes_before=_is(int, NoneType),
    first_reachable=_or_none(_shaped({"task": _is(str), "step": _is(int)})), error=_text_or_none,
)  # fmt: skip
_replay = _shaped(
    {"passed": _flag_or_none}, repeats=_flag_or_none, task=_is(str), step=_is(int), error=_text_or_none,
    reason=_text_or_none,
)  # fmt: skip


_choice = _shaped(
    {"params": _is(dict, NoneType), "run_id": _text_or_none, "points": _all(_shaped({"run_id": _text_or_none}))}
)
_RIGHT: dict[Any, Callable[[Any], bool]] = {  # by the annotation of the field
    "str": _is(str), "str | None": _text_or_none, "int": _is(int), "int | None": _is(int, NoneType),
    "bool": _is(bool), "bool | None": _flag_or_none, "float | None": _is(float, int, NoneType),
    "dict[str, Any]": _facts, "dict[str, Any] | None": _is(dict, NoneType),
    "tuple[str, ...]": _texts, "list[str]": _texts, "list[float]": _list_of(float, int), "list[int]": _counts,
    "list[float | None]": _cells, "list[list[float | None]]": _is(list),
    "list[list[float | None] | None]": _all(_or_none(_cells)), "dict[str, list[list[float | None]]]": _facts,
}  # fmt: skip
_FIELDS = {field.name: _RIGHT[field.type] for field in fields(RunRecord) if field.name != "labels"} | {
    "tune": _shaped({"protocol": _is(str), "grid": _or_none(_all(_facts))}),
    "choice": _or_none(_choice),
}
