"""Differences to a reference over many orders, against scipy and the definition of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from compared_runs import nmi_run
from scipy import stats

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.differences import find_reference
from lcbench.analysis.selection import select
from lcbench.errors import ParameterError, UnknownNameError


def averages(runs, label: str) -> np.ndarray:
    """The average over tasks at the end of every run of a method."""
    return np.array([np.mean(run.scores["nmi"][-1]) for run in runs if run.label == label])


def found_in(runs, **options):
    return compare_methods(select(runs), ["nmi"], against="base", **options).streams[0].differences


def test_p_and_interval_are_scipys_over_the_differences_of_the_orders(eight_orders):
    found = found_in(eight_orders)
    p = {}
    for label in ("x", "y"):
        differences = averages(eight_orders, label) - averages(eight_orders, "base")
        expected = stats.bootstrap((differences,), np.mean, method="percentile", n_resamples=20_000, rng=0)
        ours = found[label, "nmi", None]
        assert ours.mean == pytest.approx(differences.mean())
        assert (ours.low, ours.high) == pytest.approx(tuple(expected.confidence_interval), abs=0.001)
        p[label] = stats.wilcoxon(differences).pvalue
        assert ours.p_value == pytest.approx(p[label])
    least, most = sorted(p.values())
    assert found["x", "nmi", None].p_holm == pytest.approx(2 * least)
    assert found["y", "nmi", None].p_holm == pytest.approx(max(2 * least, most))
    assert found["x", "nmi", "a"].p_value is None


def test_differences_are_paired_and_their_ends_are_the_extremes_of_two_orders(two_orders):
    found = found_in(two_orders)
    a = found["ours", "nmi", "a"]
    # +.1 in one order and +.3 in the other; a quarter of the resamples is one of them alone
    assert (a.mean, a.low, a.high) == pytest.approx((0.2, 0.1, 0.3))
    assert (a.pairs, a.orders) == (2, 2)
    b = found["ours", "nmi", "b"]
    # -.1 in both
    assert (b.mean, b.low, b.high) == pytest.approx((-0.1, -0.1, -0.1))
    average = found["ours", "nmi", None]
    assert (average.mean, average.low, average.high) == pytest.approx((0.05, 0.0, 0.1))
    assert average.reason == "1 difference other than zero, and the test needs 6"


def test_a_narrower_confidence_gives_a_narrower_interval(eight_orders):
    wide, narrow = (found_in(eight_orders, confidence=level)["y", "nmi", None] for level in (0.95, 0.5))
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_only_runs_of_the_same_order_seed_and_repeat_are_pairs(eight_orders):
    for run in eight_orders:
        if run.label == "x" and run.repeat >= 5:
            run.seed = 1
    stream = compare_methods(select(eight_orders), ["nmi"], against="base").streams[0]
    assert (stream.differences["x", "nmi", None].pairs, stream.differences["y", "nmi", None].pairs) == (5, 8)
    assert stream.differences["x", "nmi", None].reason == "5 differences other than zero, and the test needs 6"
    assert not stream.paired


def test_repeats_of_one_order_are_resampled_and_are_one_difference_in_the_test():
    runs = [nmi_run(m, (0.5 + 0.01 * r * (m == "x"), 0.5), repeat=r) for m in ("base", "x") for r in range(6)]
    found = found_in(runs)
    assert found["x", "nmi", "a"].resampled == "repeats"
    assert found["x", "nmi", None].reason.startswith("1 difference other than zero")


def test_a_failed_run_is_no_partner_whatever_it_has_scored():
    runs = [nmi_run(label, (0.3, 0.3), repeat=r) for label in ("base", "x") for r in range(3)]
    runs[0].status = runs[4].status = "timeout"
    assert found_in(runs)["x", "nmi", "a"].pairs == 1


def test_a_single_pair_has_a_difference_and_no_interval():
    base = nmi_run("base", (0.1, 0.1), setting="single-task")
    one = found_in([base, nmi_run("x", (0.4, 0.2))])["x", "nmi", "a"]
    assert (one.mean, one.low, one.high) == (pytest.approx(0.3), None, None)


def test_the_reference_itself_and_a_method_without_pairs_have_no_difference():
    runs = [nmi_run("base", (0.1, 0.1)), nmi_run("x", (0.2, 0.2), repeat=7)]
    assert found_in(runs) == {}


def test_a_reference_is_found_by_label_or_name_and_must_be_one(two_orders):
    named = [*two_orders, nmi_run("b2", (0.1, 0.1), method="base", params={"k": 1}), nmi_run("x", (0, 0), stream="t")]
    found = find_reference(select(named).streams, "base")
    assert {stream: method.label for stream, method in found.items()} == {"s": "base"}
    assert compare_methods(select(named), ["nmi"], against="base").streams[0].reference == "base"
    with pytest.raises(UnknownNameError, match=r"no runs of 'basis'.*Did you mean 'base'"):
        compare_methods(select(two_orders), ["nmi"], against="basis")
    two = [nmi_run("x", (0.1, 0.1), method="m"), nmi_run("y", (0.1, 0.1), method="m", params={"k": 1})]
    with pytest.raises(ParameterError, match="more than one method on s: name one of 'x', 'y'"):
        compare_methods(select(two), ["nmi"], against="m")
