from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.report.numbers import MISSING, interval, p_value, score, seconds, size


@pytest.mark.parametrize(
    ("metric", "value", "text", "signed"),
    [
        ("purity", 0.66849, "66.8", "+66.8"),
        ("nmi:average=geometric", 0.5, "50.0", "+50.0"),
        ("silhouette", 0.12345, "0.123", "+0.123"),
        ("silhouette:distance=cosine", -0.5, "-0.500", "-0.500"),
        ("of-a-plugin-that-is-gone", 0.5, "50.0", "+50.0"),
        ("purity", -0.0004, "0.0", "+0.0"),  # what rounds to zero has no minus
        ("purity", -0.0, "0.0", "+0.0"),
        ("silhouette", -0.0004, "0.000", "+0.000"),
    ],
)
def test_a_score_is_in_percent_unless_its_metric_says_otherwise_and_a_change_has_a_sign(metric, value, text, signed):
    assert (score(metric, value), score(metric, value, signed=True)) == (text, signed)


@pytest.mark.parametrize(("metric", "value"), [("purity", 69 / 80), ("silhouette", 0.0625)])
def test_the_mean_of_equal_scores_reads_the_same_over_any_number_of_runs(metric, value):
    assert {score(metric, fmean([value] * runs)) for runs in range(1, 40)} == {score(metric, value)}


@settings(deadline=None)
@given(st.floats(-1, 1))
def test_a_score_is_within_half_of_its_last_digit(value):
    assert float(score("ari", value)) == pytest.approx(100 * value, abs=0.05 + 1e-9)
    assert float(score("silhouette", value)) == pytest.approx(value, abs=0.0005 + 1e-9)


def test_a_missing_number_is_a_dash():
    assert {score("purity", None), score("silhouette", None, signed=True)} == {MISSING}
    assert {show(None) for show in (seconds, size, p_value)} == {MISSING}


@pytest.mark.parametrize(
    ("show", "values", "texts"),
    [
        (seconds, [0.0, 0.01234, 1.5, 12.34, 1234.6], ["0.000", "0.012", "1.500", "12.3", "1235"]),
        (size, [0, 999, 1000, 1234, 56_700_000, 2.5e9], ["0 B", "999 B", "1.0 kB", "1.2 kB", "56.7 MB", "2.5 GB"]),
        (p_value, [0.0312, 0.0004], ["0.031", "<0.001"]),
    ],
)
def test_seconds_sizes_and_p_values_have_the_digits_that_matter(show, values, texts):
    assert list(map(show, values)) == texts


@pytest.mark.parametrize(
    ("ends", "text"),
    [((0.05, 0.152), "[+5.0, +15.2]"), ((-0.0001, 0.2), "[+0.0, +20.0]"), ((None, None), MISSING)],
)
def test_an_interval_is_its_ends_in_brackets(ends, text):
    assert interval("nmi", *ends) == text
