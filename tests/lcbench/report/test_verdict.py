from __future__ import annotations

import pytest
from compared_runs import nmi_run, nmi_solos

from lcbench.report.verdict import NOT_KNOWN, verdict_lines, verdict_sheet

COST = "Learns in 2.0x base's time, keeps 20 B."  # 0.2 s beside 0.1 s; see the fixture
SECONDS = "Learns in 0.200 s, keeps 20 B."


@pytest.fixture
def verdict(compared):
    """The verdict on runs that are all on one stream."""

    def lines(runs, **options):
        (stream,) = compared(runs, **options).streams
        return verdict_lines(stream)

    return lines


def learner(label, after, alone, *, order="ab", repeat=0, **fields):
    """A run that ended with these scores, and the runs that learned its tasks alone."""
    run = nmi_run(label, after, order=order, repeat=repeat, **fields)
    return [run, *nmi_solos(run, dict(zip(order, alone, strict=True)))]


def single(label, after, **fields):
    return nmi_run(label, after, setting="single-task", **fields)


def test_the_first_whose_baseline_is_second_is_told_in_one_line_with_the_parts_of_its_gain(verdict, with_solos):
    assert verdict(with_solos) == [
        "s, 2 orders: ours 69.0 nmi, +24.0 over base (95 % +23.0 to +25.0, few orders): +10.0 by itself, "
        "+14.0 from other tasks. " + COST
    ]


def test_one_run_has_no_intervals_and_no_word_of_doubt(verdict, with_solos):
    assert verdict([run for run in with_solos if run.repeat == 0]) == [
        f"s, 1 order: ours 70.0 nmi, +25.0 over base: +10.0 by itself, +15.0 from other tasks. {COST}"
    ]


def test_the_confidence_is_that_of_the_comparison(verdict, with_solos):
    (line,) = verdict(with_solos, confidence=0.9)
    assert "(90 % +23.0 to +25.0, few orders)" in line


def test_a_lead_over_another_method_comes_first_and_then_a_line_on_what_other_tasks_bring(verdict, with_solos):
    near = [nmi_run("near", (0.5, 0.6)), nmi_run("near", (0.6, 0.5), order="ba", repeat=1)]
    assert verdict([*with_solos, *near]) == [
        # by hand: 70 - 55 and 68 - 55
        "s, 2 orders: ours 69.0 nmi is first of 3, +14.0 over near (95 % +13.0 to +15.0, few orders).",
        f"ours: +24.0 over base (95 % +23.0 to +25.0, few orders): +10.0 by itself, +14.0 from other tasks. {COST}",
    ]


@pytest.mark.parametrize(
    ("near", "said"),
    [
        (
            [(0.8, 0.7), (0.5, 0.7)],
            "+1.5 over near (95 % -5.0 to +8.0, few orders): no clear lead.",
        ),  # 70 - 75, 68 - 60
        ([(0.5, 0.5), (0.5, 0.5)], "+19.0 over near (95 % +18.0 to +20.0, few orders)."),
    ],
)
def test_a_lead_whose_interval_contains_zero_is_not_clear(verdict, with_solos, near, said):
    runs = [
        single("near", after, order=order, repeat=r)
        for r, (after, order) in enumerate(zip(near, ("ab", "ba"), strict=True))
    ]
    assert verdict([*with_solos, *runs])[0] == f"s, 2 orders: ours 69.0 nmi is first of 3, {said}"


@pytest.mark.parametrize("labels", ["xy", "yx"])
def test_of_equal_methods_none_is_first_whatever_comes_first(verdict, labels):
    scores = ((0.1 + 0.2, 0.8), (0.8, 0.3))
    assert verdict([single(label, own) for label, own in zip(labels, scores, strict=True)]) == [
        "s, 1 order: x 55.0 nmi, level with y: both are first of 2."
    ]
    runs = [single(label, (0.55, 0.55)) for label in "zxyw"]
    assert verdict([*runs, single("v", (0.5, 0.5))]) == [
        "s, 1 order: w 55.0 nmi, level with x and y and z: all 4 are first of 5."
    ]


def test_a_method_that_is_level_with_its_own_baseline_is_not_first_alone(verdict):
    base = single("base", (0.6, 0.5))
    lines = verdict([base, *learner("a-method", (0.5, 0.6), (0.5, 0.5), baseline=base.run_id)])
    assert lines[0] == "s, 1 order: a-method 55.0 nmi, level with base: both are first of 2."
    assert len(lines) == 2
    assert lines[1].startswith("a-method: +5.0 over base: +0.0 by itself, +5.0 from other tasks")  # base began with .5


def test_a_lead_of_one_run_that_reads_as_zero_is_not_clear(verdict):
    assert verdict([single("x", (0.5, 0.6002)), single("y", (0.6, 0.5))]) == [
        "s, 1 order: x 55.0 nmi is first of 2, +0.0 over y: no clear lead."
    ]
    assert verdict([single("x", (0.5, 0.6)), single("y", (0.5, 0.5))]) == [
        "s, 1 order: x 55.0 nmi is first of 2, +5.0 over y."
    ]


def test_methods_without_a_pair_of_runs_have_no_lead(verdict):
    assert verdict([single("x", (0.5, 0.6)), single("y", (0.5, 0.5), repeat=1)]) == [
        "s, 1 order: x 55.0 nmi is first of 2; no two runs of it and y are a pair."
    ]


def test_without_solo_runs_a_line_says_that_transfer_is_not_known(verdict, two_orders):
    assert verdict(two_orders) == [
        "s, 2 orders: ours 65.0 nmi is first of 2, +5.0 over base (95 % +0.0 to +10.0, few orders): no clear lead.",
        f"ours: {NOT_KNOWN}.",
    ]
    assert verdict(two_orders[:2]) == ["s, 2 orders: ours 65.0 nmi.", f"ours: {NOT_KNOWN}."]
    assert "--solo" in NOT_KNOWN


def test_a_single_task_method_alone_has_no_word_on_transfer(verdict):
    assert verdict([single("kmeans", (0.5, 0.6))]) == ["s, 1 order: kmeans 55.0 nmi."]


@pytest.mark.parametrize(
    ("after", "word"),
    [
        ([(0.45, 0.55), (0.5, 0.4)], "-7.5 from other tasks{} (NEGATIVE transfer)"),  # -5, -10
        ([(0.45, 0.55), (0.6, 0.6)], "+0.0 from other tasks{} (not clear)"),  # -5, +5
        ([(0.55, 0.65), (0.6, 0.6)], "+5.0 from other tasks{}"),
    ],
)
@pytest.mark.parametrize("has_baseline", [True, False])
def test_a_transfer_that_is_negative_or_not_clear_is_called_so(verdict, after, word, has_baseline):
    """With a baseline the interval is that of the gain, without one that of the transfer."""
    runs, totals = [], []
    for r, (scores, order, alone) in enumerate(zip(after, ("ab", "ba"), ((0.5, 0.6), (0.6, 0.5)), strict=True)):
        base = single("base", (0.3, 0.3), order=order, repeat=r, learn_seconds=[0.05, 0.05])
        base.scores = {"nmi": [[0.3, None], [0.3, 0.3]]}
        runs += learner("ours", scores, alone, order=order, repeat=r, baseline=base.run_id if has_baseline else None)
        runs += [base] if has_baseline else []
        totals.append(100 * (sum(scores) - sum(alone)) / 2)
    low, high = sorted(totals)
    (line,) = verdict(runs)
    if has_baseline:
        start = f"over base (95 % {low + 25:+.1f} to {high + 25:+.1f}, few orders): +25.0 by itself, "
        assert line.partition(" over ")[0].startswith("s, 2 orders: ours ")
        assert f"over {line.partition(' over ')[2]}" == f"{start}{word.format('')}. {COST}"
    else:
        assert line.partition(", ")[2].partition(", ")[2] == (
            f"{word.format(f' (95 % {low:+.1f} to {high:+.1f}, few orders)')}. {SECONDS}"
        )


def test_where_less_is_better_the_least_is_first_and_a_total_below_zero_is_no_negative_transfer(verdict, monkeypatch):
    for module in ("analysis.first_place", "analysis.transfer", "report.verdict"):
        monkeypatch.setattr(f"lcbench.{module}.greater_is_better", lambda _: False)
    runs = [*learner("ours", (0.3, 0.4), (0.5, 0.6)), *learner("ours", (0.3, 0.4), (0.5, 0.6), repeat=1)]
    runs += [single("other", (0.8, 0.8), repeat=r) for r in range(2)]
    assert verdict(runs) == [
        "s, 1 order: ours 35.0 nmi is first of 2, -45.0 over other (95 % -45.0 to -45.0, few orders).",
        f"ours: -20.0 from other tasks (95 % -20.0 to -20.0, few orders). {SECONDS}",
    ]
    worse = [*learner("ours", (0.6, 0.7), (0.5, 0.6)), *learner("ours", (0.6, 0.7), (0.5, 0.6), repeat=1)]
    assert verdict(worse) == [
        "s, 1 order: ours 65.0 nmi, +10.0 from other tasks (95 % +10.0 to +10.0, few orders) (NEGATIVE transfer). "
        + SECONDS
    ]


def test_the_transfer_of_at_most_three_methods_is_told_the_best_first(verdict):
    runs = [run for i in range(5) for run in learner(f"m{i}", (0.5, 0.5 + i / 50), (0.5, 0.5))]
    lines = verdict([*runs, single("best", (0.9, 0.9))])
    assert lines[0] == "s, 1 order: best 90.0 nmi is first of 6, +36.0 over m4."
    assert lines[1:4] == [f"m{i}: +{i}.0 from other tasks. {SECONDS}" for i in (4, 3, 2)]
    assert lines[4:] == ["What other tasks bring to m1, m0 is in the table."]


def test_with_the_first_in_the_first_line_two_more_methods_are_told_of(verdict, with_solos):
    runs = [run for i in range(3) for run in learner(f"m{i}", (0.1, 0.1 + i / 50), (0.1, 0.1))]
    lines = verdict([*with_solos, *runs])
    assert [line.partition(":")[0] for line in lines[:3]] == ["s, 2 orders", "m2", "m1"]
    assert lines[3:] == ["What other tasks bring to m0 is in the table."]


def test_the_baseline_need_not_be_on_the_stream_to_be_named_but_its_time_is_not_known_then(compared, with_solos):
    from lcbench.analysis.compare import compare_methods
    from lcbench.analysis.selection import select

    beside = [run for run in with_solos if run.label == "base"]
    selection = select([run for run in with_solos if run.label == "ours"], beside=beside)
    (stream,) = compare_methods(selection, ["nmi"]).streams
    assert verdict_lines(stream) == [
        "s, 2 orders: ours 69.0 nmi, +24.0 over base (95 % +23.0 to +25.0, few orders): +10.0 by itself, "
        "+14.0 from other tasks. " + SECONDS
    ]


def test_without_scores_there_is_no_verdict(compared):
    failed = nmi_run("m", (0, 0), status="failed", error="no", scores={}, learn_seconds=[])
    found = compared([failed])
    assert verdict_lines(found.streams[0]) == []
    assert verdict_sheet(found.streams) == []


def test_the_verdict_is_by_the_first_metric_that_the_stream_has(verdict, with_solos):
    assert verdict(with_solos, metrics=("purity", "nmi"))[0].startswith("s, 2 orders: ours 69.0 nmi, ")


def test_a_failed_method_is_neither_counted_nor_told_of(verdict, some_failed):
    assert verdict(some_failed) == [
        "s, 1 order: slow 90.0 nmi is first of 2, +40.0 over fine.",
        f"slow: {NOT_KNOWN}.",
    ]


def test_all_streams_share_one_sheet_without_rows(compared, on_streams):
    found = compared(on_streams(2))
    (sheet,) = verdict_sheet(found.streams)
    assert (sheet.title, sheet.rows) == ("", ())
    assert [note.partition(",")[0] for note in sheet.notes if "order" in note] == ["s0", "s1"]
    assert list(sheet.notes) == [line for stream in found.streams for line in verdict_lines(stream)]
