"""Messages between a worker and its parent: pickles with their length before them, on a pipe of their own."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

from lcbench.records.record import RunRecord
from lcbench.running.planned_run import ConfiguredMethod

if TYPE_CHECKING:
    from lcbench.running.shared_data import SharedStream

_LENGTH = struct.Struct("!Q")


class MessageError(Exception):
    """The other end is gone, or what came is no message."""


def send(pipe: BinaryIO, message: Any) -> None:
    """Write one message, at once."""
    write(pipe, packed(message))


def packed(message: Any) -> bytes:
    """A message as it is written."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def write(pipe: BinaryIO, content: bytes) -> None:
    """Write a packed message; MessageError if nobody can read it any more."""
    try:
        pipe.write(content)
        pipe.flush()
    except (OSError, ValueError) as error:
        raise MessageError(str(error)) from error


def receive(pipe: BinaryIO) -> Any:
    """Wait for one message."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    try:
        return pickle.loads(_exactly(pipe, length))
    except MessageError:
        raise
    except Exception as error:  # whatever a pickle may raise
        raise MessageError(f"{type(error).__name__}: {error}") from error


def _exactly(pipe: BinaryIO, size: int) -> bytes:
    parts: list[bytes] = []
    missing = size
    while missing:
        try:
            part = pipe.read(min(missing, 1 << 20))
        except (OSError, ValueError) as error:
            raise MessageError(str(error)) from error
        if not part:
            raise MessageError("end of messages")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """What holds for all runs of a worker."""

    parent: int
    memory_limit: int | None
    log_level: int


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One run: its blank record, its method, its stream, what it is scored with, and how it is audited."""

    record: RunRecord
    method: ConfiguredMethod
    stream: SharedStream
    metrics: tuple[str, ...]
    audit: tuple[str, ...]
