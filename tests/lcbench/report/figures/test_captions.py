from __future__ import annotations

import pytest

from lcbench.report.figures.captions import protocol


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
