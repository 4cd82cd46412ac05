"""Runs on disk: one JSON file per run, its labels beside it, each written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

from lcbench.errors import OutputError
from lcbench.hookspecs import hookimpl
from lcbench.record import OK, RunRecord, content_id
from lcbench.writing import write_whole


class RunStore:
    """Writes each finished run under a folder: `runs/ID.json`, `labels/ID.npz`, `environments/HASH.json`.

    The labels of step i of the task at position j are the array `step-I-task-J`, both counted from 1.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        parts = [self.folder / name for name in ("runs", "labels", "environments")]
        made: list[Path] = []
        for part in parts:
            try:
                _make_folder(part, made)
                with tempfile.TemporaryFile(dir=part):
                    pass
            except OSError as error:
                for path in reversed(made):
                    with contextlib.suppress(OSError):
                        path.rmdir()
                raise OutputError(
                    f"Results cannot be written to '{part}' ({error.strerror}): name another folder."
                ) from error

    @hookimpl
    def lcbench_run_finished(self, run: RunRecord) -> None:
        """Write the run: labels first, so that a run file never stands without them."""
        run_id = run.run_id
        file = self.folder / "runs" / f"{run_id}.json"
        if run.status != OK and _is_done(file):
            return  # a failure does not replace a result
        if run.labels:
            write_whole(self.folder / "labels" / f"{run_id}.npz", _labels_archive(run))
        environment_id = content_id(run.environment)
        environment = self.folder / "environments" / f"{environment_id}.json"
        if not environment.exists():
            write_whole(environment, _json_bytes(run.environment))
        write_whole(file, _json_bytes({**run.to_json(), "environment": environment_id}))


def _is_done(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_bytes())["status"] == OK)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _make_folder(path: Path, made: list[Path]) -> None:
    """Make a folder and those above it; each new one is added to `made`."""
    if not path.is_dir():
        if path.parent != path:
            _make_folder(path.parent, made)
        path.mkdir()
        made.append(path)


def _json_bytes(value: Any) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _labels_archive(run: RunRecord) -> bytes:
    import numpy as np

    arrays: dict[str, Any] = {
        f"step-{i + 1}-task-{run.order.index(task) + 1}": labels
        for i, step in enumerate(run.labels)
        for task, labels in step.items()
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()
