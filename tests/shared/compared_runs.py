"""Fixtures of a few runs to compare, and their comparison."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from making import make_record, make_solos

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select

nmi_run = partial(make_record, metric="nmi", learn_seconds=[0.1, 0.1])
nmi_solos = partial(make_solos, metric="nmi")
SINGLE = {"setting": "single-task"}


@pytest.fixture
def compared():
    """Compare runs, by nmi unless other metrics are named."""

    def compare(runs, metrics=("nmi",), **options):
        return compare_methods(select(runs), metrics, **options)

    return compare


@pytest.fixture
def two_orders():
    """ours and the single-task method base, each with a run of both orders of the tasks a and b."""
    return [
        nmi_run("ours", (0.9, 0.5)), nmi_run("ours", (0.5, 0.7), order="ba", repeat=1),
        nmi_run("base", (0.8, 0.6), **SINGLE), nmi_run("base", (0.6, 0.4), order="ba", repeat=1, **SINGLE),
    ]  # fmt: skip


@pytest.fixture
def with_solos():
    """ours, its baseline base and its solo runs, on both orders of the tasks a and b; worked by hand, in percent:

    | order | at arrival | after all | solo   | base   | own | forward     | backward   | total | gain | first |
    | a, b  | 52, 80     | 60, 80    | 50, 60 | 40, 50 | 10  | (2+20)/2=11 | (8+0)/2=4  | 15    | 25   | 2     |
    | b, a  | 62, 70     | 66, 70    | 60, 50 | 50, 40 | 10  | (2+20)/2=11 | (4+0)/2=2  | 13    | 23   | 2     |
    """
    made = []
    for r, (order, R) in enumerate((("ab", [[0.52, None], [0.6, 0.8]]), ("ba", [[0.62, None], [0.66, 0.7]]))):
        alone = {"a": 0.4, "b": 0.5}
        base = nmi_run("base", [alone[order[0]], alone[order[1]]], order=order, repeat=r, **SINGLE)
        base.scores = {"nmi": [[alone[order[0]], None], [alone[task] for task in order]]}
        base.learn_seconds = [0.05, 0.05]
        ours = nmi_run("ours", R, order=order, repeat=r, baseline=base.run_id)
        made += [base, ours, *nmi_solos(ours, {"a": 0.5, "b": 0.6})]
    return made


@pytest.fixture
def some_failed():
    """fine with two runs, slow with one of two that timed out, and bad with one that failed."""
    cut = {"scores": {"nmi": [[0.3, None]]}, "learn_seconds": [0.1]}
    return [
        nmi_run("fine", (0.5, 0.5)), nmi_run("fine", (0.5, 0.5), repeat=1),
        nmi_run("slow", (0.9, 0.9)), nmi_run("slow", (0, 0), repeat=1, status="timeout", error="over 5 s", **cut),
        nmi_run("bad", (0, 0), status="failed", error="ValueError: no", scores={}, learn_seconds=[]),
    ]  # fmt: skip


@pytest.fixture
def eight_orders():
    """base, x and y with random scores on eight orders of four tasks; x is much better."""
    generator = np.random.default_rng(0)
    made = []
    for label, shift in (("base", 0), ("x", 0.2), ("y", 0)):
        table = 0.5 + shift + 0.1 * generator.random((8, 4))
        for r, order in enumerate(list(permutations("abcd"))[:8]):
            R = [[None] * 4] * 3 + [[float(table[r]["abcd".index(task)]) for task in order]]
            made.append(nmi_run(label, R, order=order, repeat=r, learn_seconds=[0.1] * 4))
    return made


@pytest.fixture
def on_streams():
    """ours beats base on all but the last stream; extra is on the first only."""

    def make(count: int):
        runs = []
        for i in range(count):
            best = 0.4 if i == count - 1 else 0.8
            runs += [nmi_run("ours", (best, best), stream=f"s{i}"), nmi_run("base", (0.6, 0.6), stream=f"s{i}")]
        return [*runs, nmi_run("extra", (0.9, 0.9), stream="s0")]

    return make
