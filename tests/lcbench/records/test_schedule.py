from __future__ import annotations

import pytest

from lcbench.errors import ParameterError
from lcbench.records.schedule import is_scored, parse_evaluate


@pytest.mark.parametrize(
    ("evaluate", "total", "scored_after"),
    [
        ("all", 4, [1, 2, 3, 4]),
        ("last", 4, [4]),
        ("every:1", 4, [1, 2, 3, 4]),
        ("every:2", 5, [2, 4, 5]),
        ("every:3", 6, [3, 6]),
        ("every:10", 4, [4]),
        ("last", 1, [1]),
    ],
)
def test_tasks_are_scored_as_asked_and_always_after_the_last(evaluate, total, scored_after):
    every = parse_evaluate(evaluate)
    assert [learned for learned in range(1, total + 1) if is_scored(learned, total, every)] == scored_after


@pytest.mark.parametrize("text", ["", "ALL", "every", "every:", "every:0", "every:-1", "every:1.5", "every:2 ", "3"])
def test_an_unknown_schedule_is_refused_with_a_list_of_the_valid_ones(text):
    with pytest.raises(ParameterError, match="takes all, last or every:N with N of at least 1, not") as caught:
        parse_evaluate(text)
    assert f"'{text}'" in str(caught.value)
