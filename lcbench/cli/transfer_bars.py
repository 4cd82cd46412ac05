"""Shows downloads on standard error: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from lcbench.data.sources.transfers import TransferListener
from lcbench.printable import printable_line


class TransferBars(TransferListener):
    """Shows a bar for each transfer."""

    def __init__(self) -> None:
        self._live: Any = None
        self._bar: Any = None

    def say(self, text: str) -> None:
        """Prints one line."""
        print(f"lcbench: {printable_line(text)}", file=sys.stderr, flush=True)

    def begin(self, what: str, total: int | None) -> None:
        """Start a bar, or only a spinner where it is not known how much will come."""
        if not sys.stderr.isatty():
            return
        from rich import progress

        from lcbench.cli.console import error_output

        columns = [
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            *(
                [progress.BarColumn(bar_width=30), progress.DownloadColumn(), progress.TransferSpeedColumn()]
                if total
                else []
            ),
            progress.TimeElapsedColumn(),
        ]
        self._live = progress.Progress(*columns, console=error_output(), transient=True, redirect_stdout=False)
        self._bar = self._live.add_task(printable_line(what), total=total)
        self._live.start()

    def advance(self, count: int) -> None:
        """Move the bar."""
        if self._live is not None:
            self._live.advance(self._bar, count)

    def end(self) -> None:
        """Take the bar away."""
        if self._live is not None:
            self._live.stop()
            self._live = None
