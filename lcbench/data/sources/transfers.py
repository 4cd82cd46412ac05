"""Reports the progress of downloads to a listener: the log, or progress bars."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

logger = logging.getLogger(__name__)


class TransferListener:
    """Receives the progress of every download. This one writes to the log; that of the command line shows bars."""

    def say(self, text: str) -> None:
        """A message for the user, before or after a download."""
        logger.info(text)

    def begin(self, what: str, total: int | None) -> None:
        """A download of `total` bytes (None if unknown) starts."""

    def advance(self, count: int) -> None:
        """`count` more bytes were received."""

    def end(self) -> None:
        """The download ended, complete or not."""


_present: ContextVar[TransferListener | None] = ContextVar("transfer_listener", default=None)


def transfer_listener() -> TransferListener:
    """The listener in force, or one that writes to the log."""
    return _present.get() or TransferListener()


@contextmanager
def transfers_reported_to(who: TransferListener) -> Iterator[None]:
    """Report the downloads inside the block to `who`."""
    token = _present.set(who)
    try:
        yield
    finally:
        _present.reset(token)
