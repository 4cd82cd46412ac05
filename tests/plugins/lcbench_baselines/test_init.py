"""The specs that the package registers agree with the classes they name."""

from __future__ import annotations

import inspect

import pytest

import lcbench
import lcbench_baselines
from lcbench import MethodSpec

SPECS: list[MethodSpec] = []
lcbench_baselines.lcbench_register_methods(SPECS.append)


def test_the_methods_of_the_package_are_registered():
    assert {spec.name for spec in SPECS} == {"kmeans", "one-cluster", "pooled-kmeans", "random"}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_has_the_parameters_defaults_and_setting_of_its_class(spec):
    method = lcbench.load_method(spec.name)
    assert f"{type(method).__module__}:{type(method).__name__}" == spec.factory
    assert method.setting is spec.setting
    defaults = {name: p.default for name, p in inspect.signature(type(method)).parameters.items()}
    defaults.pop("random_state", None)
    assert defaults == {p.name: p.default for p in spec.params}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_says_what_the_method_is_and_from_where(spec):
    assert spec.summary
    assert spec.provenance
