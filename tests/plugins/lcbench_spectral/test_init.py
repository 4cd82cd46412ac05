from __future__ import annotations

import lcbench_spectral
from lcbench import MethodSpec

SPECS: list[MethodSpec] = []
lcbench_spectral.lcbench_register_methods(SPECS.append)


def test_the_methods_of_the_package_are_registered():
    assert {spec.name for spec in SPECS} == {"l2sc", "onestepsc", "stsc", "tsc", "usc"}
