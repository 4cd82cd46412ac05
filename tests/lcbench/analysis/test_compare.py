"""A comparison worked by hand: means, standard deviations, failures and ranks, before they become tables."""

from __future__ import annotations

import pytest
from compared_runs import nmi_run
from making import make_solos

from lcbench.analysis.compare import ComparedStream, compare_methods
from lcbench.analysis.run_scores import Spread
from lcbench.analysis.selection import select
from lcbench.analysis.transfer import POSITIVE
from lcbench.errors import ParameterError


def test_means_and_sample_standard_deviations_by_hand(two_orders, compared):
    stream = compared(two_orders).streams[0]
    # a: .9 and .7, mean .8, sd .2/sqrt(2); averages over tasks .7 and .6
    assert stream.scores["ours", "nmi", "a"].mean == pytest.approx(0.8)
    assert stream.scores["ours", "nmi", "a"].sd == pytest.approx(0.1414, abs=1e-4)
    assert stream.scores["ours", "nmi", None] == Spread(pytest.approx(0.65), pytest.approx(0.0707, abs=1e-4), 2)
    assert stream.paired


def test_at_arrival_the_first_task_counts_as_it_was_learned(two_orders, compared):
    scores = compared(two_orders, at="arrival").streams[0].scores
    # a is the first of one order (.9 - .1) and the last of the other (.7)
    assert scores["ours", "nmi", "a"].mean == pytest.approx((0.8 + 0.7) / 2)
    with pytest.raises(ParameterError, match="at takes end or arrival, not 'x'"):
        compared(two_orders, at="x")


def test_lifelong_figures_are_means_over_runs_and_need_their_baseline(two_orders, compared):
    ours, _, base, _ = two_orders
    figures = compared(two_orders).streams[0].figures
    # the first task of each order was .1 lower when it was learned, and the last cannot change
    assert figures["ours", "nmi", "backward_transfer"] == Spread(pytest.approx(0.1), pytest.approx(0.0), 2)
    assert ("ours", "nmi", "gain_over_single_task") not in figures
    ours.baseline = base.run_id
    stream = compared(two_orders).streams[0]
    # a is .9, and .8 - .1 alone at its arrival; b is .5, and .6 alone
    gain = stream.figures["ours", "nmi", "gain_over_single_task"]
    assert (gain.mean, gain.count) == (pytest.approx((0.2 - 0.1) / 2), 1)
    assert {method.label: method.baseline for method in stream.methods} == {"base": None, "ours": "base"}


def test_transfer_is_measured_against_the_solo_runs_of_each_method_that_could_learn_from_other_tasks(two_orders):
    ours, other, *_ = two_orders
    # ours alone: .8 and .5; .5 and .6 in the other repeat. At the end .9 and .5; .7 and .5
    solos = [
        *make_solos(ours, {"a": 0.8, "b": 0.5}, metric="nmi"),
        *make_solos(other, {"a": 0.5, "b": 0.6}, metric="nmi"),
    ]
    stream = compare_methods(select(two_orders, beside=solos), ["nmi", "ri"]).streams[0]
    assert list(stream.transfer) == [("ours", "nmi")]
    found = stream.transfer["ours", "nmi"]
    assert found.parts["total_transfer"].mean == pytest.approx((0.05 + 0.05) / 2)
    assert found.flag == POSITIVE
    assert stream.figures["ours", "nmi", "total_transfer"].mean == pytest.approx(0.05)
    assert ("base", "nmi", "total_transfer") not in stream.figures
    assert compare_methods(select(two_orders), ["nmi"]).streams[0].transfer == {}


def test_a_stream_notes_partitions_that_collapsed(two_orders, compared):
    assert compared(two_orders).streams[0].collapses == ()
    for run in two_orders:
        run.largest = [0.99, 0.5] if run.label == "ours" else [0.5, 0.5]
    (note,) = compared(two_orders).streams[0].collapses
    assert note.startswith("ours collapses: more than 95% of the samples of 'a' (1 of 2 runs), 'b' (1 of 2 runs)")


def test_failed_runs_are_counted_and_described_and_break_the_pairing(compared, some_failed):
    stream = compared(some_failed).streams[0]
    assert not stream.paired
    assert {m.label: (m.done, dict(m.failed)) for m in stream.methods} == {
        "bad": (0, {"failed": 1}), "fine": (2, {}), "slow": (1, {"timeout": 1}),
    }  # fmt: skip
    assert stream.failures == (
        "bad on s failed after 0 of 2 tasks: ValueError: no",
        "slow on s ran out of time after 1 of 2 tasks: over 5 s",
    )
    assert stream.scores["slow", "nmi", "a"] == Spread(0.9, None, 1)


def test_an_entry_has_only_the_parameters_that_are_not_at_their_defaults(compared):
    runs = [
        nmi_run("mine", (0.5, 0.5), method="l2sc", params={"lam": 7.0, "mu": 0.01}),
        nmi_run("lost", (0.5, 0.5), method="gone", params={"lam": 2.0, "mu": 0.01}),
    ]
    methods = compared(runs).streams[0].methods
    assert {method.label: method.entry for method in methods} == {"mine": "l2sc:lam=7", "lost": "gone:lam=2,mu=0.01"}


def test_an_entry_leaves_out_parameters_that_were_tuned_as_runs_may_have_chosen_differently(compared):
    tune = {"protocol": "silhouette", "grid": [{"lam": 1.0}, {"lam": 5.0}]}
    runs = [nmi_run("lost", (0.5, 0.5), method="gone", params={"lam": 2.0, "mu": 0.01}, tune=tune)]
    (method,) = compared(runs).streams[0].methods
    assert method.entry == "gone:mu=0.01"


def test_orders_and_seeds_are_those_of_the_successful_runs(compared):
    runs = [nmi_run("m", (0.1, 0.2), order="ba" if r == 3 else "ab", repeat=r) for r in range(4)]
    runs.append(nmi_run("m", (0, 0), seed=1, status="failed", error="no", scores={}))
    (method,) = compared(runs).streams[0].methods
    assert (method.done, sorted(method.orders), method.seeds) == (4, [1, 3], (0,))
    assert method.learn_seconds == pytest.approx(0.2)
    assert method.state_bytes == 20  # the largest that a run carried on in the end
    runs[2].state_bytes = [99, 50]
    assert compared(runs).streams[0].methods[0].state_bytes == 50


@pytest.mark.parametrize("confidence", [0, 1, 95])
def test_a_confidence_that_is_not_between_zero_and_one_is_refused(two_orders, confidence, compared):
    with pytest.raises(ParameterError, match="between 0 and 1"):
        compared(two_orders, confidence=confidence)


def test_mean_ranks_leave_out_a_method_that_is_not_on_all_streams(on_streams, compared):
    (ranking,) = compared(on_streams(3)).rankings
    assert ranking.ranks == pytest.approx({"ours": 4 / 3, "base": 5 / 3})
    assert ranking.left_out == ("extra",)
    assert ranking.streams == 3


def test_from_five_streams_on_there_is_a_test_and_a_critical_difference(on_streams, compared):
    (few,), (enough,) = (compared(on_streams(n)).rankings for n in (4, 5))
    assert (few.friedman, few.critical_difference) == (None, None)
    # ranks 1,1,1,1,2 and 2,2,2,2,1: chi2 = 12/30 (36 + 81) - 45 = 1.8
    assert enough.friedman.statistic == pytest.approx(1.8)
    assert enough.critical_difference == pytest.approx(1.960 * (6 / 30) ** 0.5, abs=0.001)


def test_one_stream_or_no_common_method_gives_no_ranks(on_streams, compared):
    assert compared(on_streams(1)).rankings == ()
    apart = [nmi_run("x", (0.1, 0.1)), nmi_run("y", (0.1, 0.1), stream="t")]
    assert compared(apart).rankings == ()


def test_where_less_is_better_the_least_has_rank_one(on_streams, monkeypatch, compared):
    monkeypatch.setattr("lcbench.analysis.compare.greater_is_better", lambda _: False)
    (ranking,) = compared(on_streams(3)).rankings
    assert ranking.ranks == pytest.approx({"ours": 5 / 3, "base": 4 / 3})


def test_a_stream_without_scores_of_a_metric_does_not_count_for_its_ranks(on_streams, compared):
    runs = on_streams(3)
    for run in runs:
        if run.stream == "s0":
            run.scores = {"ri": run.scores["nmi"]}
    (ranking,) = compared(runs).rankings
    assert ranking.streams == 2
    assert ranking.ranks == {"ours": 1.5, "base": 1.5}


@pytest.mark.parametrize("method", ["l2sc", "a-method-that-is-gone"])
def test_a_label_that_is_another_method_on_another_stream_is_not_ranked(method, compared):
    runs = []
    for i, lam in enumerate((1.0, 10.0)):
        runs.append(nmi_run("mine", (0.9, 0.9), method=method, params={"lam": lam}, stream=f"s{i}"))
        runs += [nmi_run(name, (0.5, 0.5), stream=f"s{i}") for name in ("x", "y")]
    (ranking,) = compared(runs).rankings
    assert (set(ranking.ranks), ranking.left_out) == ({"x", "y"}, ("mine",))


def test_a_stream_shows_the_metrics_it_was_scored_with_in_the_order_asked_for_or_else_all():
    def stream(scores) -> ComparedStream:
        return ComparedStream(
            label="s", tasks=("a",), methods=(), first=None, confidence=0.95, paired=True, scores=scores, figures={},
            transfer={}, collapses=(), failures=(), reference=None, differences={},
        )  # fmt: skip

    scored = stream({("m", "ri", "a"): Spread(0.5, None, 1), ("m", "nmi", None): Spread(0.5, None, 1)})
    assert scored.scored_by(["nmi", "purity", "ri"]) == ["nmi", "ri"]
    assert stream({}).scored_by(["nmi", "purity"]) == ["nmi", "purity"]
