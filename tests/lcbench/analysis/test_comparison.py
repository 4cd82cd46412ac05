from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcbench.analysis.comparison import ComparedStream, Spread


def stream(scores) -> ComparedStream:
    return ComparedStream("s", ("a",), (), True, scores, {}, (), None, {})


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=9))
def test_a_spread_is_numpys_mean_and_sample_standard_deviation(values):
    found = Spread.of(values)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-12)
    assert found.sd == pytest.approx(np.std(values, ddof=1), abs=1e-7)
    assert found.count == len(values)


def test_a_spread_is_over_the_known_values_and_one_value_has_no_deviation():
    assert Spread.of([None, 0.5, None]) == Spread(0.5, None, 1)
    assert Spread.of([0.0, None, 1.0]) == Spread(0.5, pytest.approx(0.5**0.5), 2)
    assert Spread.of([None, None]) is None
    assert Spread.of([]) is None


def test_a_stream_shows_the_metrics_it_was_scored_with_in_the_order_asked_for():
    scored = stream({("m", "ri", "a"): Spread(0.5, None, 1), ("m", "nmi", None): Spread(0.5, None, 1)})
    assert scored.scored_by(["nmi", "purity", "ri"]) == ["nmi", "ri"]


def test_a_stream_without_any_score_shows_all_metrics():
    assert stream({}).scored_by(["nmi", "purity"]) == ["nmi", "purity"]
