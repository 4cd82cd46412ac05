"""Comparisons of a few runs, and a made-up table of a paper reproduced by a few, to be shown in tables."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from lcbench.analysis.compare import compare_methods
from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.table import Published
from lcbench.analysis.published.verdicts import compare_with_paper
from lcbench.analysis.selection import select

BOTH = (("a", "b"), ("b", "a"))


@pytest.fixture
def compared():
    """Compare runs, by nmi unless other metrics are named."""

    def compare(runs, metrics=("nmi",), **options):
        return compare_methods(select(runs), metrics, **options)

    return compare


@pytest.fixture
def two_orders(scored_run):
    """ours and the single-task method base, each with a run of both orders of the tasks a and b."""
    ours = [scored_run("ours", (0.9, 0.5), order=BOTH[0]), scored_run("ours", (0.7, 0.5), order=BOTH[1], repeat=1)]
    theirs = [scored_run("base", (0.8, 0.6), order=BOTH[0], setting="single-task")]
    return [*ours, *theirs, scored_run("base", (0.4, 0.6), order=BOTH[1], repeat=1, setting="single-task")]


@pytest.fixture
def eight_orders(scored_run):
    """base, x and y with random scores on eight orders of four tasks; x is much better."""
    generator = np.random.default_rng(0)
    made = []
    for label, shift in (("base", 0), ("x", 0.2), ("y", 0)):
        table = 0.5 + shift + 0.1 * generator.random((8, 4))
        for r, order in enumerate(list(permutations("abcd"))[:8]):
            R = [[None] * 4] * 3 + [[float(table[r]["abcd".index(task)]) for task in order]]
            facts = {"stream_tasks": tuple("abcd"), "scores": {"nmi": R}, "learn_seconds": [0.1] * 4}
            made.append(scored_run(label, (0, 0), order=order, repeat=r, **facts))
    return made


@pytest.fixture
def on_streams(scored_run):
    """ours beats base on all but the last stream; extra is on the first only."""

    def make(count: int):
        runs = []
        for i in range(count):
            where = {"stream": f"s{i}", "stream_label": f"s{i}"}
            best = 0.4 if i == count - 1 else 0.8
            runs += [scored_run("ours", (best, best), **where), scored_run("base", (0.6, 0.6), **where)]
        return [*runs, scored_run("extra", (0.9, 0.9), stream="s0", stream_label="s0")]

    return make


@pytest.fixture
def reproduce(table, make_run):
    """Compare the table with two runs of the first method, a third that timed out, and one run of the second."""

    def compared(**changes):
        reproduction = Reproduction(Published.model_validate(table | changes), repeats=3)
        plain, life = (entry.params for entry in reproduction.entries.values())
        runs = [
            make_run("stsc", plain, "1234", [0.81, 0.72, 0.63, 0.54], learn_seconds=[2.0]),
            make_run("stsc", plain, "4321", [0.58, 0.65, 0.74, 0.83], learn_seconds=[4.0]),
            make_run("stsc", plain, "2143", [], status="timeout"),
            make_run("l2sc", life, "1234", [0.76] * 4, learn_seconds=[8.0]),
        ]
        return compare_with_paper(reproduction, runs)

    return compared
