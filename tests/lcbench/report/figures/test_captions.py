from __future__ import annotations

import pytest
from making import make_record

from lcbench.analysis.selection import select
from lcbench.report.figures.captions import each_protocol, failures, note, protocol, runs_each, seeds, sentences


def methods_of(*runs):
    """The methods of runs on one stream."""
    return select(runs).streams[0].methods


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
def test_repeats_are_claimed_only_where_every_order_has_them(runs, said):
    assert protocol([make_record(order=order, repeat=repeat) for order, repeat in runs]) == said


@pytest.mark.parametrize(
    ("given", "said"), [((3, 3), "seed 3"), ((1, 0), "seeds 0, 1"), (range(6), "seeds 0, 1, 2, 3, 4, ...")]
)
def test_up_to_five_seeds_are_named_once_each_in_order(given, said):
    assert seeds([make_record(seed=seed) for seed in given]) == said


@pytest.mark.parametrize(
    ("others", "each", "said"),
    [
        ([{"repeat": 0}, {"repeat": 1}, {"repeat": 2}], "3 runs per method", "1 order, 3 repeats, seed 0"),
        ([{}], "1 to 3 runs per method", "1 order, 1 to 3 runs per method, seed 0"),
        ([{"order": "ba", "repeat": i} for i in range(3)], "3 runs per method", "2 orders, 3 runs per method, seed 0"),
    ],
)
def test_methods_with_different_runs_are_described_by_their_least_and_most_runs(others, each, said):
    methods = methods_of(*(make_record(repeat=i) for i in range(3)), *(make_record("n", **other) for other in others))
    assert (runs_each(methods), each_protocol(methods)) == (each, said)


def test_failed_runs_are_counted_by_method():
    failed = [make_record(label, repeat=r, status="failed") for label, r in (("m", 1), ("m", 2), ("n", 1))]
    assert failures(methods_of(make_record(), *failed)) == (
        "Not drawn, for they did not end well: 2 runs of m, 1 run of n"
    )
    assert failures(methods_of(make_record())) == ""


@pytest.mark.parametrize(("text", "said"), [("re-encoded", "m: re-encoded"), ("", "")])
def test_the_note_of_a_method_stands_after_its_label(text, said):
    assert note(*methods_of(make_record(note=text))) == said


def test_empty_parts_are_left_out_and_each_other_part_ends_with_one_full_stop():
    assert sentences("One", "", "Two.", "Three") == "One. Two. Three."
    assert sentences("", "") == ""
