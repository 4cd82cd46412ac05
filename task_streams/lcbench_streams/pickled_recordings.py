"""The program of a child process that reads the pickle of `watch` without doing anything that it says.

A pickle is a program. This one names four functions and classes, of numpy and of codecs; here each of these names
stands for something of this file that only keeps what it is handed, any other name ends the reading, and numpy is not
imported. The file comes by the standard input. A line of JSON, key and values, goes out for each recording.
"""

from __future__ import annotations

import base64
import io
import json
import pickle
import struct
import sys
from collections.abc import Iterator
from typing import Any

START = b"\x93NUMPY\x01\x00"
MOST_MEMORY, MOST_SECONDS = 1024**3, 60
FORMATS = {"f8": "d", "i8": "q"}


class Refused(Exception):  # noqa: N818
    """The file is not what it should be."""


class Kind:
    """In the place of numpy.dtype: the code of a type, and the order of its bytes."""

    def __init__(self, code: str, align: int, copy: int) -> None:
        self.code = code

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = state[1]


class Array:
    """In the place of numpy.ndarray: shape, type, whether columns come one after the other, and content."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, self.shape, self.kind, self.by_column, self.content = state

    def numbers(self) -> tuple[Any, ...]:
        """All numbers in a flat tuple."""
        count = 1
        for size in self.shape:
            count *= size
        if self.kind.code not in FORMATS or self.kind.order != "<" or len(self.content) != 8 * count:
            raise Refused("an array in it is not of 8-byte numbers")
        return struct.unpack(f"<{count}{FORMATS[self.kind.code]}", self.content)

    def rows(self) -> bytes:
        """The numbers of a table, row by row, as bytes."""
        height, width = self.shape
        numbers = self.numbers()
        if self.by_column:
            numbers = tuple(numbers[column * height + row] for row in range(height) for column in range(width))
        return struct.pack(f"<{height * width}d", *numbers)


def reconstruct(kind: Any, shape: Any, code: Any) -> Array:
    """In the place of numpy's function that makes an empty array."""
    return Array()


def encode(text: str, encoding: str) -> bytes:
    """In the place of codecs.encode, by which bytes are pickled as text."""
    if encoding != "latin1":
        raise Refused(f"it has text in {encoding!r}")
    return text.encode("latin1")


NAMES: dict[tuple[str, str], Any] = {
    ("numpy.core.multiarray", "_reconstruct"): reconstruct,
    ("numpy", "ndarray"): Array,
    ("numpy", "dtype"): Kind,
    ("_codecs", "encode"): encode,
}


class Reader(pickle.Unpickler):
    """Knows four names."""

    def find_class(self, module: str, name: str) -> Any:
        """The stand-in for one of the four names."""
        if (module, name) not in NAMES:
            raise Refused(f"it names {module}.{name}, which has no place in it")
        return NAMES[module, name]

    def persistent_load(self, pid: Any) -> Any:
        """Nothing is loaded from elsewhere."""
        raise Refused("it refers to something outside")


def recordings(content: bytes) -> Iterator[tuple[str, str]]:
    """Key 'subject/side/exercise' of each recording, and its rows of six little-endian doubles in base64."""
    if not content.startswith(START):
        raise Refused("it is no array file of numpy, version 1")
    start = 10 + int.from_bytes(content[8:10], "little")
    (data,) = Reader(io.BytesIO(content[start:])).load().content
    subjects, sides, exercises = (data[name].numbers() for name in ("subject", "side", "y"))
    for table, subject, side, exercise in zip(data["X"], subjects, sides, exercises, strict=True):
        key = f"{subject}/{'right' if side else 'left'}/{data['y_labels'][exercise]}"
        yield key, base64.b64encode(table.rows()).decode()


def limit() -> None:
    """Little memory and time, and no file to write, where the platform has such limits."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, MOST_MEMORY),
        (resource.RLIMIT_CPU, MOST_SECONDS),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def main() -> None:
    """Read, and answer; the exit code is 1 with a sentence on the standard error if the file is refused."""
    limit()
    try:
        found = list(recordings(sys.stdin.buffer.read()))
    except Refused as error:
        sys.exit(str(error))
    except Exception as error:  # a pickle may be broken in any way
        sys.exit(f"it cannot be read ({type(error).__name__}: {error})")
    for key, values in found:
        sys.stdout.write(json.dumps([key, values]) + "\n")


if __name__ == "__main__":
    main()
