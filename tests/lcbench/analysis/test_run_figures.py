from __future__ import annotations

from dataclasses import replace

import pytest

import lcbench
from lcbench.analysis.run_figures import alone_score, alone_scores, figures_of
from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.records.formulas import FORMULAS
from lcbench.records.record import FAILED, RunRecord
from lcbench.registry.host import plugin_host

R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
NAMES = [formula.name for formula in FORMULAS]


def make_run(order, R, **changes) -> RunRecord:
    return RunRecord(
        method="m", revision=1, params={}, setting="lifelong", stream="s", stream_params={}, stream_digest="",
        order=tuple(order), seed=0, repeat=0, scores={"purity": R}, **changes,
    )  # fmt: skip


RUN = make_run("abc", R, agreement=[[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]])
ALONE = make_run("abc", [[0.70, None, None], [0.1, 0.75, None], [0.1, 0.1, 0.80]])


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
    other = make_run("cab", [[0.80, None, None], [0.1, 0.70, None], [0.1, 0.1, 0.75]])
    assert alone_scores(other, "purity", "abc") == [0.70, 0.75, 0.80]
    assert figures_of(RUN, "purity", other) == figures_of(RUN, "purity", ALONE)
    assert alone_score(other, "purity", "d") is None


def test_a_baseline_scored_at_the_end_only_is_taken_from_there():
    other = make_run("abc", [[None] * 3, [None] * 3, [0.70, 0.75, 0.80]])
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
