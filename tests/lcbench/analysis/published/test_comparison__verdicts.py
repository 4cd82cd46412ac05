from __future__ import annotations

import pytest

from lcbench.analysis.published.comparison import verdict, worst


@pytest.mark.parametrize(
    ("difference", "word"),
    [
        (0.0, "within 2"), (2.0, "within 2"), (-2.004, "within 2"), (2.006, "near"), (2.01, "near"), (-2.01, "near"),
        (5.0, "near"), (-5.0, "near"), (5.01, "off"), (-40.0, "off"), (None, "no result"),
    ],
)  # fmt: skip
def test_a_verdict_looks_at_the_size_of_the_difference(difference, word):
    assert verdict(difference, same_data=True) == word


@pytest.mark.parametrize("difference", [0.0, 3.0, -40.0])
def test_nothing_is_claimed_about_other_data(difference):
    assert verdict(difference, same_data=False) == "other split"
    assert verdict(None, same_data=False) == "no result"


def test_the_worst_verdict_holds_for_all():
    assert worst(["within 2", "off", "near"]) == "off"
    assert worst(["within 2", "near"]) == "near"
    assert worst(["within 2", "no result"]) == "no result"
