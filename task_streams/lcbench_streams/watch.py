"""The stream `watch`: windows of recordings as rows, an arm of a person as a task.

The file of the recordings is a pickle: a child process reads it, which runs nothing of it.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

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
from lcbench_streams.scaling import min_max
from lcbench_streams.watch_spec import LENGTHS, RAW, WATCH, WINDOW, sizes

PROGRAM = Path(__file__).with_name("pickled_recordings.py")
MOST_BYTES = 64 * 1024**2  # of the file; it has 18 million
MOST_SECONDS = 120
CHANNELS = 6
_ROW_BYTES = 8 * CHANNELS


class Watch(TaskStream):
    """The first `tasks` arms; a row describes `window` measurements."""

    name = WATCH.name
    card = WATCH.card

    def __init__(self, *, tasks: int = len(LENGTHS), window: int = WINDOW) -> None:
        self.n_tasks = tasks
        self.window = window

    def tasks(self) -> tuple[LabelledTask, ...]:
        """A task for each arm, its rows in the order of a hash."""
        wanted = sizes({"tasks": self.n_tasks, "window": self.window})
        used = {key for keys in wanted.values() for key in keys}
        recordings = [one for one in raw_documents(self.name, RAW) if one.key in used]
        dealt = deal(self.name, windows(recordings, self.window), list(wanted.values()))
        return tuple(
            LabelledTask.from_arrays(name, min_max(features(mine)), [one.key.rsplit("/", 1)[1] for one in mine])
            for name, mine in zip(wanted, dealt, strict=True)
        )


def windows(recordings: Sequence[Document], length: int) -> Iterator[Document]:
    """Windows of `length` measurements that do not overlap; what is left at the end of a recording is dropped."""
    size = length * _ROW_BYTES
    for recording in recordings:
        content = base64.b64decode(recording.text)
        for start in range(0, len(content) - size + 1, size):
            yield Document(recording.key, base64.b64encode(content[start : start + size]).decode())


def features(documents: Sequence[Document]) -> FloatArray:
    """Mean, standard deviation, least and greatest value and mean square of every channel, a row for each window."""
    content = b"".join(base64.b64decode(document.text) for document in documents)
    X = np.frombuffer(content, dtype="<f8").reshape(len(documents), -1, CHANNELS)
    return np.hstack([X.mean(axis=1), X.std(axis=1), X.min(axis=1), X.max(axis=1), (X**2).mean(axis=1)])


def read_recordings(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Key 'subject/side/exercise' of each recording, and its rows of six little-endian doubles in base64."""
    for member in members:
        if member.parts[-1] in raw.files:
            where = f"'{'/'.join(member.parts)}'"
            for line in _answer(member.read(), where).splitlines():
                key, values = json.loads(line)
                yield key, values


def _answer(content: bytes, where: str) -> str:
    """The answer of the child process, which has an empty environment, an empty folder, and no other input."""
    if len(content) > MOST_BYTES:
        raise DataRefusedError(f"{where} has more than {MOST_BYTES:,} bytes: it was refused.")
    command = [sys.executable, "-I", "-S", str(PROGRAM)]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, input=content, capture_output=True, cwd=folder, env={}, timeout=MOST_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise DataRefusedError(f"{where} was refused: it was not read in {MOST_SECONDS} s.") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1] if lines else f"its reader ended with code {done.returncode}"
        raise DataRefusedError(f"{where} was refused: {reason}.")
    return done.stdout.decode("ascii")
