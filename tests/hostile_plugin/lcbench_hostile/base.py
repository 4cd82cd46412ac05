"""What every hostile method starts from: honest, cheap labels, and an attack while it learns."""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from lcbench import SingleTaskClusterer

logger = logging.getLogger("lcbench.hostile")


def say(found: dict[str, Any]) -> None:
    """Tell the test what was found; each time in other words, as a warning that was given before is not shown again."""
    logger.warning("FOUND %s %d", json.dumps(found), time.monotonic_ns())


class Hostile(SingleTaskClusterer):
    """Attacks once for every task it learns; its labels are the largest feature of each sample."""

    def partial_fit(self, task):
        self.attack(task)
        return super().partial_fit(task)

    def predict(self, task):
        return np.argmax(task.X, axis=1) % task.n_clusters

    def attack(self, task) -> None:
        """Do nothing; subclasses do."""


class Thief(Hostile):
    """Looks for the true classes, says how many tasks it found them for, and takes what it finds for its labels."""

    def predict(self, task):
        found = self.stolen(task)
        logger.warning("%s: %s %s", type(self).__name__, task.name, "nothing" if found is None else "STOLEN")
        if found is not None:
            return np.asarray(found, np.int64)
        return np.random.default_rng(task.n_samples).integers(task.n_clusters, size=task.n_samples)

    def stolen(self, task):
        """The classes of a task; None if they are not found."""


def ancestors() -> list[int]:
    """The processes of the experiment above this one, nearest first: those that inherited its mark."""
    found: list[int] = []
    pid = os.getppid()
    while pid > 0 and is_marked(pid):
        found.append(pid)
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return found


def is_marked(pid: int | str) -> bool:
    """True if a process belongs to the experiment of this test, and so may be attacked."""
    mark = os.environ.get("HOSTILE_MARK")
    try:
        return mark is not None and f"HOSTILE_MARK={mark}".encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def supervisor() -> int:
    """The process above this one, if it is one of lcbench."""
    return _of_server(0)


def server() -> int:
    """The process that forked the supervisor; a sealed method cannot see it."""
    return _of_server(1)


def _of_server(place: int) -> int:
    above = ancestors()
    if len(above) <= place or b"lcbench.running.server" not in Path(f"/proc/{above[place]}/cmdline").read_bytes():
        raise RuntimeError("there is nobody to attack")
    return above[place]
