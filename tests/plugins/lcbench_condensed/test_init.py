from __future__ import annotations

import inspect

from lcbench_condensed import CPSC as SPEC
from lcbench_condensed.cpsc import CPSC


def test_the_spec_has_the_parameters_of_the_class_with_their_defaults():
    defaults = {name: p.default for name, p in inspect.signature(CPSC).parameters.items() if name != "random_state"}
    assert {param.name: param.default for param in SPEC.params} == defaults


def test_it_says_that_it_is_ours_and_what_it_was_chosen_on():
    assert SPEC.provenance.startswith("Ours, 2026.")
    assert "webkb4, digits and topics" in SPEC.provenance
