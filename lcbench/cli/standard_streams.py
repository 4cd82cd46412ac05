"""Makes standard input, output and error usable, whatever state they are in."""

from __future__ import annotations

import io
import os
import sys

_MODES = {0: os.O_RDONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}  # standard output that was closed cannot be written to


def make_usable() -> None:
    """Opens streams that were closed, and lets characters that an encoding lacks be written as `\\xb1`.

    The null device takes the place of a closed stream, or else the next file to be opened would. What is printed to
    standard output that was closed is an OSError, as for any program.
    """
    for descriptor, mode in _MODES.items():
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # the lowest number that is free
    sys.stdin = sys.stdin or _opened(0, "r")
    sys.stdout = sys.stdout or _opened(1, "w")
    sys.stderr = sys.stderr or _opened(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _opened(descriptor: int, mode: str) -> io.TextIOWrapper:
    raw = io.FileIO(descriptor, mode, closefd=False)
    buffered = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    return io.TextIOWrapper(buffered, encoding="utf-8", errors="backslashreplace")
