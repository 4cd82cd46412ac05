"""The files of a run: JSON with a checksum, and labels as `.npz`; both checked when read.

The checksum shows that a file is not what lcbench wrote. It is no signature: who edits a file can write another one.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import replace
from math import isclose
from typing import TYPE_CHECKING, Any, NoReturn

from lcbench.errors import RecordError
from lcbench.records.record import CHECKED_SCHEMA, SCHEMA, RunRecord
from lcbench.records.record_checks import check_record
from lcbench.registry.metrics import metric_spec

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray

_CHECKSUM = b', "checksum": "'
MOST_DIGITS = 300  # of a whole number: one that is longer cannot be compared with others
_ARRAY = re.compile(r"step-([1-9]\d*)-task-([1-9]\d*)")


def run_content(record: RunRecord, environment: str) -> bytes:
    """The content of a run's file: one line of JSON, whose last key is the SHA-256 of that line without it."""
    line = json.dumps({**record.to_json(), "environment": environment}, allow_nan=False).encode()
    return line[:-1] + _CHECKSUM + hashlib.sha256(line).hexdigest().encode() + b'"}\n'


def parse_run(content: bytes, run_id: str) -> tuple[RunRecord, str | None]:
    """The record in the file of `run_id`, and the hash of its environment; RecordError says what is wrong."""
    if not content.strip():
        raise RecordError("it is empty")
    try:
        values = _DECODER.decode(content.decode())
        _check_sum(content, values)
        record = RunRecord.from_json(values)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"it is no JSON: {error}") from None
    if values["run_id"] != run_id:  # from_json saw that this is the id of the content
        raise RecordError("its name is not the id of its run")
    environment: Any = record.environment
    if isinstance(environment, str):
        record.environment = {}
    check_record(record)
    return record, environment if isinstance(environment, str) else None


def check_summary(content: bytes, record: RunRecord) -> None:
    """Raise RecordError if a figure in the file of a run is not that of its scores, from which tables compute it."""
    values = _DECODER.decode(content.decode())
    if "checksum" not in values:
        return  # of an older lcbench: its scores may have been edited as well, and it says that it is unverified
    stored = values.get("summary")
    for metric, figures in record.summary.items():
        if metric_spec(metric) is None:
            continue  # its plugin is gone: it is not known if less is better
        for name, own in figures.items():
            try:
                there = stored[metric][name]
                same = there["formula"] != own["formula"] or _is_same(there["value"], own["value"])
            except KeyError:  # an older lcbench had not all figures
                continue
            except TypeError:
                same = False
            if not same:
                raise RecordError(f"its summary has another {name.replace('_', ' ')} by {metric} than its scores")


def _is_same(stored: Any, own: float | None) -> bool:
    return stored is own is None or (own is not None and isclose(stored, own, rel_tol=1e-9, abs_tol=1e-12))


def _check_sum(content: bytes, values: Any) -> None:
    """Raise RecordError if the checksum of a file does not fit, or if it should have one; older schemas had none."""
    schema = values.get("schema") if isinstance(values, dict) else None
    if not isinstance(schema, int) or schema > SCHEMA:
        return  # who reads the values says what is wrong
    if "checksum" not in values:
        if schema >= CHECKED_SCHEMA:
            raise RecordError("it has no checksum")
        return
    before, _, after = content.rpartition(_CHECKSUM)
    if after.rstrip() != hashlib.sha256(before + b"}").hexdigest().encode() + b'"}':
        raise RecordError("it was changed: its checksum does not fit")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number")


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits")
    return int(digits)


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_int=_integer)


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
