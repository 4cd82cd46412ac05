from __future__ import annotations

import contextlib
import json
import os
import socket
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.running.parcels import Parcel
from lcbench.running.wire import MOST_BYTES, MOST_TEXT, ClosedError, PipeWire, Reader, SocketWire, WireError, packed

LENGTHS = struct.Struct("!IQ")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
MESSAGES = st.lists(st.tuples(st.dictionaries(st.text(), VALUES, max_size=4), st.binary(max_size=300)), max_size=4)


def framed(text: bytes, content: bytes = b"") -> bytes:
    return LENGTHS.pack(len(text), len(content)) + text + content


def taken(reader: Reader) -> list:
    found = []
    while (message := reader.take()) is not None:
        found.append(message)
    return found


@settings(deadline=None)
@given(MESSAGES, st.integers(1, 50))
def test_messages_arrive_as_they_were_sent_in_whatever_pieces(messages, size):
    data = b"".join(packed(message, content) for message, content in messages)
    reader, found = Reader(), []
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
        found += taken(reader)
    assert found == messages
    assert reader.take() is None


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_messages_or_none_yet_or_a_wire_error(data):
    reader = Reader()
    reader.feed(data)
    try:
        found = taken(reader)
    except WireError:
        return
    assert all(isinstance(message, dict) and isinstance(content, bytes) for message, content in found)


@pytest.mark.parametrize(
    "data",
    [
        framed(b"nope"), framed(b"[1]"), framed(b"7"), framed(b'"text"'), framed(b"null"), framed(b""),
        framed(b'{"a": 1'), framed(b'{"a": "\xff"}'), framed(b"[" * 100_000), framed(b'{"a":' * 100_000),
        framed(b'{"a": ' + b"9" * 10_000 + b"}"), framed(b"\x80\x04K\x01."),
        LENGTHS.pack(MOST_TEXT + 1, 0), LENGTHS.pack(2, MOST_BYTES + 1), b"\xff" * LENGTHS.size,
    ],
    ids=[
        "words", "list", "number", "text", "null", "nothing", "broken off", "no utf-8", "deep lists", "deep objects",
        "long number", "pickle", "long text", "long bytes", "all ones",
    ],
)  # fmt: skip
def test_what_is_no_message_is_a_wire_error(data):
    reader = Reader()
    reader.feed(data)
    with pytest.raises(WireError):
        reader.take()


def test_more_bytes_than_are_due_are_refused_before_they_have_arrived():
    reader = Reader()
    reader.feed(LENGTHS.pack(2, 9) + b"{}")
    with pytest.raises(WireError, match="a message of 2 and 9 bytes is too long"):
        reader.take(8)
    assert reader.take(9) is None, "they are waited for if they are due"


@pytest.fixture
def sockets():
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        yield SocketWire(ours), SocketWire(theirs)


@pytest.fixture
def pipes():
    (read_a, write_a), (read_b, write_b) = os.pipe(), os.pipe()
    files = [os.fdopen(each, mode) for each, mode in ((read_a, "rb"), (write_b, "wb"), (read_b, "rb"), (write_a, "wb"))]
    yield PipeWire(*files[:2]), PipeWire(*files[2:])
    for file in files:
        with contextlib.suppress(BrokenPipeError):
            file.close()


@pytest.mark.parametrize("kind", ["sockets", "pipes"])
def test_both_wires_carry_objects_bytes_and_parcels(kind, request, tmp_path):
    one, other = request.getfixturevalue(kind)
    parcels = [Parcel.of([text], tmp_path if kind == "pipes" else None) for text in (b"first", b"second")]
    one.send({"say": "all"}, b"\0\1\2", parcels)
    message, content, arrived = other.receive()
    assert (message["say"], content) == ("all", b"\0\1\2")
    assert [bytes(parcel.content()) for parcel in arrived] == [b"first", b"second"]
    other.send({"n": [1, None]})
    message, content, arrived = one.receive()
    assert (message["n"], content, arrived) == ([1, None], b"", [])
    for parcel in parcels:
        parcel.close()


@pytest.mark.parametrize("kind", ["sockets", "pipes"])
def test_a_closed_end_is_a_closed_error_for_who_sends_and_who_receives(kind, request):
    one, other = request.getfixturevalue(kind)
    if kind == "sockets":
        other.connection.close()
    else:
        other._source.close()
        other._target.close()
    with pytest.raises(ClosedError):
        one.receive()
    with pytest.raises(ClosedError):
        one.send({"say": "anybody there?"}, bytes(1_000_000))


def test_who_has_read_a_whole_message_may_close_before_its_sender_returns(sockets, monkeypatch):
    one, other = sockets
    send = socket.send_fds

    def send_and_close(*arguments):
        sent = send(*arguments)
        other.receive()
        other.connection.close()
        return sent

    monkeypatch.setattr(socket, "send_fds", send_and_close)
    with contextlib.closing(Parcel.of([b"task"], None)) as parcel:
        one.send({"say": "task"}, parcels=[parcel])


def test_a_message_that_breaks_off_is_a_closed_error(sockets):
    one, other = sockets
    one.connection.sendall(packed({"say": "half"})[:-1])
    one.connection.close()
    with pytest.raises(ClosedError):
        other.receive()


def test_a_message_is_text_that_others_can_read():
    data = packed({"a": "ä"}, b"xyz")
    assert json.loads(data[LENGTHS.size : -3]) == {"a": "ä"}


@pytest.mark.parametrize("parcels", [5, "text", [7], None, {"a": 1}])
def test_parcels_without_names_are_a_wire_error(pipes, parcels):
    one, other = pipes
    one._target.write(packed({"parcels": parcels}))
    one._target.flush()
    with pytest.raises(WireError):
        other.receive()
