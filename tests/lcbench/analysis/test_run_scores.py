from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import make_record

import lcbench
from lcbench.analysis.run_scores import (
    ARRIVAL,
    END,
    Spread,
    alone_score,
    alone_scores,
    check_moment,
    figures_of,
    task_scores,
)
from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.errors import ParameterError
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import FAILED
from lcbench.registry.host import plugin_host

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
ROWS = [[0.1, None, None], [0.2, 0.3, None], [0.4, 0.5, 0.9]]
NAMES = [formula.name for formula in FORMULAS]


RUN = make_record("m", R, agreement=[[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]], order="abc")
ALONE = make_record("m", [[0.70, None, None], [0.1, 0.75, None], [0.1, 0.1, 0.80]], order="abc")


def test_a_run_with_all_inputs_has_every_figure_worked_by_hand():
    figures = figures_of(RUN, "purity", ALONE)
    assert list(figures) == NAMES
    expected = [2.47 / 3, 0.79, -0.05, 0.05, 0.30, 0.22 / 3, 0.04, 0.10, 0.7, 2.35 / 3]
    assert list(figures.values()) == pytest.approx(expected)


@pytest.mark.parametrize("baseline", [None, replace(ALONE, status=FAILED), replace(ALONE, scores={})], ids=str)
def test_without_a_usable_baseline_the_figures_that_need_it_are_missing(baseline):
    figures = figures_of(RUN, "purity", baseline)
    missing = {name for name, value in figures.items() if value is None}
    assert missing == {"learning_transfer", "gain_over_single_task", "first_task_gain"}


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
    baseline, run = lcbench.run("l2sc:n_neighbors=5", blob_stream, future=True)
    assert run.baseline == baseline.run_id
    same = figures_of(baseline, "nmi", baseline)
    names = ("backward_transfer", "forgetting", "learning_transfer", "gain_over_single_task", "partition_drift")
    assert [same[name] for name in names] == [0.0, 0.0, 0.0, 0.0, 1.0]
    figures = figures_of(run, "nmi", baseline)
    assert None not in figures.values()
    gain = figures["average_after_all"] - same["average_at_arrival"]
    assert figures["gain_over_single_task"] == pytest.approx(gain)


@pytest.fixture
def run():
    return make_record("m", ROWS, order="cab", metric="nmi")


def test_scores_at_the_end_are_the_last_row_by_task(run):
    assert task_scores(run, "nmi", END, "abc") == {"a": 0.5, "b": 0.9, "c": 0.4, None: pytest.approx(0.6)}


def test_scores_at_arrival_are_the_diagonal_by_task(run):
    assert task_scores(run, "nmi", ARRIVAL, "abc") == {"a": 0.3, "b": 0.9, "c": 0.1, None: pytest.approx(1.3 / 3)}


def test_an_average_needs_a_score_of_every_task(run):
    assert task_scores(run, "nmi", END, "abcd") == {"a": 0.5, "b": 0.9, "c": 0.4, None: None}
    lacking = make_record("m", (0.3, None), metric="nmi")
    assert task_scores(lacking, "nmi", END, "ab") == {"a": 0.3, "b": None, None: None}


def test_tasks_that_are_not_asked_for_are_in_no_average(run):
    assert task_scores(run, "nmi", END, "ab") == {"a": 0.5, "b": 0.9, None: pytest.approx(0.7)}


def test_a_run_without_the_metric_or_that_stopped_early_has_no_scores(run):
    assert task_scores(run, "ri", END, "abc") == {}
    run.scores["nmi"] = ROWS[:2]
    assert task_scores(run, "nmi", END, "abc") == {}


def test_a_moment_other_than_end_and_arrival_is_refused():
    check_moment("end")
    check_moment("arrival")
    with pytest.raises(ParameterError, match="at takes end or arrival, not 'start'"):
        check_moment("start")


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
