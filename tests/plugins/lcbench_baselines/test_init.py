from __future__ import annotations

import lcbench_baselines
from lcbench import MethodSpec

SPECS: list[MethodSpec] = []
lcbench_baselines.lcbench_register_methods(SPECS.append)


def test_the_methods_of_the_package_are_registered():
    assert {spec.name for spec in SPECS} == {
        "kmeans", "mini-batch-kmeans", "one-cluster", "pooled-kmeans", "random",
    }  # fmt: skip
