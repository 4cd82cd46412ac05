"""Writes streams to files that all workers map into memory, read-only, uncopied.

Only the data are in files: a mapped array knows the path of its file, and a method could find labels beside it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from filelock import FileLock, Timeout
from scipy import sparse

from lcbench.contract.task import IntArray, LabelledTask, Task, parts_of
from lcbench.errors import OutputError

PREFIX = "lcbench-shared-"
SECONDS_TO_LOCK = 60.0  # younger folders may not have been locked yet


@dataclass(frozen=True, slots=True, eq=False)
class SharedStream:
    """The folder with the data of a stream, and the true classes of every task, which are not in it."""

    folder: Path
    labels: tuple[IntArray | None, ...]
    classes: tuple[tuple[str, ...], ...]


class SharedFolder:
    """A temporary folder of streams, removed at the end, or by the next one if its process was killed."""

    def __enter__(self) -> Self:
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        except OSError as error:
            raise OutputError(
                f"Workers need a temporary folder for their data ({error.strerror}): set TMPDIR to one that has room."
            ) from error
        self._lock = FileLock(self.path / "lock")
        self._lock.acquire()
        _sweep(self.path.parent)
        return self

    def __exit__(self, *exc: object) -> None:
        self._lock.release()
        shutil.rmtree(self.path, ignore_errors=True)

    def share(self, name: str, tasks: Sequence[LabelledTask]) -> SharedStream:
        """Write the data of a stream to files, to be read by `mapped_tasks`."""
        folder = self.path / name
        try:
            folder.mkdir()
            facts = [_write(folder, i, labelled.task) for i, labelled in enumerate(tasks)]
            names = tasks[0].task.feature_names
            same = all(labelled.task.feature_names == names for labelled in tasks)
            own = None if same else [labelled.task.feature_names for labelled in tasks]
            (folder / "facts").write_bytes(pickle.dumps({"tasks": facts, "features": names, "own_features": own}))
        except OSError as error:
            raise OutputError(
                f"The data for the workers do not fit into '{self.path.parent}' ({error.strerror}): set TMPDIR to a "
                "folder that has room."
            ) from error
        return SharedStream(folder, tuple(t.y for t in tasks), tuple(t.classes for t in tasks))


def mapped_tasks(shared: SharedStream) -> tuple[LabelledTask, ...]:
    """The tasks of a shared stream, their data mapped from the files."""
    facts = pickle.loads((shared.folder / "facts").read_bytes())
    own = facts["own_features"] or [facts["features"]] * len(facts["tasks"])
    return tuple(
        LabelledTask(_read(shared.folder, i, task, own[i]), shared.labels[i], shared.classes[i])
        for i, task in enumerate(facts["tasks"])
    )


def _write(folder: Path, i: int, task: Task) -> dict[str, Any]:
    X = task.X
    parts = parts_of(X)
    for part, array in enumerate(parts):
        np.save(folder / f"{i}-{part}.npy", array)
    return {"name": task.name, "shape": X.shape, "parts": len(parts), "n_clusters": task.n_clusters}


def _read(folder: Path, i: int, facts: dict[str, Any], features: tuple[str, ...] | None) -> Task:
    parts = [np.load(folder / f"{i}-{part}.npy", mmap_mode="r") for part in range(facts["parts"])]
    X = parts[0] if len(parts) == 1 else sparse.csr_array(tuple(parts), shape=facts["shape"], copy=False)
    return Task(facts["name"], X, facts["n_clusters"], features)


def _sweep(parent: Path) -> None:
    """Remove the folders of killed processes, which hold no lock any more."""
    for left in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, Timeout):
            if left.stat().st_uid == _user() and time.time() - left.stat().st_mtime > SECONDS_TO_LOCK:
                with FileLock(left / "lock", timeout=0):
                    shutil.rmtree(left, ignore_errors=True)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
