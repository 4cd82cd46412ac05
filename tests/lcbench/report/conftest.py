"""A made-up table of a paper, reproduced by a few runs, to be shown in tables."""

from __future__ import annotations

import pytest

from lcbench.analysis.published.reproduction import Reproduction
from lcbench.analysis.published.table import Published
from lcbench.analysis.published.verdicts import compare_with_paper


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
