"""Sends and receives messages between processes: pickles with their length, by pipe."""

from __future__ import annotations

import os
import pickle
import struct
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from lcbench.records.record import RunRecord
from lcbench.running.planned_run import ConfiguredMethod

if TYPE_CHECKING:
    from lcbench.running.shared_data import SharedStream

_LENGTH = struct.Struct("!Q")


class MessageError(Exception):
    """The other end of the pipe is closed, or the bytes received are no message."""


def send(pipe: BinaryIO, message: Any) -> None:
    """Write one message and flush it."""
    write(pipe, packed(message))


def packed(message: Any) -> bytes:
    """A message as bytes: the length of its pickle, then the pickle."""
    content = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def write(pipe: BinaryIO, content: bytes) -> None:
    """Write a packed message; MessageError if the pipe is closed."""
    try:
        pipe.write(content)
        pipe.flush()
    except (OSError, ValueError) as error:
        raise MessageError(str(error)) from error


def receive(pipe: BinaryIO) -> Any:
    """Wait for one message and return it; MessageError if the pipe ends before."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    try:
        return pickle.loads(_exactly(pipe, length))
    except MessageError:
        raise
    except Exception as error:  # unpickling may raise anything
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


def private_pipes(*, silent: bool) -> tuple[BinaryIO, BinaryIO]:
    """Move standard input and output to other descriptors, where a method cannot read or print.

    What it prints goes where its errors go: to the null device if `silent`.
    """
    pipes = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    if silent:
        os.dup2(null, 2)
    os.dup2(2, 1)
    os.close(null)
    return pipes


def import_path() -> list[str]:
    """The entries of `sys.path` that exist: others could be text in which a method hides data."""
    return [entry or os.getcwd() for entry in sys.path if Path(entry).exists()]  # noqa: PTH109  text, as in sys.path


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """The first message to a worker: settings for all of its runs."""

    parent: int
    memory_limit: int | None
    log_level: int


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """The message that gives a worker one run: blank record, method, stream, names of metrics and of audits."""

    record: RunRecord
    method: ConfiguredMethod
    stream: SharedStream
    metrics: tuple[str, ...]
    audit: tuple[str, ...]
