"""Messages between processes: JSON and raw bytes, bounded and checked; never a pickle.

A message is the lengths of both, the JSON text and the bytes. What a method's process sends is read like this alone, so
that nothing it can send runs code elsewhere.
"""

from __future__ import annotations

import json
import os
import socket
import struct
from collections.abc import Sequence
from typing import Any, BinaryIO, Protocol

from lcbench.running.parcels import Parcel

MOST_TEXT = 1 << 24  # bytes of JSON in one message
MOST_BYTES = 1 << 32  # bytes besides: the state of a method that keeps its data may be large
CHUNK = 1 << 18
_LENGTHS = struct.Struct("!IQ")


class WireError(Exception):
    """The other end is closed, or sent something that is no message."""


class ClosedError(WireError):
    """The other end is closed."""


class Wire(Protocol):
    """One end of a connection between two processes."""

    def send(self, message: dict[str, Any], content: bytes = b"", parcels: Sequence[Parcel] = ()) -> None:
        """Send a message; ClosedError if the other end is closed."""

    def receive(self) -> tuple[dict[str, Any], bytes, list[Parcel]]:
        """Wait for the next message: its JSON object, its bytes and its parcels; ClosedError if there is none."""


def packed(message: dict[str, Any], content: bytes = b"") -> bytes:
    """A message as it is sent."""
    text = json.dumps(message, separators=(",", ":")).encode()
    return _LENGTHS.pack(len(text), len(content)) + text + content


class Reader:
    """Puts messages together from the bytes that arrive; WireError as soon as they are none."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, some: bytes) -> None:
        """Add bytes that arrived."""
        self._held += some

    def take(self, most: int = MOST_BYTES) -> tuple[dict[str, Any], bytes] | None:
        """The next message; None if it has not arrived whole. It may have at most `most` bytes besides its JSON."""
        if len(self._held) < _LENGTHS.size:
            return None
        text, content = _LENGTHS.unpack_from(self._held)
        if text > MOST_TEXT or content > most:
            raise WireError(f"a message of {text} and {content} bytes is too long")
        end = _LENGTHS.size + text
        if len(self._held) < end + content:
            return None
        with memoryview(self._held) as held:  # a slice of the array itself would be copied twice
            message, found = _parsed(bytes(held[_LENGTHS.size : end])), bytes(held[end : end + content])
        del self._held[: end + content]
        return message, found


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError(f"no JSON: {error}") from None
    if not isinstance(message, dict):
        raise WireError("no JSON object")
    return message


class SocketWire:
    """A wire over a Unix socket; parcels travel as file descriptors."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self._reader = Reader()

    def send(self, message: dict[str, Any], content: bytes = b"", parcels: Sequence[Parcel] = ()) -> None:
        """Send a message; ClosedError if the other end is closed."""
        data = packed({**message, "parcels": len(parcels)}, content)
        try:
            if parcels:
                sent = socket.send_fds(self.connection, [data], [parcel.descriptor for parcel in parcels])
                data = data[sent:]
            if data:  # else even sending nothing fails once the other end, which has all it needs, is closed
                self.connection.sendall(data)
        except OSError as error:
            raise ClosedError(str(error)) from error

    def receive(self) -> tuple[dict[str, Any], bytes, list[Parcel]]:
        """Wait for the next message; ClosedError if the other end is closed."""
        descriptors: list[int] = []
        while (found := self._reader.take()) is None:
            try:
                some, arrived, _, _ = socket.recv_fds(self.connection, CHUNK, 8)
            except OSError as error:
                raise ClosedError(str(error)) from error
            descriptors += arrived
            if not some:
                raise ClosedError("end of messages")
            self._reader.feed(some)
        message, content = found
        return message, content, [Parcel(descriptor=each) for each in descriptors]


class PipeWire:
    """A wire over two pipes; parcels travel as names of files."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source = source
        self._target = target
        self._reader = Reader()

    def send(self, message: dict[str, Any], content: bytes = b"", parcels: Sequence[Parcel] = ()) -> None:
        """Send a message; ClosedError if the other end is closed."""
        data = packed({**message, "parcels": [str(parcel.path) for parcel in parcels]}, content)
        try:
            self._target.write(data)
            self._target.flush()
        except (OSError, ValueError) as error:
            raise ClosedError(str(error)) from error

    def receive(self, most: int = MOST_BYTES) -> tuple[dict[str, Any], bytes, list[Parcel]]:
        """Wait for the next message; ClosedError if the other end is closed."""
        while (found := self._reader.take(most)) is None:
            try:
                some = os.read(self._source.fileno(), CHUNK)
            except (OSError, ValueError) as error:
                raise ClosedError(str(error)) from error
            if not some:
                raise ClosedError("end of messages")
            self._reader.feed(some)
        message, content = found
        names = message.pop("parcels", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise WireError("its parcels have no names")
        return message, content, [Parcel(path=name) for name in names]
