"""Sentences of checks beyond labels; their broken methods are in `test_kit.py`."""

from __future__ import annotations

import logging

import pytest
from lcbench_broken.methods import ENOUGH, BeginsToKeepTasksLater, KnowsItsProcess, LeavesAThread, Talks
from lcbench_broken.sound import Sound

from lcbench.testing.checks import SkippedError
from lcbench.testing.process_checks import (
    check_bounded_state,
    check_leaves_nothing,
    check_other_process,
    check_prints_nothing,
    check_promise,
)
from lcbench.testing.subjects import subjects_of

KNOWS_ITS_PROCESS = subjects_of(KnowsItsProcess())[0]  # two checks look at the same run of it


def fails(check, subject) -> str:
    with pytest.raises(AssertionError) as caught:
        check(subject)
    return str(caught.value)


def test_sentences_say_what_was_seen(monkeypatch):
    monkeypatch.setattr("lcbench.testing.process_checks.SECONDS_TO_END", 0.2)
    (talks,), (keeps,), (leaves,) = map(subjects_of, (Talks, BeginsToKeepTasksLater, LeavesAThread))
    assert fails(check_prints_nothing, talks) == "Talks prints: 'learning task-1'."
    assert fails(check_other_process, KNOWS_ITS_PROCESS) == "KnowsItsProcess gives other labels in another process."
    assert fails(check_bounded_state, keeps).startswith("The state of BeginsToKeepTasksLater grows")
    ENOUGH.clear()
    assert fails(check_leaves_nothing, leaves).startswith("LeavesAThread leaves thread left, thread left, ")
    ENOUGH.set()


def test_a_method_that_gives_other_labels_elsewhere_cannot_be_judged():
    with pytest.raises(SkippedError, match="the audit cannot tell: it does not repeat itself"):
        check_promise(KNOWS_ITS_PROCESS)


class Here(Sound):
    __module__ = "__main__"


def test_a_class_that_no_other_process_can_import_is_skipped():
    import __main__

    __main__.Here = Here
    try:
        with pytest.raises(SkippedError, match="no other process can import its class: put it in a module"):
            check_other_process(subjects_of(Here())[0])
    finally:
        del __main__.Here


def test_runs_of_checks_say_nothing(caplog):
    level = logging.getLogger("lcbench").level
    check_promise(subjects_of("kmeans")[0])
    assert caplog.records == []
    assert logging.getLogger("lcbench").level == level
