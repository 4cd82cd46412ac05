"""Data handed to other processes: sealed memory on Linux, files elsewhere."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from lcbench.contract.task import LabelledTask, Task

ALIGNED = 64  # bytes: where arrays start
MOST_KEPT = 100  # parcels of tasks that stay made, each an open file
_F_ADD_SEALS = 1033
_ALL_SEALS = 0x1 | 0x2 | 0x4 | 0x8  # no more seals, no shrinking, growing or writing
_PROT_READ, _MAP_SHARED = 1, 1


@dataclass(slots=True, eq=False)
class Parcel:
    """Bytes that another process may read: an open file without a name (`descriptor`), or a file (`path`)."""

    descriptor: int = -1
    path: str | Path | None = None

    @classmethod
    def of(cls, parts: Sequence[Any], folder: Path | None = None) -> Parcel:
        """A parcel with `parts`, objects with a buffer, one after the other: sealed memory, or a file in `folder`."""
        if folder is not None:
            path = folder / f"parcel-{os.urandom(8).hex()}"
            with path.open("wb") as file:
                file.writelines(parts)
            return cls(path=path)
        import fcntl

        descriptor = os.memfd_create("lcbench", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        with open(descriptor, "wb", closefd=False) as file:
            file.writelines(parts)
        fcntl.fcntl(descriptor, _F_ADD_SEALS, _ALL_SEALS)
        return cls(descriptor=descriptor)

    def pieces(self, places: Sequence[tuple[int, int]]) -> list[memoryview]:
        """The bytes at each (start, length), read-only, where possible without a copy; closes the parcel.

        No piece leads to another one, so that who holds an array holds its data and nothing else.
        """
        if self.path is not None:
            content = Path(self.path).read_bytes()
            Path(self.path).unlink(missing_ok=True)
            return [memoryview(content[start : start + length]) for start, length in places]
        size = os.fstat(self.descriptor).st_size
        if any(start < 0 or length < 0 or start + length > size for start, length in places):
            raise ValueError("a parcel is shorter than its description says")
        try:
            address = _mapped(self.descriptor, size) if size else 0
        finally:
            self.close()
        return [
            memoryview((ctypes.c_char * length).from_address(address + start)).toreadonly().cast("B")
            if length
            else memoryview(b"")
            for start, length in places
        ]

    def content(self) -> memoryview:
        """All bytes, read-only; closes the parcel."""
        size = Path(self.path).stat().st_size if self.path is not None else os.fstat(self.descriptor).st_size
        return self.pieces([(0, size)])[0]

    def read(self) -> bytes:
        """A copy of all bytes; closes the parcel. What is mapped stays until the process ends, this does not."""
        if self.path is not None:
            return bytes(self.content())
        with open(self.descriptor, "rb", closefd=False) as file:
            file.seek(0)
            found = file.read()
        self.close()
        return found

    def close(self) -> None:
        """Close it here; where it was sent, it stays open. A file stays, in its temporary folder."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def _opened_again(descriptor: int) -> int:
    """The same file with a position of its own where /proc allows that; a duplicate would share it."""
    try:
        return os.open(f"/proc/self/fd/{descriptor}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return os.dup(descriptor)


def _mapped(descriptor: int, size: int) -> int:
    """The address of an open file, mapped until the process ends: Python's own map would keep the file open."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    whole = ctypes.c_int
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, whole, whole, whole, ctypes.c_long]
    address = libc.mmap(None, size, _PROT_READ, _MAP_SHARED, descriptor, 0)
    if address in (None, ctypes.c_void_p(-1).value):
        raise OSError(ctypes.get_errno(), "the data of a task could not be mapped")
    return int(address)


class PackedTask(NamedTuple):
    """A task as raw bytes, for another machine: its description, and the bytes of its parcel."""

    described: dict[str, Any]
    content: bytes


class TaskParcels:
    """The tasks of a stream, with labels or without, made into parcels when due; the last ones stay made.

    Tasks that are packed already stay as they are.
    """

    def __init__(
        self, tasks: Sequence[LabelledTask] | Sequence[PackedTask], folder: Path | None, *, labelled: bool
    ) -> None:
        self._tasks = tasks
        self._folder = folder
        self._labelled = labelled
        self._made: OrderedDict[int, tuple[dict[str, Any], Parcel]] = OrderedDict()
        self._lock = threading.Lock()

    def lent(self, i: int, *, alone: bool = False) -> tuple[dict[str, Any], Parcel]:
        """The description of the i-th task, for a message, and its data, to be closed by who has sent them.

        Data that are not lent `alone` are shared with other processes: their content cannot be changed, but who has
        them could leave a message in the times, the mode or the attributes of their file.
        """
        if alone or self._folder is not None:  # a file belongs to the process that reads it
            return self._make(self._tasks[i])
        with self._lock:
            if i not in self._made:
                self._made[i] = self._make(self._tasks[i])
                if len(self._made) > MOST_KEPT:
                    self._made.popitem(last=False)[1][1].close()
            self._made.move_to_end(i)
            described, parcel = self._made[i]
            return described, Parcel(descriptor=_opened_again(parcel.descriptor))

    def close(self) -> None:
        """Close all parcels."""
        with self._lock:
            while self._made:
                self._made.popitem()[1][1].close()

    def _make(self, task: LabelledTask | PackedTask) -> tuple[dict[str, Any], Parcel]:
        if isinstance(task, PackedTask):
            return task.described, Parcel.of([task.content], self._folder)
        described, parts = _parts(task, labelled=self._labelled)
        return described, Parcel.of(parts, self._folder)


def packed_task(labelled: LabelledTask) -> PackedTask:
    """A task without its labels, for another machine."""
    described, parts = _parts(labelled, labelled=False)
    return PackedTask(described, b"".join(parts))


def _parts(task: LabelledTask, *, labelled: bool) -> tuple[dict[str, Any], list[Any]]:
    """The description of a task, with labels or without, and its data: objects with a buffer."""
    from lcbench.contract.task import parts_of

    X, y = task.task.X, task.y if labelled else None
    facts: list[dict[str, Any]] = []
    parts: list[Any] = []
    end = 0
    for array in (*parts_of(X), *(() if y is None else (y,))):
        parts += [bytes(-end % ALIGNED), array.data if array.flags.c_contiguous else array.tobytes()]
        end += -end % ALIGNED
        facts.append({"dtype": array.dtype.str, "count": array.size, "start": end})
        end += array.nbytes
    features = json.dumps(task.task.feature_names).encode()
    described = {
        "name": task.name, "shape": list(X.shape), "clusters": task.task.n_clusters, "arrays": facts,
        "sparse": len(parts_of(X)) > 1, "features": [end, len(features)], "labelled": y is not None,
    }  # fmt: skip
    return described, [*parts, features]


def unpacked(described: dict[str, Any], parcel: Parcel) -> LabelledTask:
    """The task of a parcel; its data are those of the parcel, not copied and not checked again."""
    import numpy as np
    from scipy import sparse

    from lcbench.contract.task import LabelledTask, trusted_task

    facts = described["arrays"]
    places = [(fact["start"], np.dtype(fact["dtype"]).itemsize * fact["count"]) for fact in facts]
    *data, text = parcel.pieces([*places, tuple(described["features"])])
    arrays = [np.frombuffer(piece, fact["dtype"]) for piece, fact in zip(data, facts, strict=True)]
    y = arrays.pop() if described["labelled"] else None
    shape = tuple(described["shape"])
    X = sparse.csr_array(tuple(arrays), shape=shape, copy=False) if described["sparse"] else arrays[0].reshape(shape)
    task: Task = trusted_task(described["name"], X, described["clusters"], _feature_names(bytes(text)))
    return LabelledTask(task, y)


@lru_cache(maxsize=1)
def _feature_names(text: bytes) -> tuple[str, ...] | None:
    """The names of features; tasks with the same ones share them, so that the pickle of a method has them once."""
    names = json.loads(text)
    return names and tuple(names)
