"""Files over HTTP, by pooch: gone on with where they broke off, tried again after a while, never too large."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lcbench.data.sources.locations import make_folder
from lcbench.data.sources.transfers import transfer_listener
from lcbench.errors import DataUnavailableError, OutputError
from lcbench.writing import write_whole

ATTEMPTS = 4
FIRST_WAIT = 1.0  # seconds before the second attempt; it doubles from there
TIMEOUT = 30.0  # seconds without a byte
MOST_BYTES = 2 * 1024**3
CHUNK = 1 << 14  # what may be lost when a transfer breaks off


class TransferError(Exception):
    """An attempt that failed; `final` says that another would fail alike."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class Download:
    """One file of the network. What has come so far stays in `TARGET.part` until it is whole."""

    def __init__(
        self,
        url: str,
        target: Path,
        *,
        timeout: float = TIMEOUT,
        attempts: int = ATTEMPTS,
        most_bytes: int = MOST_BYTES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.url, self.target = url, target
        self.part = target.with_name(f"{target.name}.part")
        self._version = target.with_name(f"{target.name}.part.json")  # of the file on the server
        self._timeout, self._attempts, self._most, self._sleep = timeout, attempts, most_bytes, sleep

    def fetch(self) -> Path:
        """The whole file; DataUnavailableError, which keeps what has come, if it cannot be had."""
        for attempt in range(self._attempts):
            try:
                while not self._attempt():
                    pass
            except TransferError as error:
                if error.final or attempt + 1 == self._attempts:
                    self._forget_nothing()
                    raise DataUnavailableError(f"{self.url} {error}") from error
                wait = FIRST_WAIT * 2**attempt
                transfer_listener().say(f"{self.url} {error}; trying again in {wait:g} s")
                self._sleep(wait)
            else:
                break
        self.part.replace(self.target)
        self._version.unlink(missing_ok=True)
        return self.target

    def discard(self) -> None:
        """Forget what has come: it turned out to be wrong."""
        for path in (self.target, self.part, self._version):
            path.unlink(missing_ok=True)

    def _forget_nothing(self) -> None:
        """Leave no trace of a transfer of which nothing has come."""
        if self.part.is_file() and not self.part.stat().st_size:
            self.discard()

    def _attempt(self) -> bool:
        """Ask for the file, or the rest of it; whether all is here, and not only the piece that the server sends."""
        import pooch
        import requests

        make_folder(self.part.parent)
        with _writing(self.part), self.part.open("ab") as file:
            body = _Body(self.url, file, self._version, self._most)
            headers = {"Accept-Encoding": "identity", **body.resume_headers()}
            downloader = pooch.HTTPDownloader(
                chunk_size=CHUNK, timeout=self._timeout, headers=headers, hooks={"response": body.on_response}
            )
            try:
                downloader(self.url, body, None)
            except requests.RequestException as error:
                raise _explained(error, self._timeout) from error
            finally:
                transfer_listener().end()
            return body.is_complete()


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """What the disk has against a file, as one sentence."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"'{path}' could not be written ({error.strerror or error}).") from error


class _Body:
    """The file that a response is written to. pooch writes, this decides where and how much."""

    def __init__(self, url: str, file: Any, version: Path, most: int) -> None:
        self._url, self._file, self._version, self._most = url, file, version, most
        self._size = self._start = file.seek(0, 2)
        self._announced: int | None = None  # where the answer ends
        self._expected: int | None = None  # where the file ends

    def resume_headers(self) -> dict[str, str]:
        """Ask for the rest only, if the server still has the file that the part is of."""
        try:
            known = json.loads(self._version.read_bytes())
            url, validator = known["url"], known["validator"]
        except (OSError, ValueError, TypeError, KeyError):
            return {}
        if not self._size or url != self._url or not isinstance(validator, str) or not validator:
            return {}
        return {"Range": f"bytes={self._size}-", "If-Range": validator}

    def on_response(self, response: Any, **_: Any) -> None:
        """Before the body is read: go on behind what is here, or start over."""
        code, headers = response.status_code, response.headers
        rest = re.fullmatch(rf"bytes {self._size}-\d+/(\d+|\*)", headers.get("Content-Range", "").strip())
        if code == 416 or (code == 206 and rest is None):
            self._start_over()
            raise TransferError("has no rest of what came before")
        if response.is_redirect or code >= 400:
            return
        if code != 206:
            self._start_over()
        response.raw.headers.discard("Content-Encoding")  # of an archive that is compressed itself: not to be undone
        length = headers.pop("Content-Length", "")  # pooch would stumble over one that is no number
        self._start = self._size
        self._announced = self._expected = self._size + int(length) if length.isascii() and length.isdigit() else None
        if code == 206 and rest is not None and rest[1] != "*":
            self._expected = int(rest[1])  # a server may send less than the rest at a time
        if (self._expected or 0) > self._most:
            raise TransferError(f"is {self._expected:,} bytes large, more than is ever taken", final=True)
        tag = headers.get("ETag", "")
        validator = tag if tag and not tag.startswith("W/") else headers.get("Last-Modified", "")
        write_whole(self._version, json.dumps({"url": self._url, "validator": validator}).encode())
        transfer_listener().begin(self._url.rsplit("/", 1)[-1], self._size, self._expected)

    def write(self, chunk: bytes) -> None:
        """A piece of the body."""
        self._size += len(chunk)
        if self._size > self._most:
            raise TransferError(f"sends more than {self._most:,} bytes", final=True)
        self._file.write(chunk)
        transfer_listener().advance(len(chunk))

    def flush(self) -> None:
        """As files have it."""
        self._file.flush()

    def is_complete(self) -> bool:
        """Whether all is here; TransferError if less has come than was announced."""
        if self._expected is None or self._size == self._expected:
            return True
        if self._size == self._announced > self._start:
            return False
        raise TransferError(f"broke off after {self._size:,} of {self._expected:,} bytes")

    def _start_over(self) -> None:
        self._file.truncate(0)
        self._size = 0


def _explained(error: Any, timeout: float) -> TransferError:
    """What a failed request means, in words."""
    from requests import HTTPError, Timeout, exceptions

    text = str(error)
    if isinstance(error, HTTPError) and error.response is not None:
        code = error.response.status_code
        return TransferError(f"answered {code} {error.response.reason}", final=code < 500 and code not in (408, 429))
    if isinstance(error, Timeout) or "timed out" in text:
        return TransferError(f"sent nothing for {timeout:g} s")
    if isinstance(error, (exceptions.InvalidURL, exceptions.InvalidSchema, exceptions.MissingSchema)):
        return TransferError("is no address that can be fetched", final=True)
    if "resolve" in text:
        return TransferError("could not be reached: its host is not known here", final=True)
    if isinstance(error, exceptions.ChunkedEncodingError) or "IncompleteRead" in text:
        return TransferError("broke off")
    return TransferError("could not be reached")
