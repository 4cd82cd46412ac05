"""Methods that write to the wire themselves: bytes that are no message, and messages that are not true."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import socket
import stat
import struct
from typing import Any

import numpy as np

from lcbench_hostile.base import Hostile

HUGE = 10**400  # an int that no float can hold


class Boom:
    """Writes a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"echo boom > {os.environ.get('HOSTILE_CANARY', '/dev/null')}",)


def wires() -> list[socket.socket]:
    """The stream sockets that this process has open."""
    found = []
    for descriptor in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208  listed before any is copied
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                found.append(socket.socket(fileno=os.dup(descriptor)))
    return found


def write(data: bytes) -> None:
    """Write bytes to the wire."""
    for wire in wires():
        with contextlib.suppress(OSError):
            wire.sendall(data)


def message(text: str | dict[str, Any], content: bytes = b"") -> bytes:
    """A message as lcbench's processes send it."""
    encoded = (text if isinstance(text, str) else json.dumps(text)).encode()
    return struct.pack("!IQ", len(encoded), len(content)) + encoded + content


def step(**changed: Any) -> dict[str, Any]:
    """A step as it should be, but for what is changed."""
    times = dict.fromkeys(("learn_seconds", "predict_seconds", "pickle_seconds"), 0.0)
    return {"say": "step", "tasks": [], **times, "state_bytes": 1, "objective_trace": None, **changed}


def measure(count: int = 2, **changed: Any) -> dict[str, Any]:
    """A measure as it should be, but for what is changed."""
    counts = dict.fromkeys(("task_bytes", "clusters", "held_bytes", "reachable"), [1] * count)
    more = {"state_bytes_before": None, "first_reachable": None, "complete": True, "seconds": 0.0}
    return {"say": "finished", "measure": {**counts, **more, **changed}}


class Forger(Hostile):
    """Writes `forged` when it meets its first task."""

    def attack(self, task) -> None:
        if not hasattr(self, "wrote_"):
            self.wrote_ = True
            write(self.forged(task))

    def forged(self, task) -> bytes:
        """The bytes to write."""
        return b""

    def labels(self, task, count: int | None = None) -> bytes:
        """The message with the labels of the task that is being learned."""
        zeros = np.zeros(task.n_samples if count is None else count, "<i8")
        return message({"say": "learned"}, zeros.tobytes())


class WritesPickle(Forger):
    """Writes a pickle that runs a command."""

    def forged(self, task) -> bytes:
        return pickle.dumps(Boom())


class WritesPickleInMessage(Forger):
    """Writes a message whose bytes are a pickle that runs a command."""

    def forged(self, task) -> bytes:
        return message({"say": "learned"}, pickle.dumps(Boom()))


class WritesGarbage(Forger):
    """Writes short lengths, and then bytes that are no JSON."""

    def forged(self, task) -> bytes:
        return struct.pack("!IQ", 64, 0) + bytes(range(192, 256))


class WritesHugeText(Forger):
    """Announces a text of four gigabytes."""

    def forged(self, task) -> bytes:
        return struct.pack("!IQ", 2**32 - 1, 0)


class WritesHugeBytes(Forger):
    """Announces eight gigabytes of labels, and ends: nobody should wait for them."""

    def attack(self, task) -> None:
        write(struct.pack("!IQ", 17, 1 << 33) + b'{"say":"learned"}')
        os._exit(0)


class WritesDeepJson(Forger):
    """Writes lists in lists, a hundred thousand deep."""

    def forged(self, task) -> bytes:
        return message("[" * 100_000 + "]" * 100_000)


class WritesDeepTraceback(Forger):
    """Fails with a traceback of lists in lists, of all depths up to where JSON is refused."""

    def forged(self, task) -> bytes:
        depth = int(os.environ.get("HOSTILE_DEPTH", "900"))
        nested = "[" * depth + "]" * depth
        return message('{"say":"failed","status":"failed","error":"e","traceback":[' + nested + "]}")


class WritesLongNumber(Forger):
    """Writes a number with a million digits."""

    def forged(self, task) -> bytes:
        return message('{"say":"want","task":' + "9" * 1_000_000 + "}")


class WritesList(Forger):
    """Writes JSON that is no object."""

    def forged(self, task) -> bytes:
        return message("[1,2,3]")


class WritesPart(Forger):
    """Writes the first half of a message, and ends."""

    def attack(self, task) -> None:
        write(self.labels(task)[:40])
        os._exit(0)


class SaysUnknown(Forger):
    """Says something that is no word of lcbench, with escape codes."""

    def forged(self, task) -> bytes:
        return message({"say": "\x1b[31mred\n"})


class AsksForFuture(Forger):
    """Asks for the last task while it learns the first."""

    def forged(self, task) -> bytes:
        return message({"say": "want", "task": 1})


class AsksForNegative(Forger):
    """Asks for the task before the first."""

    def forged(self, task) -> bytes:
        return message({"say": "want", "task": -1})


class SendsFewLabels(Forger):
    """Sends one label too few."""

    def forged(self, task) -> bytes:
        return self.labels(task, task.n_samples - 1)


class SendsManyLabels(Forger):
    """Sends one label too many."""

    def forged(self, task) -> bytes:
        return self.labels(task, task.n_samples + 1)


class SendsLabelsTwice(Forger):
    """Sends the labels of its first task twice."""

    def forged(self, task) -> bytes:
        return self.labels(task) * 2


class SendsLabelsOfOthers(Forger):
    """Sends labels of a task that has not come."""

    def forged(self, task) -> bytes:
        return self.labels(task) + message(step(tasks=[1]), np.zeros(task.n_samples, "<i8").tobytes())


class StepsBeforeLabels(Forger):
    """Sends a step before the labels of its task."""

    def forged(self, task) -> bytes:
        return message(step())


class FinishesEarly(Forger):
    """Says that it has finished when it has not."""

    def forged(self, task) -> bytes:
        return message(measure())


class SendsScores(Forger):
    """Sends scores, as a scoring process does."""

    def forged(self, task) -> bytes:
        return message({"say": "scores", "scores": {"purity": [1.0]}})


class SendsNanTime(Forger):
    """Says that its step took NaN seconds."""

    def forged(self, task) -> bytes:
        return self.labels(task) + message(step(learn_seconds=float("nan")))


class SendsNegativeTime(Forger):
    """Says that its step took less than no time."""

    def forged(self, task) -> bytes:
        return self.labels(task) + message(step(predict_seconds=-1.0))


class SendsHugeTime(Forger):
    """Says that its step took more seconds than a float can hold."""

    def forged(self, task) -> bytes:
        return self.labels(task) + message(step(learn_seconds=HUGE))


class SendsHugeObjective(Forger):
    """Sends an objective that no float can hold."""

    def forged(self, task) -> bytes:
        return self.labels(task) + message(step(objective_trace=[HUGE]))


class SendsHugeSize(Forger):
    """Says that its state has more bytes than there are."""

    def forged(self, task) -> bytes:
        return self.labels(task) + message(step(state_bytes=HUGE))


class ForgesRun(Forger):
    """Forges all messages of a run of two tasks, and ends."""

    def attack(self, task) -> None:
        second = step(tasks=[0])
        zeros = np.zeros(task.n_samples, "<i8").tobytes()
        write(self.labels(task) + message(step()) + self.labels(task) + message(second, zeros) + self.end())
        os._exit(0)

    def end(self) -> bytes:
        """The last message."""
        return message(measure())


class ForgesHugeMeasure(ForgesRun):
    """Forges a run whose state had more bytes at the start than any number of lcbench."""

    def end(self) -> bytes:
        return message(measure(state_bytes_before=HUGE))


class ForgesLongTaskName(ForgesRun):
    """Forges a measure with a task name of a megabyte, full of escape codes."""

    def end(self) -> bytes:
        return message(measure(first_reachable={"step": 1, "task": "\x1b[2J" * 250_000}))


class ForgesFailure(Forger):
    """Says that it failed, with escape codes and a blame on another plugin."""

    def forged(self, task) -> bytes:
        error = "plugin 'spectral' of distribution 'lcbench' raised \x1b[31mError\r\n\x07"
        return message({"say": "failed", "status": "failed", "error": error, "traceback": ["\x1b[2J"]})


class LogsDots(Forger):
    """Logs under a name with a hundred thousand dots, each of which makes a logger."""

    def forged(self, task) -> bytes:
        return message({"say": "log", "level": 30, "name": "lcbench" + ".x" * 100_000, "text": "dots"})


class LogsHugeLevel(Forger):
    """Logs at a level that is a very large number, and at one that is true."""

    def forged(self, task) -> bytes:
        return b"".join(message({"say": "log", "level": n, "name": "lcbench", "text": "x"}) for n in (HUGE, True))


class LogsEscapes(Forger):
    """Logs escape codes, carriage returns and a false line of lcbench, also in the logger's name."""

    def forged(self, task) -> bytes:
        text = "\x1b[31mred\x1b]0;title\x07\r\x9b2J\n[1/1] stsc: done"
        return message({"say": "log", "level": 30, "name": "lcbench.\x1b[31m", "text": text})


class LogsFlood(Forger):
    """Logs fifty thousand messages past lcbench's own limit."""

    def forged(self, task) -> bytes:
        return message({"say": "log", "level": 30, "name": "lcbench", "text": "flood"}) * 50_000
