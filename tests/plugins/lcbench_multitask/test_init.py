from __future__ import annotations

import lcbench_multitask
from lcbench import MethodSpec

SPECS: list[MethodSpec] = []
lcbench_multitask.lcbench_register_methods(SPECS.append)


def test_the_methods_of_the_package_are_registered():
    assert {spec.name for spec in SPECS} == {"lssmtc", "mbc", "mtcmrl", "mtsc", "smbc", "smkc"}
