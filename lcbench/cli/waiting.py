"""The waiting line: tells on a terminal what lcbench is at until there is something to show.

It appears within half a second, while packages are still imported, and imports none itself.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

from lcbench.cli.messages import terminal_width
from lcbench.printable import duration, printable_line

SECONDS_UNTIL_SHOWN = 0.3
SECONDS_BETWEEN_FRAMES = 0.12
SECONDS_UNTIL_COUNTED = 2.0
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PLAIN_FRAMES = "|/-\\"
ERASE = "\r\x1b[K"


class WaitingLine:
    """One line on standard error with a text and the seconds since it began; none where that is no terminal.

    While it is shown, whatever is printed comes in its place. A message on standard error is followed by the line
    again; what is printed on standard output ends it.
    """

    def __init__(self) -> None:
        self._text = ""
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._drawn = False
        self._at_line_start = True
        self._streams: tuple[Any, Any] | None = None
        self._proxies: list[Any] = []  # kept for good: `print` has no reference of its own to the stream it writes to

    def show(self, text: str) -> None:
        """Shows `text` from now on, in place of what was shown before."""
        with self._lock:
            self._text = printable_line(text)
            if self._streams is None and _can_be_drawn():
                self._begin()

    def end(self) -> None:
        """Takes the line away."""
        with self._lock:
            if self._streams is not None:
                self._over.set()
                self._erase()
                for name, stream in zip(("stdout", "stderr"), self._streams, strict=True):
                    if isinstance(getattr(sys, name), _Watched):
                        setattr(sys, name, stream)
                self._streams = None

    def make_room(self, text: str) -> None:
        """Erases the line, before `text` is written to standard error; it comes back when that line is whole."""
        with self._lock:
            self._erase()
            if text:
                self._at_line_start = text.endswith("\n")

    def _begin(self) -> None:
        self._streams = sys.stdout, sys.stderr
        self._over = threading.Event()
        self._at_line_start = True
        self._proxies += [_Watched(sys.stdout, self, ends=True), _Watched(sys.stderr, self, ends=False)]
        sys.stdout, sys.stderr = self._proxies[-2:]
        threading.Thread(target=self._draw, args=(self._streams[1], self._over), daemon=True).start()

    def _draw(self, stream: Any, over: threading.Event) -> None:
        begun, number = time.monotonic(), 0
        frames = FRAMES if "utf" in (getattr(stream, "encoding", None) or "").lower() else PLAIN_FRAMES
        while not over.wait(SECONDS_BETWEEN_FRAMES if number else SECONDS_UNTIL_SHOWN):
            spent = time.monotonic() - begun
            counted = f" {duration(spent)} elapsed" if spent >= SECONDS_UNTIL_COUNTED else ""
            with self._lock:
                if over.is_set() or not self._at_line_start:
                    continue
                line = f"{frames[number % len(frames)]} {self._text} ...{counted}"
                try:
                    stream.write(f"{ERASE}{line[: terminal_width() - 1]}")
                    stream.flush()
                except (OSError, ValueError):  # a terminal that is gone
                    return
                self._drawn = True
            number += 1

    def _erase(self) -> None:
        if self._drawn and self._streams is not None:
            self._drawn = False
            try:
                self._streams[1].write(ERASE)
                self._streams[1].flush()
            except (OSError, ValueError):
                pass


class _Watched:
    """A standard stream that takes the waiting line away before anything is written to it."""

    def __init__(self, stream: Any, line: WaitingLine, *, ends: bool) -> None:
        self._stream, self._line, self._ends = stream, line, ends

    def write(self, text: str) -> int:
        self._make_room(text)
        return int(self._stream.write(text))

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        if name == "buffer":  # written to past `write`
            self._make_room("")
        return getattr(self._stream, name)

    def _make_room(self, text: str) -> None:
        if self._ends:
            self._line.end()
        else:
            self._line.make_room(text)


def _can_be_drawn() -> bool:
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


LINE = WaitingLine()
