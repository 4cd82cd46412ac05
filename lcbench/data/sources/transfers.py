"""Telling whoever wants to know what is fetched and how far it is: the library itself shows nothing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

logger = logging.getLogger(__name__)


class TransferListener:
    """Is told about every transfer. This one writes to the log; the command line has one that shows bars."""

    def say(self, text: str) -> None:
        """Something a user would want to know before or after a transfer."""
        logger.info(text)

    def begin(self, what: str, done: int, total: int | None) -> None:
        """A transfer of `total` bytes starts, of which `done` are here already."""

    def advance(self, count: int) -> None:
        """`count` bytes more are here."""

    def end(self) -> None:
        """The transfer is over, well or not."""


_present: ContextVar[TransferListener | None] = ContextVar("transfer_listener", default=None)


def transfer_listener() -> TransferListener:
    """Whoever watches at present."""
    return _present.get() or TransferListener()


@contextmanager
def transfers_reported_to(who: TransferListener) -> Iterator[None]:
    """Tell `who` about the transfers inside of the block."""
    token = _present.set(who)
    try:
        yield
    finally:
        _present.reset(token)
