from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import make_record, make_solos

import lcbench
from lcbench.analysis.run_scores import (
    ARRIVAL,
    END,
    Spread,
    alone_score,
    alone_scores,
    figures_of,
    solo_scores,
    task_scores,
)
from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import FAILED
from lcbench.registry.host import plugin_host

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
ROWS = [[0.1, None, None], [0.2, 0.3, None], [0.4, 0.5, 0.9]]
NAMES = [formula.name for formula in FORMULAS]


RUN = make_record("m", R, agreement=[[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]], order="abc")
ALONE = make_record("m", [[0.70, None, None], [0.1, 0.75, None], [0.1, 0.1, 0.80]], order="abc")
SOLOS = {solo.run_id: solo for solo in make_solos(RUN, {"a": 0.78, "b": 0.76, "c": 0.86})}


def test_a_run_with_all_inputs_has_every_figure_worked_by_hand():
    figures = figures_of(RUN, "purity", ALONE, SOLOS)
    assert list(figures) == NAMES
    expected = {
        "average_at_arrival": 2.47 / 3, "average_after_all": 0.79, "backward_transfer": -0.05, "forgetting": 0.05,
        "solo_average": 0.80, "forward": 0.07 / 3, "backward": -0.1 / 3, "total_transfer": -0.01,
        "first_task_noise": 0.02, "own_gain": 0.05, "learning_gain": 0.22 / 3, "gain_over_single_task": 0.04,
        "average_before_learning": 0.30, "partition_agreement": 0.7, "area_under_curve": 2.35 / 3,
    }  # fmt: skip
    assert figures == pytest.approx(expected)


@pytest.mark.parametrize("baseline", [None, replace(ALONE, status=FAILED), replace(ALONE, scores={})], ids=str)
def test_without_a_usable_baseline_the_figures_that_need_it_are_missing(baseline):
    figures = figures_of(RUN, "purity", baseline, SOLOS)
    missing = {name for name, value in figures.items() if value is None}
    assert missing == {"learning_gain", "gain_over_single_task", "own_gain"}


def test_solo_scores_are_those_of_the_runs_with_the_ids_of_the_tasks_in_the_order_of_the_run():
    assert solo_scores(RUN, "purity", SOLOS) == [0.78, 0.76, 0.86]
    turned = replace(RUN, order=("c", "a", "b"))
    assert solo_scores(turned, "purity", SOLOS) == [0.86, 0.78, 0.76]
    assert solo_scores(RUN, "nmi", SOLOS) is None
    assert solo_scores(RUN, "purity", {}) is None
    assert solo_scores(replace(RUN, setting="single-task"), "purity", SOLOS) is None
    assert solo_scores(replace(RUN, repeat=1), "purity", SOLOS) is None


def test_a_solo_run_that_failed_or_is_not_there_leaves_its_task_without_a_score():
    a, b, _ = RUN.solo_ids
    some = {**SOLOS, a: replace(SOLOS[a], status=FAILED)}
    del some[b]
    assert solo_scores(RUN, "purity", some) == [None, None, 0.86]
    for solos in (some, {}):
        missing = {name for name, value in figures_of(RUN, "purity", ALONE, solos).items() if value is None}
        assert missing == {"solo_average", "forward", "total_transfer", "first_task_noise", "own_gain"}


def test_a_failed_run_or_one_without_the_metric_has_no_figures():
    for figures in (figures_of(replace(RUN, status=FAILED), "purity", ALONE), figures_of(RUN, "nmi", ALONE)):
        assert figures == dict.fromkeys(NAMES)


def test_a_baseline_is_compared_by_task_whatever_its_order():
    other = make_record("m", [[0.80, None, None], [0.1, 0.70, None], [0.1, 0.1, 0.75]], order="cab")
    assert alone_scores(other, "purity", "abc") == [0.70, 0.75, 0.80]
    assert figures_of(RUN, "purity", other) == figures_of(RUN, "purity", ALONE)
    assert alone_score(other, "purity", "d") is None


def test_a_baseline_scored_at_the_end_only_is_taken_from_there():
    other = make_record("m", [[None] * 3, [None] * 3, [0.70, 0.75, 0.80]], order="abc")
    assert figures_of(RUN, "purity", other) == figures_of(RUN, "purity", ALONE)


def test_forgetting_has_the_other_sign_where_less_is_better(monkeypatch):
    less = MetricSpec("loss", "a:B", MetricKind.EXTERNAL, greater_is_better=False)
    monkeypatch.setitem(plugin_host().registry.metrics._specs, "loss", less)
    run = replace(RUN, scores={"loss:power=2": R, "purity": R})
    expected = ((0.74 - 0.70) + (0.78 - 0.82)) / 2
    assert figures_of(run, "loss:power=2", None)["forgetting"] == pytest.approx(expected)
    assert run.summary["loss:power=2"]["forgetting"]["value"] == pytest.approx(expected)
    assert run.summary["purity"]["forgetting"]["value"] == pytest.approx(0.05)


def test_a_single_task_method_gains_nothing_over_itself(blob_stream):
    results = lcbench.run("l2sc:n_neighbors=5", blob_stream, future=True, executor=lcbench.InProcess())
    baseline, run = results
    assert run.baseline == baseline.run_id
    same = figures_of(baseline, "nmi", baseline)
    names = ("backward_transfer", "forgetting", "learning_gain", "gain_over_single_task", "partition_agreement")
    assert [same[name] for name in names] == [0.0, 0.0, 0.0, 0.0, 1.0]
    figures = figures_of(run, "nmi", baseline, {solo.run_id: solo for solo in results.solos})
    assert None not in figures.values()
    parts = figures["own_gain"] + figures["forward"] + figures["backward"]
    assert figures["gain_over_single_task"] == pytest.approx(parts)
    gain = figures["average_after_all"] - same["average_at_arrival"]
    assert figures["gain_over_single_task"] == pytest.approx(gain)


@pytest.fixture
def run():
    return make_record("m", ROWS, order="cab", metric="nmi")


def test_scores_at_the_end_are_the_last_row_by_task_and_those_at_arrival_the_diagonal(run):
    assert task_scores(run, "nmi", END, "abc") == {"a": 0.5, "b": 0.9, "c": 0.4, None: pytest.approx(0.6)}
    assert task_scores(run, "nmi", ARRIVAL, "abc") == {"a": 0.3, "b": 0.9, "c": 0.1, None: pytest.approx(1.3 / 3)}


def test_an_average_needs_a_score_of_every_task_that_is_asked_for_and_has_no_other(run):
    assert task_scores(run, "nmi", END, "abcd") == {"a": 0.5, "b": 0.9, "c": 0.4, None: None}
    assert task_scores(run, "nmi", END, "ab") == {"a": 0.5, "b": 0.9, None: pytest.approx(0.7)}
    lacking = make_record("m", (0.3, None), metric="nmi")
    assert task_scores(lacking, "nmi", END, "ab") == {"a": 0.3, "b": None, None: None}


def test_a_run_without_the_metric_or_that_stopped_early_has_no_scores(run):
    assert task_scores(run, "ri", END, "abc") == {}
    run.scores["nmi"] = ROWS[:2]
    assert task_scores(run, "nmi", END, "abc") == {}


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
