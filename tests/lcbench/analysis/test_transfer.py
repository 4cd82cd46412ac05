"""Transfer against matrices worked by hand, against scipy, and on methods of which it is known what they transfer."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from making import make_record, make_solos, make_stream
from scipy import stats
from small_methods import Forgetful, Handed, Noisy

import lcbench
from lcbench.analysis.selection import MethodRuns, select, select_outcome
from lcbench.analysis.statistics import Interval
from lcbench.analysis.transfer import (
    BACKWARD,
    FIRST,
    FORWARD,
    GAIN,
    NEGATIVE,
    OWN,
    POSITIVE,
    TOTAL,
    Curves,
    curves_of,
    direction,
    transfer_of,
)
from lcbench.records.record import FAILED, RunRecord
from lcbench.running.executor import InProcess

METRIC = "purity"
single = partial(make_record, "base", setting="single-task")


def found_in(*runs: RunRecord, beside=(), confidence=0.95, metric=METRIC):
    """The transfer of the method of these runs, with baselines and solo runs beside them."""
    return transfer_of(MethodRuns("m", runs), select(runs, beside=beside), metric, confidence)


def curves(*runs: RunRecord, beside=(), metric=METRIC):
    return curves_of(MethodRuns("m", runs), select(runs, beside=beside), metric, 0.95)


def means(points) -> list[float]:
    return [point.mean for point in points]


def worked_by_hand():
    """Two orders of two tasks, with the baseline and the solo runs of each."""
    first = single([[0.3, None], [0.3, 0.6]])
    second = single([[0.65, None], [0.65, 0.45]], order="ba", repeat=1)
    ab = make_record(R=[[0.5, None], [0.6, 0.8]], baseline=first.run_id)
    ba = make_record(R=[[0.7, None], [0.6, 0.5]], order="ba", repeat=1, baseline=second.run_id)
    solos = [*make_solos(ab, {"a": 0.4, "b": 0.7}), *make_solos(ba, {"a": 0.5, "b": 0.7})]
    return ab, ba, [first, second, *solos]


# ab: own (.1 + .1) / 2, forward (.1 + .1) / 2, backward (.1 + 0) / 2
# ba: own (.05 + .05) / 2, forward (0 + 0) / 2, backward (-.1 + 0) / 2
PARTS = {OWN: (0.1, 0.05), FORWARD: (0.1, 0.0), BACKWARD: (0.05, -0.05), TOTAL: (0.15, -0.05), GAIN: (0.25, 0.0),
         FIRST: (0.1, 0.0)}  # fmt: skip


def test_every_part_of_two_orders_worked_by_hand_with_the_two_as_ends_of_its_interval():
    ab, ba, beside = worked_by_hand()
    found = found_in(ab, ba, beside=beside)
    assert set(found.parts) == set(PARTS)
    for name, values in PARTS.items():
        part = found.parts[name]
        assert part.mean == pytest.approx(sum(values) / 2), name
        # a quarter of the resamples is one of the orders alone
        assert (part.low, part.high) == pytest.approx((min(values), max(values))), name
    assert found.solo == pytest.approx((0.55 + 0.6) / 2)
    assert (found.runs, found.orders, found.flag) == (2, 2, "")


def test_the_parts_add_up_over_many_runs_and_their_intervals_are_scipys_over_the_orders():
    generator = np.random.default_rng(0)
    runs, beside = [], []
    for repeat, order in enumerate(list(permutations("abcd"))[:8]):
        scores = generator.random((4, 4))
        base = single([[float(generator.random())] * 4] * 4, order=order, repeat=repeat)
        run = make_record(R=scores.tolist(), order=order, repeat=repeat, baseline=base.run_id)
        runs.append(run)
        beside += [base, *make_solos(run, dict(zip(order, generator.random(4).tolist(), strict=True)))]
    found = found_in(*runs, beside=beside)
    mean = {name: part.mean for name, part in found.parts.items()}
    assert mean[TOTAL] == pytest.approx(mean[FORWARD] + mean[BACKWARD])
    assert mean[GAIN] == pytest.approx(mean[OWN] + mean[FORWARD] + mean[BACKWARD])
    by_id = {each.run_id: each for each in beside}
    totals = [
        np.mean([run.scores[METRIC][-1][j] - by_id[solo].scores[METRIC][0][0] for j, solo in enumerate(run.solo_ids)])
        for run in runs
    ]
    expected = stats.bootstrap((totals,), np.mean, method="percentile", n_resamples=20_000, rng=0)
    part = found.parts[TOTAL]
    assert part.mean == pytest.approx(np.mean(totals))
    assert (part.low, part.high) == pytest.approx(tuple(expected.confidence_interval), abs=0.003)
    assert part.resampled == "orders"
    narrow = found_in(*runs, beside=beside, confidence=0.5).parts[TOTAL]
    assert part.low < narrow.low < narrow.high < part.high


def alike(R, solo, **fields) -> tuple[list[RunRecord], list[RunRecord]]:
    """Three repeats of one run, and their solo runs."""
    runs = [make_record(R=R, repeat=repeat, **fields) for repeat in range(3)]
    return runs, [each for run in runs for each in make_solos(run, solo)]


@pytest.mark.parametrize(
    ("R", "solo", "flag", "total", "gain"),
    [
        ([[0.947, None], [0.932, 0.932]], {"a": 0.947, "b": 0.939}, NEGATIVE, -0.011, 0.032),
        ([[0.80, None], [0.84, 0.84]], {"a": 0.80, "b": 0.80}, POSITIVE, 0.04, -0.06),
    ],
)
def test_the_flag_says_what_other_tasks_do_and_not_what_the_method_gains_over_another(R, solo, flag, total, gain):
    """The two newsgroup pairs of which 0.1 said the opposite."""
    runs, solos = alike(R, solo)
    bases = [single([[0.90, None], [0.90, 0.90]], repeat=repeat) for repeat in range(3)]
    runs = [replace(run, baseline=base.run_id) for run, base in zip(runs, bases, strict=True)]
    found = found_in(*runs, beside=[*solos, *bases])
    assert (found.flag, found.parts[TOTAL].mean) == (flag, pytest.approx(total))
    assert found.parts[GAIN].mean == pytest.approx(gain)


def test_where_less_is_better_a_lower_score_is_positive_transfer(monkeypatch):
    runs, solos = alike([[0.5, None], [0.6, 0.6]], {"a": 0.5, "b": 0.5})
    assert found_in(*runs, beside=solos).flag == POSITIVE
    monkeypatch.setattr("lcbench.analysis.transfer.greater_is_better", lambda _: False)
    assert found_in(*runs, beside=solos).flag == NEGATIVE


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.1, 0.2, POSITIVE), (-0.2, -0.1, NEGATIVE), (-0.1, 0.1, ""), (0.0, 0.2, ""), (-0.2, 0.0, ""),
        (1e-16, 1e-16, ""), (-1e-16, -1e-16, ""), (None, None, ""),
    ],
)  # fmt: skip
def test_a_direction_needs_an_interval_that_leaves_out_zero_by_more_than_rounding(low, high, said):
    assert direction(Interval(0.0, low, high, ""), "purity") == said


def test_a_single_run_has_parts_but_neither_intervals_nor_a_flag():
    (run, *_), solos = alike([[0.5, None], [0.9, 0.9]], {"a": 0.5, "b": 0.5})
    found = found_in(run, beside=solos)
    assert (found.parts[TOTAL], found.flag) == ((pytest.approx(0.4), None, None, "nothing"), "")


def test_a_single_task_method_and_one_without_solo_runs_have_no_transfer():
    runs, solos = alike([[0.5, None], [0.9, 0.9]], {"a": 0.5, "b": 0.5})
    assert found_in(*runs) is None
    assert found_in(*runs, beside=solos, metric="nmi") is None
    assert found_in(*(replace(run, setting="single-task") for run in runs), beside=solos) is None
    assert found_in(*(replace(run, status=FAILED) for run in runs), beside=solos) is None


def test_only_runs_that_have_all_their_solo_runs_count():
    runs, solos = alike([[0.5, None], [0.9, 0.9]], {"a": 0.5, "b": 0.5})
    assert found_in(*runs, beside=solos[1:]).runs == 2
    failed = [replace(solos[0], status=FAILED), *solos[1:]]
    assert found_in(*runs, beside=failed).runs == 2
    of_another_seed = [replace(solos[0], seed=1), *solos[1:]]
    assert found_in(*runs, beside=of_another_seed).runs == 2


def test_a_gain_is_shown_only_where_every_run_has_its_baseline():
    ab, ba, beside = worked_by_hand()
    found = found_in(ab, replace(ba, baseline=None), beside=beside)
    assert set(found.parts) == {FORWARD, BACKWARD, TOTAL, FIRST}
    assert found.parts[TOTAL].mean == pytest.approx(0.05)


def test_both_curves_worked_by_hand():
    abc = make_record(R=[[0.5, None, None], [0.6, 0.7, None], [0.8, 0.6, 0.9]], order="abc")
    cab = make_record(R=[[0.4, None, None], [0.4, 0.6, None], [0.4, 0.8, 0.6]], order="cab", repeat=1)
    solos = [*make_solos(abc, dict.fromkeys("abc", 0.5)), *make_solos(cab, dict.fromkeys("abc", 0.3))]
    found = curves(abc, cab, beside=solos)
    # at arrival minus solo: 0, .2, .4 and .1, .3, .3
    assert means(found.by_arrival) == pytest.approx([0.05, 0.25, 0.35])
    # after one more task: a +.1, b -.1; c 0, a +.2. After two: a +.3; c 0
    assert means(found.since_arrival) == pytest.approx([0.0, (0.0 + 0.1) / 2, (0.3 + 0.0) / 2])
    assert [(point.low, point.high) for point in found.by_arrival] == [
        pytest.approx(ends) for ends in ((0.0, 0.1), (0.2, 0.3), (0.3, 0.4))
    ]


def test_all_points_of_a_curve_are_over_the_same_runs():
    whole = make_record(R=[[0.5, None], [0.6, 0.8]])
    at_the_end_only = make_record(R=[[None, None], [0.1, 0.1]], repeat=1)
    one_task = make_record(R=[[0.1]], order="a", repeat=2)
    failed = make_record(R=[[0.1, None]], repeat=3, status=FAILED)
    solos = make_solos(whole, {"a": 0.4, "b": 0.4})
    found = curves(whole, at_the_end_only, one_task, failed, beside=solos)
    assert means(found.by_arrival) == pytest.approx([0.1, 0.4])
    assert means(found.since_arrival) == pytest.approx([0.0, 0.1])
    assert means(curves(whole, beside=solos[:1]).since_arrival) == pytest.approx([0.0, 0.1])
    assert curves(whole, beside=solos[:1]).by_arrival == ()
    assert curves(at_the_end_only) == Curves((), ())


# what is known of real methods


@pytest.fixture(scope="module")
def made():
    """The methods whose transfer is known, in ten random orders."""
    methods = {
        "forgetful": Forgetful(), "noisy": Noisy(), "handed": Handed(), "first only": Handed(first_only=True),
        "kmeans": "kmeans:n_init=1",
    }  # fmt: skip
    return lcbench.run(methods, make_stream(spread=2.0), order="random", repeats=10, executor=InProcess())


def of(made, label: str, metric: str = "ari"):
    """The transfer and the curves of one of the methods."""
    selection = select_outcome(made)
    (method,) = [each for each in selection.streams[0].methods if each.label == label]
    return transfer_of(method, selection, metric, 0.95), curves_of(method, selection, metric, 0.95)


@pytest.mark.parametrize("metric", ["purity", "nmi", "ri", "ari"])
def test_a_method_without_memory_and_randomness_transfers_exactly_nothing(made, metric):
    found, drawn = of(made, "forgetful", metric)
    assert 0 < found.solo < 1
    for name in (FORWARD, BACKWARD, TOTAL, FIRST):
        assert found.parts[name][:3] == (0.0, 0.0, 0.0)
    assert (found.flag, found.runs) == ("", 10)
    assert [point[:3] for point in (*drawn.by_arrival, *drawn.since_arrival)] == [(0.0, 0.0, 0.0)] * 6


@pytest.mark.parametrize("metric", ["purity", "nmi", "ri", "ari"])
def test_a_seeded_method_without_memory_has_intervals_that_contain_zero(made, metric):
    found, _ = of(made, "noisy", metric)
    for name in (FORWARD, BACKWARD, TOTAL, FIRST):
        part = found.parts[name]
        assert part.low < 0 < part.high, name
        assert part.mean != 0, name
    assert found.flag == ""


def test_a_method_that_is_handed_all_answers_at_its_second_task_has_what_is_worked_out_by_hand(made):
    found, drawn = of(made, "handed")
    # R = [[0], [1, 1], [1, 1, 1]], and 0 alone
    expected = {FORWARD: 2 / 3, BACKWARD: 1 / 3, TOTAL: 1.0, FIRST: 0.0}
    for name, value in expected.items():
        assert found.parts[name][:3] == pytest.approx((value, value, value)), name
    assert (found.solo, found.flag) == (0.0, POSITIVE)
    assert means(drawn.by_arrival) == pytest.approx([0.0, 1.0, 1.0])
    assert means(drawn.since_arrival) == pytest.approx([0.0, 0.5, 1.0])


def test_a_method_that_is_handed_the_answer_of_task_1_at_task_2_has_what_is_worked_out_by_hand(made):
    found, drawn = of(made, "first only")
    # R = [[0], [1, 0], [1, 0, 0]], and 0 alone
    expected = {FORWARD: 0.0, BACKWARD: 1 / 3, TOTAL: 1 / 3, FIRST: 0.0}
    assert {name: found.parts[name].mean for name in expected} == pytest.approx(expected)
    assert means(drawn.by_arrival) == [0.0, 0.0, 0.0]
    assert means(drawn.since_arrival) == pytest.approx([0.0, 0.5, 1.0])
    by_purity, _ = of(made, "first only", "purity")
    assert by_purity.solo == pytest.approx(1 / 3)  # of 60 samples in three classes
    assert by_purity.parts[TOTAL].mean == pytest.approx(2 / 9)


def test_a_single_task_method_does_not_change_after_arrival_and_has_no_transfer(made):
    found, drawn = of(made, "kmeans")
    assert found is None
    assert drawn.by_arrival == ()
    assert [point[:3] for point in drawn.since_arrival] == [(0.0, 0.0, 0.0)] * 3


def test_orders_that_share_their_solo_runs_are_not_taken_for_so_many_samples(blob_stream):
    """With every permutation, one repeat is one set of solo runs: their noise is in all orders alike."""
    experiment = partial(lcbench.run, Noisy(), blob_stream, order="all", executor=InProcess())
    found = lcbench.compare(experiment(), metrics="nmi").streams[0]
    (own,) = found.transfer.values()
    assert (own.orders, own.flag, own.parts["total_transfer"].low) == (6, "", None)
    assert own.parts["backward"].low is not None, "which needs no solo runs"
    several = lcbench.compare(experiment(repeats=3), metrics="nmi").streams[0]
    (own,) = several.transfer.values()
    assert own.parts["total_transfer"].low is not None
