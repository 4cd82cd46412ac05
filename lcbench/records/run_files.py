"""The files of a run: its record as JSON and its labels as `.npz`, checked when read."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from types import NoneType
from typing import TYPE_CHECKING, Any

from lcbench.errors import RecordError
from lcbench.records.record import OK, RunRecord

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray

_ARRAY = re.compile(r"step-([1-9]\d*)-task-([1-9]\d*)")


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
    if not isinstance(record.tune.get("protocol"), str):
        raise RecordError("its 'tune' cannot be read")
    tasks = len(record.order)
    for metric, R in record.scores.items():
        if not _fits(R, record):
            raise RecordError(f"its scores of '{metric}' do not fit its {tasks} tasks")
    if record.agreement and not _fits(record.agreement, record):  # older files have none
        raise RecordError(f"its 'agreement' does not fit its {tasks} tasks")
    if record.largest and len(record.largest) != tasks:
        raise RecordError(f"its 'largest' does not fit its {tasks} tasks")


def _fits(matrix: Any, record: RunRecord) -> bool:
    """True if there is a row per finished step, each with a cell per task."""
    tasks = len(record.order)
    whole = isinstance(matrix, list) and (len(matrix) == tasks if record.status == OK else len(matrix) <= tasks)
    return whole and all(_cells(row) and len(row) == tasks for row in matrix)


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _list_of(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and set(kinds).issuperset(map(type, value))


_cells, _texts = _list_of(float, int, NoneType), _list_of(str)
_RIGHT: dict[Any, Callable[[Any], bool]] = {  # by the annotation of the field
    "str": _is(str), "str | None": _is(str, NoneType), "int": _is(int), "int | None": _is(int, NoneType),
    "bool": _is(bool), "bool | None": _is(bool, NoneType), "float | None": _is(float, int, NoneType),
    "dict[str, Any]": _is(dict), "dict[str, Any] | None": _is(dict, NoneType),
    "tuple[str, ...]": _texts, "list[str]": _texts, "list[float]": _list_of(float, int), "list[int]": _list_of(int),
    "list[float | None]": _cells, "list[list[float | None]]": _is(list), "list[list[float | None] | None]": _is(list),
    "dict[str, list[list[float | None]]]": _is(dict),
}  # fmt: skip
_FIELDS = {field.name: _RIGHT[field.type] for field in fields(RunRecord) if field.name != "labels"}


def pack_labels(record: RunRecord) -> bytes:
    """The archive: its array `step-I-task-J`, counted from 1, has the labels after step I of the J-th task."""
    import numpy as np

    positions = {task: j + 1 for j, task in enumerate(record.order)}
    arrays: dict[str, Any] = {
        f"step-{i + 1}-task-{positions[task]}": labels
        for i, step in enumerate(record.labels)
        for task, labels in step.items()
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def unpack_labels(content: bytes, record: RunRecord) -> list[dict[str, IntArray]]:
    """The labels of each step of `record`; RecordError if they do not have the digest that the record has."""
    import zlib
    from zipfile import BadZipFile

    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, EOFError, ValueError, KeyError, AttributeError, BadZipFile, NotImplementedError, zlib.error):
        raise RecordError("they are no archive of arrays") from None
    steps: list[dict[str, IntArray]] = [{} for _ in record.order]
    for name, array in arrays.items():
        match = _ARRAY.fullmatch(name)
        if match is None or max(int(match[1]), int(match[2])) > len(record.order) or array.dtype.kind not in "iu":
            raise RecordError(f"'{name[:40]}' cannot be among them")
        steps[int(match[1]) - 1][record.order[int(match[2]) - 1]] = array
    while steps and not steps[-1]:
        steps.pop()  # a run that failed has fewer steps
    if not steps or replace(record, labels=steps).labels_digest != record.digest:
        raise RecordError("they are not the ones that the run ended with")
    return steps
