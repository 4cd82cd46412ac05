"""Log messages and warnings of other processes: sent to lcbench there, and shown here."""

from __future__ import annotations

import logging
import warnings
from typing import Any, TextIO, TypeAlias

from lcbench.printable import printable_line
from lcbench.registry.plugin_code import told_at_import, warning_text
from lcbench.running.wire import Wire

logger = logging.getLogger(__name__)
MOST_LOGGED = 1000  # lines of one process
LONGEST_TEXT = 4000
MOST_REMEMBERED = 10_000
Told: TypeAlias = set[tuple[str, str]]  # runs by name, each with a warning that was shown


class LogsShown:
    """Logs here what a process sent, at most so many lines, each after the name of its run.

    A warning that was `told` of a run of that name, or when its plugin was imported here, is not shown again.
    """

    def __init__(self, label: str = "", told: Told | None = None) -> None:
        self._before = f"{printable_line(label)}: " if label else ""
        self._left = MOST_LOGGED + 1
        self._told = told

    def show(self, message: dict[str, Any]) -> None:
        """Log one message, whatever is in it; the lines of a traceback count one each."""
        level, name, text = (message.get(key) for key in ("level", "name", "text"))
        if self._left <= 0 or not isinstance(level, int) or not isinstance(text, str):
            return
        known = isinstance(name, str) and name.startswith("lcbench") and name in logging.Logger.manager.loggerDict
        shown = logging.getLogger(str(name) if known else "lcbench.running")
        text = text[:LONGEST_TEXT]
        if level >= logging.WARNING and self._is_known(text):
            return
        lines = [line for line in text.splitlines() if line.strip()] if self._before else [text]
        for line in lines[: self._left]:
            shown.log(min(level, logging.CRITICAL), "%s%s", self._before, printable_line(line))
        self._left -= max(len(lines), 1)

    def _is_known(self, text: str) -> bool:
        if self._told is None:
            return False
        known = text in told_at_import or (self._before, text) in self._told
        if len(self._told) < MOST_REMEMBERED:
            self._told.add((self._before, text))
        return known


class _ForwardingHandler(logging.Handler):
    """Sends log messages to lcbench, so many and no more: a flood must not fill its memory."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire
        self._left = MOST_LOGGED

    def emit(self, record: logging.LogRecord) -> None:
        self._left -= 1
        if self._left < 0:
            if self._left == -1:
                self._say(logging.WARNING, __name__, f"only its first {MOST_LOGGED:,} messages are shown.")
            return
        try:
            text = record.getMessage()
            if record.exc_info:
                text += "\n" + logging.Formatter().formatException(record.exc_info)
        except Exception:  # arguments that do not fit the message; logging must not raise
            self.handleError(record)
            return
        self._say(record.levelno, record.name, text)

    def _say(self, level: int, name: str, text: str) -> None:
        self._wire.send({"say": "log", "level": level, "name": name, "text": text})


def forward_logs(wire: Wire, level: int) -> None:
    """Send log messages and warnings of this process to lcbench, which shows them."""
    root = logging.getLogger()
    root.handlers = [_ForwardingHandler(wire)]
    logging.getLogger("lcbench").setLevel(level)

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        logging.getLogger("lcbench.warnings").warning("%s", warning_text(category, message, filename, lineno))

    warnings.showwarning = show
