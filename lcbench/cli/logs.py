"""What the library logs, shown on standard error."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from lcbench.printable import printable_line


class StderrHandler(logging.Handler):
    """Writes to whatever standard error is at the time: a live display replaces it."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line per record, with the traceback if there is one."""
        text = f"lcbench: {record.levelname.lower()}: {printable_line(record.getMessage())}"
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        print(text, file=sys.stderr)


def show_logs(*, debug: bool) -> None:
    """Show warnings, or everything with `debug`."""
    logger = logging.getLogger("lcbench")
    logger.handlers = [StderrHandler()]
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    logger.propagate = False


def wants_debug(arguments: Sequence[str]) -> bool:
    """Whether `--debug` stands among the arguments; asked before they are parsed, to cover the loading of plugins."""
    return "--debug" in arguments
