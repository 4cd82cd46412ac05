from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from lcbench.data.sources.transfers import TransferListener, transfer_listener, transfers_reported_to


def test_without_a_listener_messages_go_to_the_log(caplog):
    with caplog.at_level(logging.INFO, "lcbench"):
        transfer_listener().say("fetching 100 % of it")
        transfer_listener().begin("file", None)
        transfer_listener().advance(10)
        transfer_listener().end()
    assert caplog.messages == ["fetching 100 % of it"]


def test_the_innermost_block_decides_who_listens():
    outer, inner = TransferListener(), TransferListener()
    with transfers_reported_to(outer):
        with transfers_reported_to(inner):
            assert transfer_listener() is inner
        assert transfer_listener() is outer
    assert transfer_listener() not in (outer, inner)


def test_an_error_inside_the_block_ends_the_listening():
    mine = TransferListener()
    with pytest.raises(ZeroDivisionError), transfers_reported_to(mine):
        raise ZeroDivisionError
    assert transfer_listener() is not mine


def test_a_listener_does_not_hear_of_downloads_in_other_threads():
    mine = TransferListener()
    with transfers_reported_to(mine), ThreadPoolExecutor(1) as pool:
        assert pool.submit(transfer_listener).result() is not mine
        assert transfer_listener() is mine
