"""Places to hide tasks in, each with a function that puts arrays there and one that gets them back."""

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
    return np.asarray(dense(task.X), dtype=np.float32)


def dense(thing):
    return thing.toarray() if sparse.issparse(thing) else np.asarray(thing)


def joined(arrays):
    return b"".join(each.tobytes() for each in arrays)


def apart(content):
    return [np.frombuffer(content, dtype=np.float32)]


class Places:
    """A class in whose attribute methods hide tasks outside of themselves."""

    secrets: ClassVar[list] = []


class Slotted:
    """Has no __dict__, and raises an unusual error when asked for a missing attribute."""

    __slots__ = ("secret",)

    def __init__(self, secret):
        self.secret = secret

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


def counting(extra=(), secrets=[]):  # noqa: B006
    secrets.extend(extra)
    return secrets


def holding(values):
    def give():
        return values

    return give


def waiting(values):
    yield
    yield values


def started(values):
    generator = waiting(values)
    next(generator)
    return generator


def boxed(arrays):
    boxes = np.empty(len(arrays), dtype=object)
    for i, each in enumerate(arrays):
        boxes[i] = each
    return boxes


# within the method, in an attribute that its pickle leaves out
IN_ATTRIBUTE = {
    "list": (list, list),
    "bytes": (joined, apart),
    "bytearray": (lambda arrays: bytearray(joined(arrays)), apart),
    "array.array": (lambda arrays: array.array("f", joined(arrays)), apart),
    "memoryview": (lambda arrays: memoryview(joined(arrays)), apart),
    "text": (
        lambda arrays: base64.b64encode(joined(arrays)).decode(),
        lambda text: apart(base64.b64decode(text)),
    ),
    "numbers": (
        lambda arrays: [value for each in arrays for value in each.ravel().tolist()],
        lambda values: [np.array(values, dtype=np.float32)],
    ),
    "one number": (
        lambda arrays: int.from_bytes(b"\1" + joined(arrays), "big"),
        lambda number: apart(number.to_bytes((number.bit_length() + 7) // 8, "big")[1:]),
    ),
    "BytesIO": (lambda arrays: io.BytesIO(joined(arrays)), lambda file: apart(file.getvalue())),
    "object array": (boxed, list),
    "closure": (holding, lambda give: give()),
    "generator": (started, lambda generator: generator.gi_frame.f_locals["values"]),
    "slots": (Slotted, lambda thing: thing.secret),
    "rude list": (Rude, lambda rude: [list.__getitem__(rude, i) for i in range(list.__len__(rude))]),
    "ctypes": (
        lambda arrays: (ctypes.c_char * len(joined(arrays))).from_buffer_copy(joined(arrays)),
        lambda content: apart(bytes(content)),
    ),
    "sparse": (lambda arrays: list(map(sparse.csr_array, arrays)), lambda there: list(map(dense, there))),
    "class made on the way": (lambda arrays: type("Stash", (), {"secrets": arrays}), lambda made: made.secrets),
    "own view": (list, list),
    "weak reference": (list, list),
}


def hidden(place, task):
    """What is put into an attribute for a task: a copy, or for two places something that leads to the task itself."""
    if place == "own view":
        return task.X[::2]
    return weakref.ref(task.X) if place == "weak reference" else small(task)


def recall(place, there):
    """The content hidden in an attribute, as a list; what is in it may be a weak reference to an array."""
    return [] if there is None else IN_ATTRIBUTE[place][1](there)


def remember_abroad(task):
    np.lcbench_secrets = [*getattr(np, "lcbench_secrets", []), small(task)]


def remember_in_environment(task):
    text = base64.b64encode(small(task).tobytes()).decode()
    os.environ["LCBENCH_SECRETS"] = os.environ.get("LCBENCH_SECRETS", "") + text


def in_list(secrets):
    return lambda task: secrets().append(small(task)), lambda name: secrets()


# outside of the method; the functions that recall get the name of the task that is being learned
ELSEWHERE = {
    "class attribute": in_list(lambda: Places.secrets),
    "module global": in_list(lambda: stash.SECRETS),
    "function default": (lambda task: counting([small(task)]), lambda name: counting()),
    "cache": in_list(lambda: cached("secrets")),
}
# where no search from the method leads
ABROAD = {
    "another library": (remember_abroad, lambda name: getattr(np, "lcbench_secrets", [])),
    "environment": (
        remember_in_environment,
        lambda name: apart(base64.b64decode(os.environ.get("LCBENCH_SECRETS", ""))),
    ),
    "everything there is": (
        lambda task: None,
        lambda name: [small(thing) for thing in gc.get_objects() if type(thing) is Task and thing.name != name],
    ),
}


def recall_from_disk(folder):
    file = Path(folder, "secrets")
    return apart(file.read_bytes()) if file.exists() else []


def remember_on_disk(task, folder):
    with Path(folder, "secrets").open("ab") as file:
        file.write(small(task).tobytes())


def forget():
    """Empty every place, as it was before the first run."""
    Places.secrets.clear()
    stash.SECRETS.clear()
    counting().clear()
    cached.cache_clear()
    vars(np).pop("lcbench_secrets", None)
    os.environ.pop("LCBENCH_SECRETS", None)
