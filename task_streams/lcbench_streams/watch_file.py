"""Reads the recordings of `watch`, whose file is a pickle: a child process does, which runs nothing of it."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from lcbench import DataRefusedError, Member, RawData

PROGRAM = Path(__file__).with_name("pickled_recordings.py")
MOST_BYTES = 64 * 1024**2  # of the file; it has 18 million
MOST_SECONDS = 120


def read_recordings(members: Iterable[Member], raw: RawData) -> Iterator[tuple[str, str]]:
    """Key 'subject/side/exercise' of each recording, and its rows of six little-endian doubles in base64."""
    for member in members:
        if member.parts[-1] in raw.files:
            where = f"'{'/'.join(member.parts)}'"
            for line in _answer(member.read(), where).splitlines():
                key, values = json.loads(line)
                yield key, values


def _answer(content: bytes, where: str) -> str:
    """What the child process says, which has an empty environment, an empty folder, and no other input."""
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
