from __future__ import annotations

import logging
import warnings

import hostile_methods
import pytest

import lcbench
from lcbench.records.record import OK
from lcbench.running.forwarded_logs import LONGEST_TEXT, MOST_LOGGED, LogsShown, forward_logs


@pytest.fixture(autouse=True)
def _propagate(monkeypatch):
    monkeypatch.setattr(logging.getLogger("lcbench"), "propagate", True)


def message(text="hello", level=logging.WARNING, name="lcbench.mine"):
    return {"say": "log", "level": level, "name": name, "text": text}


def test_each_line_is_shown_after_the_name_of_its_run(caplog):
    LogsShown("mine").show(message("one\ntwo"))
    assert caplog.messages == ["mine: one", "mine: two"]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


@pytest.mark.parametrize(
    "sent",
    [
        {}, {"level": "high", "text": "x"}, {"level": None, "text": "x"}, {"level": 30, "text": ["x"]},
        {"level": 30, "text": None, "name": 7},
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_log_message_is_not_shown(caplog, sent):
    LogsShown("mine").show(sent)
    assert caplog.messages == []


@pytest.mark.parametrize("name", ["another", "lcbench" + ".x" * 50_000, None, 7, "lcbenchx"])
def test_a_name_that_is_not_a_logger_of_ours_makes_no_new_logger(caplog, name):
    before = len(logging.Logger.manager.loggerDict)
    LogsShown("mine").show(message(name=name))
    assert caplog.messages == ["mine: hello"]
    assert len(logging.Logger.manager.loggerDict) <= before + 1


def test_long_texts_and_many_messages_are_cut(caplog):
    logs = LogsShown("mine")
    logs.show(message("x" * 10 * LONGEST_TEXT))
    assert caplog.messages == ["mine: " + "x" * LONGEST_TEXT]
    for _ in range(MOST_LOGGED + 50):
        logs.show(message())
    assert len(caplog.messages) == MOST_LOGGED + 1, "so many, and the one that says so"


def test_a_huge_level_is_shown_as_critical(caplog):
    LogsShown("mine").show(message(level=1 << 70))
    assert caplog.records[0].levelno == logging.CRITICAL


class Wire:
    def __init__(self):
        self.sent = []

    def send(self, message, content=b"", parcels=()):
        self.sent.append(message)


@pytest.fixture
def forwarded(_logs_put_back):
    """What this process sends after its logs are forwarded; undone afterwards."""
    wire = Wire()
    forward_logs(wire, logging.DEBUG)
    return wire.sent


def test_log_messages_are_sent_with_their_level_and_name(forwarded):
    logging.getLogger("lcbench.mine").debug("%d things", 3)
    logging.getLogger("another").warning("hm")
    assert forwarded == [message("3 things", logging.DEBUG), message("hm", logging.WARNING, "another")]


def test_a_warning_is_sent_with_its_kind_and_place(forwarded):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning(UserWarning("odd"), UserWarning, "/a/b/method.py", 12)
    assert [each["text"] for each in forwarded] == ["UserWarning: odd (method.py:12)"]


def test_the_traceback_of_an_error_is_sent_along(forwarded):
    try:
        raise ValueError("no more")
    except ValueError:
        logging.getLogger("mine").exception("it failed")
    (sent,) = forwarded
    assert sent["text"].startswith("it failed\nTraceback (most recent call last):")
    assert sent["text"].endswith("ValueError: no more")


def test_a_message_that_cannot_be_formatted_is_not_sent_and_raises_nothing(forwarded, monkeypatch):
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logging.getLogger("mine").warning("%d things", "many")
    assert forwarded == []


def test_a_flood_ends_with_one_message_that_says_so(forwarded):
    for i in range(MOST_LOGGED + 50):
        logging.getLogger("mine").warning("message %d", i)
    assert len(forwarded) == MOST_LOGGED + 1
    assert forwarded[-1]["text"] == f"only its first {MOST_LOGGED:,} messages are shown."


def test_logs_and_warnings_of_methods_are_shown_here_and_fail_no_run(module_stream, caplog):
    methods = {
        "warns": hostile_methods.Warns(), "much": hostile_methods.LogsMuch(), "next": hostile_methods.LogsMuch(shift=1),
        "badly": hostile_methods.LogsBadly(), "closes": hostile_methods.ClosesOutput(), "good": hostile_methods.Good(),
    }  # fmt: skip
    assert [run.status for run in lcbench.run(methods, module_stream)] == [OK] * 6
    assert any(message.startswith("warns: UserWarning: something is odd (") for message in caplog.messages)
    for label in ("much", "next"):
        assert sum(message.startswith(f"{label}: message ") for message in caplog.messages) == MOST_LOGGED
        assert f"{label}: only its first 1,000 messages are shown." in caplog.messages


def test_every_line_of_a_message_counts_and_control_characters_are_replaced(caplog):
    logs = LogsShown("mine")
    for _ in range(3):
        logs.show(message("\n".join(["line"] * 700)))
    assert len(caplog.messages) == MOST_LOGGED + 1
    caplog.clear()
    LogsShown("min\x1be").show(message("\x1b[31mred"))
    assert "\x1b" not in caplog.text


def test_a_warning_is_shown_once_for_all_processes_of_runs_of_one_name(caplog):
    told = set()
    for label in ("mine", "mine", "yours"):
        LogsShown(label, told).show(message("beware"))
        LogsShown(label, told).show(message("beware", level=logging.INFO))
    shown = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert shown == ["mine: beware", "yours: beware"]


def test_a_warning_that_was_told_when_its_plugin_was_imported_here_is_not_shown_again(caplog, monkeypatch):
    monkeypatch.setattr("lcbench.running.forwarded_logs.told_at_import", {"UserWarning: old (mine.py:4)"})
    LogsShown("mine", set()).show(message("UserWarning: old (mine.py:4)"))
    assert caplog.messages == []
