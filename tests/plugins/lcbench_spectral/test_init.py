from __future__ import annotations

from decimal import Decimal

import pytest

from lcbench.registry.host import plugin_host
from lcbench_spectral import L2SC, PAPER_VALUES

STEPS = [("0.001", 1, 10), ("0.01", 2, 10), ("0.1", 2, 10), ("2", 1, 10), ("40", 1, 20)]
WEIGHTS = {
    "l2sc": ["lam", "mu"],
    "onestepsc": ["alpha", "beta", "gamma"],
    "mbc": ["lam"],
    "smbc": ["lam"],
    "smkc": ["lam"],
    "mtsc": ["alpha", "beta"],
    "mtcmrl": ["lam", "mu", "alpha", "beta"],
}


def test_the_values_of_the_paper_are_58_exact_decimals():
    exact = [Decimal(step) * i for step, first, last in STEPS for i in range(first, last + 1)]
    assert len(PAPER_VALUES) == 58
    assert list(PAPER_VALUES) == sorted(set(PAPER_VALUES))
    assert list(PAPER_VALUES) == [float(value) for value in exact]
    assert [Decimal(repr(value)) for value in PAPER_VALUES] == exact


@pytest.mark.parametrize("method", WEIGHTS)
def test_the_weights_of_the_papers_methods_have_its_grid(method):
    params = plugin_host().registry.methods[method].params
    assert [param.name for param in params if "paper" in param.grids] == WEIGHTS[method]
    assert all(param.grids["paper"] == PAPER_VALUES for param in params if param.grids)


def test_no_other_method_has_it():
    with_grids = {spec.name for spec in plugin_host().registry.methods if any(param.grids for param in spec.params)}
    assert with_grids == set(WEIGHTS)


@pytest.mark.parametrize(("encoding", "note"), [("frozen", ""), ("current", "old tasks re-encoded when asked")])
def test_tables_say_that_l2sc_re_encodes_old_tasks_unless_their_encoding_is_frozen(encoding, note):
    assert L2SC.note_for({"encoding": encoding}) == note
