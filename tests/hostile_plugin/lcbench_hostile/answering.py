"""Methods whose labels, state and output are not what they seem."""

from __future__ import annotations

import logging
import os
import sys
import time
import warnings

import numpy as np

from lcbench_hostile.base import Hostile
from lcbench_hostile.forging import Boom

ESCAPES = "\x1b[31mred\x1b[0m\x1b]0;title\x07\r\x9b2J\nstsc: done \x00"


class RaisesEscapes(Hostile):
    """Raises an exception with escape codes and line breaks."""

    def attack(self, task) -> None:
        raise ValueError(ESCAPES)


class RaisesSurrogates(Hostile):
    """Raises an exception with half a character, which no terminal can show."""

    def attack(self, task) -> None:
        raise ValueError("half \ud800 a character")


class RaisesLongText(Hostile):
    """Raises an exception with ten megabytes of text."""

    def attack(self, task) -> None:
        raise ValueError("x" * 10_000_000)


class RaisesUnderFalseName(Hostile):
    """Raises an exception whose class has escape codes in its name."""

    def attack(self, task) -> None:
        raise type("\x1b[31mRed\nError", (Exception,), {})("named")


class WarnsEscapes(Hostile):
    """Warns with escape codes and line breaks."""

    def attack(self, task) -> None:
        warnings.warn(ESCAPES, stacklevel=1)


class LogsAndPrintsEscapes(Hostile):
    """Logs and prints escape codes and half a character."""

    def attack(self, task) -> None:
        for name in ("lcbench.x", "elsewhere"):
            logging.getLogger(name).error("%s \ud800", ESCAPES)
        print(ESCAPES)
        print(ESCAPES, file=sys.stderr)
        os.write(1, ESCAPES.encode())


class PrintsEscapesAndCrashes(Hostile):
    """Prints escape codes and aborts, so that its output is shown as the reason."""

    def attack(self, task) -> None:
        os.write(2, ESCAPES.encode() + b"\xff\xfe" + "\ud800".encode(errors="surrogatepass"))
        os._exit(5)


class FloodsOutput(Hostile):
    """Prints a hundred megabytes."""

    def attack(self, task) -> None:
        for _ in range(50):
            os.write(1, b"x" * 1_000_000)
            sys.stderr.write("y\n" * 500_000)


class WorksInInit(Hostile):
    """Works, and attacks numpy, while it is built."""

    def __init__(self) -> None:
        np.argsort = None
        sum(range(100_000))


class FailsInInit(Hostile):
    """Raises KeyboardInterrupt while it is built."""

    def __init__(self) -> None:
        raise KeyboardInterrupt("in __init__")


class WorksInLabels(Hostile):
    """Learns when its labels are read, by a property."""

    def partial_fit(self, task):
        self._task = task
        return self

    @property
    def labels_(self):
        sum(range(100_000))
        return self.predict(self._task)

    def __getstate__(self):
        return {}


class WorksInArray(Hostile):
    """Returns an object that becomes an array, with work, when it is asked to."""

    def predict(self, task):
        return Lazy(super().predict(task))


class Lazy:
    """Labels that are computed when numpy asks for them, and have another length each time they are asked."""

    def __init__(self, labels) -> None:
        self.labels, self.asked = labels, 0

    def __array__(self, dtype=None, copy=None):
        sum(range(100_000))
        return self.labels

    def __len__(self) -> int:
        self.asked += 1
        return self.asked


class ArrayRaises(Hostile):
    """Returns an object that raises SystemExit when it should become an array."""

    def predict(self, task):
        class Bad:
            def __array__(self, dtype=None, copy=None):
                raise SystemExit(0)

        return Bad()


class EndlessLabels(Hostile):
    """Returns an object that says it is as long as can be."""

    def predict(self, task):
        class Endless:
            def __len__(self) -> int:
                return sys.maxsize

            def __getitem__(self, i):
                return 0

        return Endless()


class LyingArray(Hostile):
    """Returns an array of a class of its own that says anything about its type and its bytes."""

    def predict(self, task):
        class Lying(np.ndarray):
            def astype(self, *_, **__):
                return self

            def tobytes(self, *_, **__):
                return b"short"

        return super().predict(task).astype(np.int64).view(Lying)


class ExtremeLabels(Hostile):
    """Labels that are the smallest and largest integers there are."""

    def predict(self, task):
        ends = np.iinfo(np.int64)
        return np.where(np.arange(task.n_samples) % 2, ends.min, ends.max)


class UnsignedLabels(Hostile):
    """Labels that are too large for lcbench's integers."""

    def predict(self, task):
        return np.full(task.n_samples, np.iinfo(np.uint64).max, np.uint64)


class FloatLabels(Hostile):
    """Labels that are NaN."""

    def predict(self, task):
        return np.full(task.n_samples, np.nan)


class StateRunsCode(Hostile):
    """Has a state that runs a command where it is unpickled: it must be nowhere but in its own processes."""

    def attack(self, task) -> None:
        self.state_ = Reporter()


class Reporter:
    """Notes the process that unpickles it."""

    def __reduce__(self):
        return report_process, ()


def report_process() -> None:
    """Write down which process this is, and those above it."""
    if (file := os.environ.get("HOSTILE_CANARY")) is not None:
        with open(file, "a") as notes:  # noqa: PTH123  several processes append
            notes.write(f"{os.getpid()}\n")


class StateIsBomb(Hostile):
    """Has a state that ends the process that unpickles it."""

    def attack(self, task) -> None:
        self.state_ = Exiting()


class Exiting:
    """Ends the process that unpickles it."""

    def __reduce__(self):
        return os._exit, (9,)


class StateBooms(Hostile):
    """Has a state that runs a shell command."""

    def attack(self, task) -> None:
        self.state_ = Boom()


class WorksOffClock(Hostile):
    """Works for seconds while the clock that it is measured by stands still."""

    def attack(self, task) -> None:
        harness = sys.modules["lcbench.running.harness"]
        now = harness.perf_counter()
        harness.perf_counter = lambda: now
        start = time.process_time()
        while time.process_time() - start < 3:
            sum(range(10_000))
