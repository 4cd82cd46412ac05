"""Where data are kept and looked for: the cache, the folder of archives that the user names, and no network at all."""

from __future__ import annotations

import os
from pathlib import Path

from lcbench.errors import OutputError


def cache_folder() -> Path:
    """LCBENCH_CACHE, or the platform's own place for caches."""
    named = os.environ.get("LCBENCH_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_cache_path

    return user_cache_path("lcbench", appauthor=False)


def imported_folder() -> Path:
    """Where a user's own data are kept that were imported; the folder is there only if there are any."""
    return cache_folder() / "imported"


def data_folder() -> Path | None:
    """LCBENCH_DATA, a folder of archives that is looked at first; None if it is not set."""
    named = os.environ.get("LCBENCH_DATA")
    return Path(named).expanduser().absolute() if named else None


def is_offline() -> bool:
    """Whether LCBENCH_OFFLINE forbids the network."""
    return os.environ.get("LCBENCH_OFFLINE", "") not in ("", "0")


def make_folder(folder: Path) -> None:
    """Make a folder of the cache; OutputError says how to move the cache."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The cache '{folder}' cannot be written ({error.strerror}): set LCBENCH_CACHE to a folder of your own."
        ) from error
