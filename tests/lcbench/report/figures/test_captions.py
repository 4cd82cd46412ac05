from __future__ import annotations

import pytest

from lcbench.analysis.selection import select
from lcbench.report.figures.captions import each_protocol, failures, note, protocol, runs_each, seeds, sentences


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        ([("ab", 0)], "1 order, seed 0"),
        ([("ab", 0), ("ba", 1)], "2 orders, seed 0"),
        ([("ab", 0), ("ab", 1)], "1 order, 2 repeats, seed 0"),
        ([("ab", 0), ("ba", 0), ("ab", 1), ("ba", 1)], "2 orders, 2 repeats, seed 0"),
        ([("ab", 0), ("ba", 0), ("ab", 1)], "2 orders, 3 runs, seed 0"),
    ],
)
def test_repeats_are_claimed_only_where_every_order_has_them(make_run, runs, said):
    assert protocol([make_run(order, repeat=repeat) for order, repeat in runs]) == said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((3, 3), "seed 3"),
        ((1, 0), "seeds 0, 1"),
        (range(5), "seeds 0, 1, 2, 3, 4"),
        (range(6), "seeds 0, 1, 2, 3, 4, ..."),
    ],
)
def test_up_to_five_seeds_are_named_once_each_in_order(make_run, given, said):
    assert seeds([make_run("ab", seed=seed) for seed in given]) == said


def test_methods_with_different_runs_are_described_by_their_least_and_most_runs(make_run):
    runs = [make_run("ab", repeat=repeat) for repeat in range(3)]
    other = make_run("ab", label="n", method="n")
    alike = select([*runs, *(make_run("ab", label="n", method="n", repeat=r) for r in range(3))]).streams[0].methods
    assert (runs_each(alike), each_protocol(alike)) == ("3 runs per method", "1 order, 3 repeats, seed 0")
    uneven = select([*runs, other]).streams[0].methods
    assert runs_each(uneven) == "1 to 3 runs per method"
    assert each_protocol(uneven) == "1 order, 1 to 3 runs per method, seed 0"
    backwards = make_run("ba", label="n", method="n")
    assert each_protocol(select([runs[0], backwards]).streams[0].methods) == "2 orders, 1 run per method, seed 0"


def test_failed_runs_are_counted_by_method(make_run):
    failed = [
        make_run("ab", label=label, method=label, repeat=r, status="failed")
        for label, r in (("m", 1), ("m", 2), ("n", 1))
    ]
    methods = select([make_run("ab"), *failed]).streams[0].methods
    assert failures(methods) == "Not drawn, for they did not end well: 2 runs of m, 1 run of n"
    assert failures(select([make_run("ab")]).streams[0].methods) == ""


def test_the_note_of_a_method_stands_after_its_label(make_run):
    (method,) = select([make_run("ab", note="re-encoded")]).streams[0].methods
    assert note(method) == "m: re-encoded"
    (method,) = select([make_run("ab")]).streams[0].methods
    assert note(method) == ""


def test_empty_parts_are_left_out_and_each_other_part_ends_with_one_full_stop():
    assert sentences("One", "", "Two.", "Three") == "One. Two. Three."
    assert sentences("", "") == ""
