"""Writes the labels of a run as one `.npz` archive, and reads them back, verified."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

from lcbench.errors import RecordError

if TYPE_CHECKING:
    from lcbench.contract.task import IntArray
    from lcbench.records.record import RunRecord

_NAME = re.compile(r"step-([1-9]\d*)-task-([1-9]\d*)")


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
    from dataclasses import replace
    from zipfile import BadZipFile

    import numpy as np

    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except (OSError, EOFError, ValueError, KeyError, AttributeError, BadZipFile, NotImplementedError, zlib.error):
        raise RecordError("they are no archive of arrays") from None
    steps: list[dict[str, IntArray]] = [{} for _ in record.order]
    for name, array in arrays.items():
        match = _NAME.fullmatch(name)
        if match is None or max(int(match[1]), int(match[2])) > len(record.order) or array.dtype.kind not in "iu":
            raise RecordError(f"'{name[:40]}' cannot be among them")
        steps[int(match[1]) - 1][record.order[int(match[2]) - 1]] = array
    while steps and not steps[-1]:
        steps.pop()  # a run that failed has fewer steps
    if not steps or replace(record, labels=steps).labels_digest != record.digest:
        raise RecordError("they are not the ones that the run ended with")
    return steps
