from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.report.numbers import MISSING, p_value, score, seconds, size


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("purity", 0.66849, "66.8"),
        ("purity", 1.0, "100.0"),
        ("nmi:average=geometric", 0.5, "50.0"),
        ("silhouette", 0.12345, "0.123"),
        ("silhouette:distance=cosine", -0.5, "-0.500"),
        ("of-a-plugin-that-is-gone", 0.5, "50.0"),
    ],
)
def test_a_score_is_in_percent_unless_its_metric_says_otherwise(metric, value, text):
    assert score(metric, value) == text


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [("purity", 0.0123, "+1.2"), ("purity", -0.0123, "-1.2"), ("silhouette", 0.01, "+0.010")],
)
def test_a_change_has_a_sign(metric, value, text):
    assert score(metric, value, signed=True) == text


@pytest.mark.parametrize(("metric", "value"), [("purity", 69 / 80), ("silhouette", 0.0625)])
def test_the_mean_of_equal_scores_reads_the_same_over_any_number_of_runs(metric, value):
    assert {score(metric, fmean([value] * runs)) for runs in range(1, 40)} == {score(metric, value)}


@pytest.mark.parametrize(("metric", "value"), [("purity", -0.0004), ("purity", -0.0), ("silhouette", -0.0004)])
def test_a_number_that_rounds_to_zero_has_no_minus(metric, value):
    assert score(metric, value) in ("0.0", "0.000")
    assert score(metric, value, signed=True) in ("+0.0", "+0.000")


@settings(deadline=None)
@given(st.floats(-1, 1))
def test_a_score_is_within_half_of_its_last_digit(value):
    assert float(score("ari", value)) == pytest.approx(100 * value, abs=0.05 + 1e-9)
    assert float(score("silhouette", value)) == pytest.approx(value, abs=0.0005 + 1e-9)


def test_a_missing_number_is_a_dash():
    assert (
        score("purity", None)
        == score("silhouette", None, signed=True)
        == seconds(None)
        == size(None)
        == p_value(None)
        == MISSING
    )


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.000"), (0.01234, "0.012"), (1.5, "1.500"), (12.34, "12.3"), (1234.6, "1235")]
)
def test_seconds_to_the_millisecond_or_with_three_digits(value, text):
    assert seconds(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (1234, "1.2 kB"),
        (56_700_000, "56.7 MB"),
        (2_500_000_000, "2.5 GB"),
    ],
)
def test_sizes_are_in_the_unit_that_fits(count, text):
    assert size(count) == text


@pytest.mark.parametrize(("p", "text"), [(0.0312, "0.031"), (0.0004, "<0.001")])
def test_a_p_has_three_decimals(p, text):
    assert p_value(p) == text
