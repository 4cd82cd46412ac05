"""Places to hide tasks in: each function takes the present content and a task, and returns the new content.

`recall` turns hidden content into arrays, so that a method can learn from old tasks again.
"""

from __future__ import annotations

import array
import base64
import ctypes
import functools
import gc
import io
import os
import weakref
from pathlib import Path
from typing import ClassVar

import numpy as np
from scipy import sparse

from lcbench.contract.task import Task
from lcbench_cheats import stash


def small(task):
    """The data of a task as a dense array in single precision (float32)."""
    X = task.X.toarray() if sparse.issparse(task.X) else task.X
    return np.asarray(X, dtype=np.float32)


class Places:
    """A class in whose attribute methods hide tasks outside of themselves."""

    secrets: ClassVar[list] = []


class Slotted:
    """Has no __dict__, and raises an unusual error when asked for a missing attribute."""

    __slots__ = ("secret",)

    def __getattr__(self, name):
        raise RuntimeError("do not look")


class Rude(list):
    """A list that gives a wrong length and cannot be iterated over."""

    def __len__(self):
        return 0

    def __iter__(self):
        raise RuntimeError("do not look")


@functools.cache
def cached(name):
    return []


def counting(extra, secrets=[]):  # noqa: B006
    secrets.extend(extra)
    return secrets


def holding(values):
    def give():
        return values

    return give


def chained(cells, task):
    return holding([*(cells() if cells else []), small(task)])


def waiting(values):
    yield
    yield values


def started(values):
    generator = waiting(values)
    next(generator)
    return generator


def framed(generator, task):
    return started([*(generator.gi_frame.f_locals["values"] if generator else []), small(task)])


def slotted(thing, task):
    new = Slotted()
    new.secret = [*(thing.secret if thing else []), small(task)]
    return new


def rude(there, task):
    new = Rude()
    for i in range(list.__len__(there) if there is not None else 0):
        new.append(list.__getitem__(there, i))
    new.append(small(task))
    return new


def objects(there, task):
    boxed = np.empty(1 if there is None else len(there) + 1, dtype=object)
    boxed[:-1] = there
    boxed[-1] = small(task)
    return boxed


def foreign(there, task):
    content = (bytes(there) if there else b"") + small(task).tobytes()
    return (ctypes.c_char * len(content)).from_buffer_copy(content)


def weak(there, task):
    """References that keep no task alive: the harness does."""
    return [*(there or []), weakref.ref(task.X)]


# within the method, in an attribute that its pickle leaves out
IN_ATTRIBUTE = {
    "list": lambda there, task: [*(there or []), small(task)],
    "bytes": lambda there, task: (there or b"") + small(task).tobytes(),
    "bytearray": lambda there, task: bytearray(bytes(there or b"") + small(task).tobytes()),
    "array.array": lambda there, task: array.array("f", [*(there or ()), *small(task).ravel().tolist()]),
    "memoryview": lambda there, task: memoryview((bytes(there) if there else b"") + small(task).tobytes()),
    "text": lambda there, task: (there or "") + base64.b64encode(small(task).tobytes()).decode(),
    "numbers": lambda there, task: [*(there or []), *small(task).ravel().tolist()],
    "one number": lambda there, task: int.from_bytes(
        (there.to_bytes((there.bit_length() + 7) // 8, "big") if there else b"\1") + small(task).tobytes(), "big"
    ),
    "BytesIO": lambda there, task: io.BytesIO((there.getvalue() if there else b"") + small(task).tobytes()),
    "object array": objects,
    "closure": chained,
    "generator": framed,
    "slots": slotted,
    "rude list": rude,
    "ctypes": foreign,
    "sparse": lambda there, task: [*(there or []), sparse.csr_array(small(task))],
    "class made on the way": lambda there, task: type(
        "Stash", (), {"secrets": [*(there.secrets if there else []), small(task)]}
    ),
    "own view": lambda there, task: [*(there or []), task.X[::2]],
    "weak reference": weak,
}


def through(secrets):
    return lambda task: secrets().append(small(task))


# outside of the method
ELSEWHERE = {
    "class attribute": through(lambda: Places.secrets),
    "module global": through(lambda: stash.SECRETS),
    "function default": lambda task: counting([small(task)]),
    "cache": through(lambda: cached("secrets")),
}


def remember_abroad(task):
    np.lcbench_secrets = [*getattr(np, "lcbench_secrets", []), small(task)]


def remember_in_environment(task):
    text = base64.b64encode(small(task).tobytes()).decode()
    os.environ["LCBENCH_SECRETS"] = os.environ.get("LCBENCH_SECRETS", "") + text


def remember_on_disk(task, folder):
    with Path(folder, "secrets").open("ab") as file:
        file.write(small(task).tobytes())


def remember_on_disk_anew(task, folder):
    """As above, but the file of an earlier run is deleted first, so that runs do not differ."""
    if task.name == "task-1":
        Path(folder, "secrets").unlink(missing_ok=True)
    remember_on_disk(task, folder)


# where no search from the method leads
ABROAD = {
    "another library": remember_abroad,
    "environment": remember_in_environment,
    "everything there is": lambda task: None,
}
ON_DISK = {"disk": remember_on_disk, "disk anew": remember_on_disk_anew}


def recall_from_disk(place, folder, name):
    file = Path(folder, "secrets")
    fresh = place == "disk anew" and name == "task-1"
    return [np.frombuffer(file.read_bytes(), dtype=np.float32)] if file.exists() and not fresh else []


def recall_elsewhere(place, name):
    if place == "class attribute":
        return Places.secrets
    if place == "module global":
        return stash.SECRETS
    if place == "function default":
        return counting([])
    if place == "cache":
        return cached("secrets")
    if place == "another library":
        return getattr(np, "lcbench_secrets", [])
    if place == "environment":
        return [np.frombuffer(base64.b64decode(os.environ.get("LCBENCH_SECRETS", "")), dtype=np.float32)]
    others = [thing for thing in gc.get_objects() if type(thing) is Task and thing.name != name]
    return [small(thing) for thing in others]


def recall(there):
    """The content hidden in an attribute, as arrays."""
    if there is None:
        return []
    if isinstance(there, Rude):
        return [list.__getitem__(there, i) for i in range(list.__len__(there))]
    if isinstance(there, Slotted):
        return there.secret
    if isinstance(there, type):
        return there.secrets
    if callable(there):
        return there()
    if hasattr(there, "gi_frame"):
        return there.gi_frame.f_locals["values"]
    if isinstance(there, io.BytesIO):
        there = there.getvalue()
    if isinstance(there, str):
        there = base64.b64decode(there)
    if isinstance(there, int):
        there = there.to_bytes((there.bit_length() + 7) // 8, "big")[1:]
    if isinstance(there, (bytes, bytearray, memoryview, ctypes.Array)):
        return [np.frombuffer(bytes(there), dtype=np.float32)]
    if isinstance(there, array.array):
        return [np.array(there)]
    if isinstance(there, list) and there and isinstance(there[0], float):
        return [np.array(there)]
    return [_array(thing() if isinstance(thing, weakref.ref) else thing) for thing in there]


def _array(thing):
    return thing.toarray() if sparse.issparse(thing) else np.asarray(thing)


def forget():
    """Empty every place, as it was before the first run."""
    Places.secrets.clear()
    stash.SECRETS.clear()
    counting([]).clear()
    cached.cache_clear()
    vars(np).pop("lcbench_secrets", None)
    os.environ.pop("LCBENCH_SECRETS", None)
