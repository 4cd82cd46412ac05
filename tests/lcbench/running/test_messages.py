from __future__ import annotations

import io
import os

import pytest

from lcbench.running.messages import MessageError, receive, send


def test_messages_are_received_as_they_were_sent():
    pipe = io.BytesIO()
    sent = [("ready", {"a": 1}), None, "x" * 3_000_000]
    for message in sent:
        send(pipe, message)
    pipe.seek(0)
    assert [receive(pipe) for _ in sent] == sent


@pytest.mark.parametrize("cut", [0, 3, 8, 20])
def test_a_message_that_breaks_off_is_an_error(cut):
    pipe = io.BytesIO()
    send(pipe, "a message of some length")
    with pytest.raises(MessageError):
        receive(io.BytesIO(pipe.getvalue()[:cut]))


def test_bytes_that_are_no_pickle_are_an_error():
    with pytest.raises(MessageError):
        receive(io.BytesIO((4).to_bytes(8, "big") + b"nope"))


def test_a_closed_pipe_is_an_error():
    reading, writing = os.pipe()
    os.close(reading)
    pipe = os.fdopen(writing, "wb")
    with pytest.raises(MessageError):
        send(pipe, "anybody there?")
    with pytest.raises(BrokenPipeError):
        pipe.close()
