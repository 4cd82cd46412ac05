from __future__ import annotations

import json

import pytest

from lcbench.errors import ContractError, DataUnavailableError
from lcbench.records.record import FAILED, OUT_OF_MEMORY
from lcbench.running.faults import LINES_KEPT, LONGEST_LINE, LONGEST_TEXT, described, facts_of

BLAME = "plugin 'mine' of distribution 'theirs'"


class TextlessError(Exception):
    def __str__(self):
        raise SystemExit(3)


def caught(error: BaseException) -> BaseException:
    try:
        raise error
    except BaseException as found:
        return found


def sentence(error, task="b"):
    return described(json.loads(json.dumps(facts_of(caught(error)))), BLAME, task)


def test_an_error_is_described_by_who_raised_what_where_and_at_which_task():
    status, said, lines = sentence(ValueError("not now"))
    assert status == FAILED
    assert said.startswith(f"{BLAME} raised ValueError: not now (test_faults.py:")
    assert said.endswith(", at task 'b')")
    assert (lines[0], lines[-1]) == ("Traceback (most recent call last):", "ValueError: not now")
    assert any("test_faults.py" in line for line in lines)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MemoryError(), OUT_OF_MEMORY, f"{BLAME} raised MemoryError (test_faults.py:"),
        (SystemExit(4), FAILED, f"{BLAME} raised SystemExit: 4"),
        (KeyboardInterrupt(), FAILED, f"{BLAME} raised KeyboardInterrupt (test_faults.py:"),
        (BaseException("x was here"), FAILED, f"{BLAME} raised BaseException: x was here (test_faults.py:"),
        (TextlessError(), FAILED, f"{BLAME} raised TextlessError: it has no text"),
        (ContractError("It set no labels_."), FAILED, f"It set no labels_. The fault is in {BLAME}."),
        (DataUnavailableError("No data."), FAILED, f"{BLAME}: No data."),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_kind_of_error_has_a_status_and_names_who_is_to_blame(error, status, said):
    found, text, _ = sentence(error)
    assert found == status
    assert text.startswith(said)
    assert BLAME in text


def test_an_error_without_a_traceback_has_no_place():
    assert described(facts_of(ValueError("x")), BLAME, "b")[1] == f"{BLAME} raised ValueError: x (at task 'b')"


def test_long_texts_lines_and_tracebacks_are_cut():
    def deep(n):
        if n:
            deep(n - 1)
        raise ValueError("x" * 10_000)

    error = None
    try:
        deep(50)
    except ValueError as found:
        error = found
    facts = facts_of(error)
    assert facts["text"] == f"{'x' * 250} ... {'x' * 125}"
    assert len(facts["traceback"]) <= LINES_KEPT
    assert max(map(len, facts["traceback"])) <= LONGEST_LINE


@pytest.mark.parametrize(
    "facts",
    [
        {}, {"kind": ["x"], "text": {"a": 1}, "place": 7, "traceback": "x"},
        {"traceback": [1, None, ["x"] * 1000] * 99},
        {"kind": "x" * 99_999, "text": "y" * 99_999, "place": "z" * 99_999},
        {"memory": "yes", "contract": 1, "ours": [0]},
    ],
    ids=["nothing", "other types", "odd lines", "too long", "odd flags"],
)  # fmt: skip
def test_forged_facts_are_described_too_blame_the_same_and_stay_short(facts):
    status, said, lines = described(facts, BLAME, "b")
    assert status == FAILED
    assert said.startswith(f"{BLAME} raised ")
    assert len(said) < 4 * LONGEST_TEXT
    assert len(lines) <= LINES_KEPT
    assert all(isinstance(line, str) and len(line) <= LONGEST_LINE for line in lines)
