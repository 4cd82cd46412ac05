"""Empty folders for processes, removed when they end."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from lcbench.errors import OutputError

PREFIX = "lcbench-run-"
SECONDS_TO_LOCK = 60.0  # younger folders may not have been locked yet


class Corners:
    """Empty folders, one for each process, in one temporary folder that is removed at the end of this process.

    If this process is killed, the next one removes what it left.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._made: list[tuple[Path, FileLock]] = []
        self._lock = threading.Lock()

    @property
    def folder(self) -> Path:
        """The folder of all corners."""
        with self._lock:
            if self._folder is None or not self._folder.is_dir():
                self._folder = _made(self._make)
            return self._folder

    def new(self) -> Path:
        """A new, empty folder, whose name no method can guess and take before."""
        with contextlib.suppress(OSError):
            return Path(tempfile.mkdtemp(dir=self.folder))
        with self._lock:  # a method spoiled the folder of all: another one is made
            self._folder = _made(self._make)
        return _made(lambda: Path(tempfile.mkdtemp(dir=self._folder)))

    def _make(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        held = FileLock(folder / "lock")
        held.acquire()
        self._made.append((folder, held))
        _sweep(folder.parent)
        return folder

    def close(self) -> None:
        """Remove all corners, also in folders that a method spoiled."""
        for folder, held in self._made:
            held.release()
            remove_folder(folder)
        self._made.clear()
        self._folder = None


def _made(make: Callable[[], Path]) -> Path:
    """The folder that is made; one sentence if there is no room for it."""
    try:
        return make()
    except OSError as error:
        raise OutputError(
            f"Runs need a temporary folder ({error.strerror}): set TMPDIR to one that has room."
        ) from error


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, also what its owner made unreadable or nested thousands deep."""
    if folder.is_symlink():  # put in its place by a method: what it leads to is not ours
        with contextlib.suppress(OSError):
            folder.unlink()
        return
    _remove(folder)
    if folder.exists():
        _flatten(folder)
        _remove(folder)


def _remove(folder: Path) -> None:
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)


def _flatten(folder: Path) -> None:
    """Make all folders in a folder readable, and move them right below it, where no path gets too long."""
    found, name = [folder], secrets.token_hex(8)
    for number in itertools.count():
        if not found:
            return
        inner = found.pop()
        with contextlib.suppress(OSError):
            for place, entry in enumerate(list(os.scandir(inner))):
                if entry.is_dir(follow_symlinks=False):
                    with contextlib.suppress(OSError):
                        os.chmod(entry.path, 0o700)  # noqa: PTH101
                        found.append(Path(entry.path).rename(folder / f"{name}-{number}-{place}"))


def _sweep(parent: Path) -> None:
    """Remove the folders of killed processes, which hold no lock any more."""
    for left in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, Timeout):
            if left.stat().st_uid == _user() and time.time() - left.stat().st_mtime > SECONDS_TO_LOCK:
                with FileLock(left / "lock", timeout=0):
                    remove_folder(left)


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
