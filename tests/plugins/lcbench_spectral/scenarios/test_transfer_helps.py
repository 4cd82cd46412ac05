"""What L2SC is for: related tasks help each other, unrelated ones do not hurt."""

from __future__ import annotations

from statistics import fmean

import pytest

import lcbench

pytestmark = pytest.mark.slow


def mean_nmi(relatedness: float) -> dict[str, float]:
    streams = [f"topics:relatedness={relatedness},seed={seed}" for seed in range(10)]
    results = lcbench.run(["l2sc", "stsc"], streams, evaluate="last")
    assert not results.failed
    return {
        label: fmean(run.summary["nmi"]["average_after_all"]["value"] for run in results if run.label == label)
        for label in ("l2sc", "stsc")
    }


@pytest.mark.parametrize("relatedness", [0.9, 1.0])
def test_l2sc_beats_stsc_on_related_tasks_over_ten_seeds(relatedness):
    nmi = mean_nmi(relatedness)
    assert nmi["l2sc"] > nmi["stsc"]


def test_l2sc_is_at_most_two_points_below_stsc_on_unrelated_tasks():
    nmi = mean_nmi(0.0)
    assert nmi["l2sc"] >= nmi["stsc"] - 0.02
