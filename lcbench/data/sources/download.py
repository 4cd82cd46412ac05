"""Downloads files over HTTP: resumes, retries with growing waits, limits the size."""

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
TIMEOUT = 30.0  # seconds without a byte received
MOST_BYTES = 2 * 1024**3
CHUNK = 1 << 14  # bytes; at most so many are lost when a transfer breaks off


class TransferError(Exception):
    """A failed attempt; `final` is true if a retry would fail in the same way."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        super().__init__(why)
        self.final = final


class Download:
    """Downloads one file, by pooch. The bytes received so far stay in `TARGET.part` until the file is complete."""

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
        self._version = target.with_name(f"{target.name}.part.json")  # address and version of the file on the server
        self._timeout, self._attempts, self._most, self._sleep = timeout, attempts, most_bytes, sleep

    def fetch(self) -> Path:
        """Download the whole file; if that fails DataUnavailableError is raised and the received part is kept."""
        for attempt in range(self._attempts):
            try:
                while not self._attempt():
                    pass
            except TransferError as error:
                if error.final or attempt + 1 == self._attempts:
                    self._discard_if_empty()
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
        """Delete what was received: it turned out to be wrong."""
        for path in (self.target, self.part, self._version):
            path.unlink(missing_ok=True)

    def _discard_if_empty(self) -> None:
        """Delete the part of a transfer in which no byte was received."""
        if self.part.is_file() and not self.part.stat().st_size:
            self.discard()

    def _attempt(self) -> bool:
        """Ask for the file, or the rest of it; False if the server sent only a piece, and must be asked again."""
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
    """Turns an error of the disk in writing `path` into one sentence."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"'{path}' could not be written ({error.strerror or error}).") from error


class _Body:
    """The file object that pooch writes a response to; decides where to resume, and stops at the size limit."""

    def __init__(self, url: str, file: Any, version: Path, most: int) -> None:
        self._url, self._file, self._version, self._most = url, file, version, most
        self._size = self._start = file.seek(0, 2)
        self._announced: int | None = None  # position at which this response ends
        self._expected: int | None = None  # position at which the whole file ends

    def resume_headers(self) -> dict[str, str]:
        """Headers that ask for the rest only, provided that the file on the server is still the same; else none."""
        try:
            known = json.loads(self._version.read_bytes())
            url, validator = known["url"], known["validator"]
        except (OSError, ValueError, TypeError, KeyError):
            return {}
        if not self._size or url != self._url or not isinstance(validator, str) or not validator:
            return {}
        return {"Range": f"bytes={self._size}-", "If-Range": validator}

    def on_response(self, response: Any, **_: Any) -> None:
        """Before the body is read: append to the received part, or start over."""
        code, headers = response.status_code, response.headers
        rest = re.fullmatch(rf"bytes {self._size}-\d+/(\d+|\*)", headers.get("Content-Range", "").strip())
        if code == 416 or (code == 206 and rest is None):
            self._start_over()
            raise TransferError("did not send the rest of the file")
        if response.is_redirect or code >= 400:
            return
        if code != 206:
            self._start_over()
        response.raw.headers.discard("Content-Encoding")  # the archive itself is compressed: keep it so
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
        """Append a chunk of the body; TransferError beyond the size limit."""
        self._size += len(chunk)
        if self._size > self._most:
            raise TransferError(f"sends more than {self._most:,} bytes", final=True)
        self._file.write(chunk)
        transfer_listener().advance(len(chunk))

    def flush(self) -> None:
        """Flush the file; pooch calls this after every chunk."""
        self._file.flush()

    def is_complete(self) -> bool:
        """True if the whole file is here, False after a piece of it; TransferError if a response broke off."""
        if self._expected is None or self._size == self._expected:
            return True
        if self._size == self._announced > self._start:
            return False
        raise TransferError(f"broke off after {self._size:,} of {self._expected:,} bytes")

    def _start_over(self) -> None:
        self._file.truncate(0)
        self._size = 0


def _explained(error: Any, timeout: float) -> TransferError:
    """Turns an exception of requests into a sentence, and decides if a retry makes sense."""
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
