"""Fixtures of a few runs to compare, and their comparison."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from making import make_record

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.selection import select

nmi_run = partial(make_record, metric="nmi", learn_seconds=[0.1, 0.1])


@pytest.fixture
def compared():
    """Compare runs, by nmi unless other metrics are named."""

    def compare(runs, metrics=("nmi",), **options):
        return compare_methods(select(runs), metrics, **options)

    return compare


@pytest.fixture
def two_orders():
    """ours and the single-task method base, each with a run of both orders of the tasks a and b."""
    alone = {"setting": "single-task"}
    return [
        nmi_run("ours", (0.9, 0.5)), nmi_run("ours", (0.5, 0.7), order="ba", repeat=1),
        nmi_run("base", (0.8, 0.6), **alone), nmi_run("base", (0.6, 0.4), order="ba", repeat=1, **alone),
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
