"""Finds the folders of the cache and of LCBENCH_DATA; tells if lcbench is offline."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from lcbench.errors import OutputError

_forbidden: ContextVar[bool] = ContextVar("network forbidden", default=False)


def cache_folder() -> Path:
    """The folder of the cache: LCBENCH_CACHE, or the platform's own place for caches."""
    named = os.environ.get("LCBENCH_CACHE")
    if named:
        return expanded(named).absolute()
    from platformdirs import user_cache_path

    try:
        return user_cache_path("lcbench", appauthor=False)
    except RuntimeError as error:
        raise OutputError(
            f"There is no place for a cache ({error}): set LCBENCH_CACHE to a folder of your own."
        ) from error


def data_folder() -> Path | None:
    """LCBENCH_DATA, a folder of archives that is searched before the network is asked; None if it is not set."""
    named = os.environ.get("LCBENCH_DATA")
    return expanded(named).absolute() if named else None


def expanded(path: str) -> Path:
    """The path a user wrote, with `~` resolved where that is possible."""
    try:
        return Path(path).expanduser()
    except RuntimeError:  # the home of a user who does not exist
        return Path(path)


def is_offline() -> bool:
    """True if LCBENCH_OFFLINE or `without_network` forbids the network."""
    return _forbidden.get() or os.environ.get("LCBENCH_OFFLINE", "") not in ("", "0")


@contextmanager
def without_network() -> Iterator[None]:
    """Forbid the network inside the block."""
    token = _forbidden.set(True)
    try:
        yield
    finally:
        _forbidden.reset(token)


def make_folder(folder: Path) -> None:
    """Make a folder of the cache; the OutputError if that fails says how to move the cache."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The cache '{folder}' cannot be written ({error.strerror}): set LCBENCH_CACHE to a folder of your own."
        ) from error
