"""Reads a run file: turns its JSON into a checked RunRecord, or says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import NoneType
from typing import Any

from lcbench.errors import RecordError
from lcbench.records.record import OK, RunRecord


def parse_run(content: bytes, run_id: str) -> tuple[RunRecord, str | None]:
    """The record in the file of `run_id`, and the hash of its environment; RecordError says what is wrong."""
    if not content.strip():
        raise RecordError("it is empty")
    try:
        values = json.loads(content)
        record = RunRecord.from_json(values)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"it is no JSON: {error}") from None
    if values["run_id"] != run_id:  # from_json saw that this is the id of the content
        raise RecordError("its name is not the id of its run")
    environment: Any = record.environment
    if isinstance(environment, str):
        record.environment = {}
    _check(record)
    return record, environment if isinstance(environment, str) else None


def _check(record: RunRecord) -> None:
    """Raise RecordError if a field has a wrong type or shape; the id covers only those that decide the labels."""
    for name, is_right in _FIELDS.items():
        if not is_right(getattr(record, name)):
            raise RecordError(f"its '{name}' cannot be read")
    tasks = len(record.order)
    for metric, R in record.scores.items():
        if not _fits(R, record):
            raise RecordError(f"its scores of '{metric}' do not fit its {tasks} tasks")
    if record.agreement and not _fits(record.agreement, record):  # older files have none
        raise RecordError(f"its 'agreement' does not fit its {tasks} tasks")


def _fits(matrix: Any, record: RunRecord) -> bool:
    """True if there is a row per finished step, each with a cell per task."""
    tasks = len(record.order)
    whole = isinstance(matrix, list) and (len(matrix) == tasks if record.status == OK else len(matrix) <= tasks)
    return whole and all(_is_list(row) and len(row) == tasks and _CELLS.issuperset(map(type, row)) for row in matrix)


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, list) and _NUMBERS.issuperset(map(type, value))


def _is_sizes(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(number, int) for number in value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(text, str) for text in value)


def _is_tuning(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("protocol"), str)


_NUMBERS = frozenset((float, int))
_CELLS = _NUMBERS | {NoneType}
_TEXT, _OBJECT, _WHOLE = _is(str), _is(dict), _is(int)
_FIELDS: dict[str, Callable[[Any], bool]] = {
    "method": _TEXT, "revision": _WHOLE, "params": _OBJECT, "setting": _TEXT, "stream": _TEXT,
    "stream_params": _OBJECT, "stream_digest": _TEXT, "order": _is_texts, "seed": _WHOLE, "repeat": _WHOLE,
    "evaluate": _TEXT, "future": _is(bool), "threads": _WHOLE, "tune": _is_tuning, "label": _TEXT,
    "stream_label": _TEXT, "stream_tasks": _is_texts, "note": _TEXT, "baseline": _is(str, NoneType), "code": _OBJECT,
    "error": _is(str, NoneType), "traceback": _is_texts, "finished": _is(str, NoneType), "scores": _OBJECT,
    "learn_seconds": _is_numbers, "predict_seconds": _is_numbers, "metric_seconds": _is_numbers,
    "state_bytes": _is_sizes, "peak_bytes": _is(int, NoneType), "objective_trace": _is_list, "audit": _OBJECT,
    "agreement": _is_list,
    "choice": _is(dict, NoneType), "digest": _is(str, NoneType), "environment": _OBJECT,
}  # fmt: skip
