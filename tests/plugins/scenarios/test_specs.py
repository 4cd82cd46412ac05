"""Every registered method: its spec agrees with the class it names."""

from __future__ import annotations

import inspect

import pytest

import lcbench
from lcbench.registry.host import plugin_host

SPECS = list(plugin_host().registry.methods)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_has_the_parameters_defaults_and_setting_of_its_class(spec):
    method = lcbench.load_method(spec.name)
    assert f"{type(method).__module__}:{type(method).__name__}" == spec.factory
    assert method.setting is spec.setting
    defaults = {name: p.default for name, p in inspect.signature(type(method)).parameters.items()}
    defaults.pop("random_state", None)
    assert defaults == {p.name: p.default for p in spec.params}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_says_what_the_method_is_and_how_sure_its_formulas_are(spec):
    assert spec.summary
    assert spec.provenance
