from __future__ import annotations

import importlib
import inspect
from dataclasses import replace

import pytest

from lcbench.contract.specs import MethodSpec, MetricSpec, Setting, resolve_params
from lcbench.errors import PluginError, UnknownNameError
from lcbench.registry.building import build_stream
from lcbench.registry.catalogue import Catalogue, Registry, Source
from lcbench.registry.host import plugin_host

OURS = Source("spectral", "lcbench", "1.0")
THEIRS = Source("extra", "stranger", "2.0")
SPEC = MethodSpec("l2sc", "module:Class", Setting.LIFELONG)
KINDS = pytest.mark.parametrize("kind", ["methods", "streams", "metrics"])


@pytest.fixture
def methods(monkeypatch) -> Catalogue[MethodSpec]:
    monkeypatch.delenv("LCBENCH_PLUGINS", raising=False)
    catalogue = Registry().methods
    catalogue.add(SPEC, OURS)
    return catalogue


def factory(spec):
    module, _, attribute = spec.factory.partition(":")
    return getattr(importlib.import_module(module), attribute)


def test_a_registered_spec_is_found_with_who_registered_it(methods):
    assert methods["l2sc"] is methods.get("l2sc") is SPEC
    assert methods.source("l2sc") is OURS
    assert list(methods) == [SPEC]
    assert "l2sc" in methods
    assert "stsc" not in methods
    assert methods.get("stsc") is None


def test_an_unknown_name_gets_a_suggestion(methods):
    with pytest.raises(UnknownNameError, match=r"There is no method 'l2cs'. Did you mean 'l2sc'\?$"):
        methods["l2cs"]


@pytest.mark.parametrize(("value", "said"), [("baselines,mine", "baselines,mine"), ("", "none")])
def test_the_error_for_an_unknown_name_says_that_plugins_were_limited(methods, monkeypatch, value, said):
    monkeypatch.setenv("LCBENCH_PLUGINS", value)
    with pytest.raises(UnknownNameError, match=rf"as LCBENCH_PLUGINS says: {said}\.\)"):
        methods["zzz"]


def test_a_taken_name_is_refused_with_both_distributions_named(methods):
    with pytest.raises(PluginError) as caught:
        methods.check(replace(SPEC, factory="other:Class"), THEIRS)
    assert "'extra' of distribution 'stranger' registers the method 'l2sc'" in str(caught.value)
    assert "taken by plugin 'spectral' of distribution 'lcbench'" in str(caught.value)


@pytest.mark.parametrize("name", ["", "a b", "-a", "a:b", "a=b", "a,b", "ä", "a\n"])
def test_a_name_that_could_not_be_typed_is_refused(methods, name):
    with pytest.raises(PluginError, match="'stranger' registers the method name"):
        methods.check(replace(SPEC, name=name), THEIRS)


@pytest.mark.parametrize("text", ["", "module", "module.Class", "module:", ":Class", "module:Class()", "a b:C"])
def test_a_factory_that_is_no_import_path_is_refused(methods, text):
    with pytest.raises(PluginError, match="write 'module:Class'"):
        methods.check(replace(SPEC, name="new", factory=text), THEIRS)


@pytest.mark.parametrize("thing", ["l2sc", None, MethodSpec, MetricSpec("nmi", "a:B", kind="external")])
def test_an_object_that_is_not_a_spec_of_that_kind_is_refused(methods, thing):
    with pytest.raises(PluginError, match="as a method: a MethodSpec is needed"):
        methods.check(thing, THEIRS)


def test_a_method_whose_setting_is_only_a_word_is_refused(methods):
    with pytest.raises(PluginError, match="'stranger' registers 'm' with setting 'lifelong': a Setting is needed"):
        methods.check(MethodSpec("m", "a:B", "lifelong"), THEIRS)


@KINDS
def test_the_parameters_of_a_spec_are_those_of_its_constructor(kind):
    catalogue = getattr(plugin_host().registry, kind)
    said = {spec.name: {p.name: p.default for p in spec.params} for spec in catalogue}
    taken = {spec.name: constructor_parameters(spec) for spec in catalogue}
    assert said
    assert said == taken


def constructor_parameters(spec) -> dict:
    """Names and defaults; what the spec fixes is no parameter, and one class may serve several specs' defaults."""
    fixed = getattr(spec, "fixed", {})
    parameters = inspect.signature(factory(spec)).parameters
    assert set(fixed) <= set(parameters)
    defaults = {p.name: p.default for p in spec.params}
    return {
        name: defaults.get(name) if fixed and parameter.default is parameter.empty else parameter.default
        for name, parameter in parameters.items()
        if name not in {"random_state", *fixed}
    }


@KINDS
def test_the_default_of_every_parameter_is_a_value_it_takes(kind):
    specs = list(getattr(plugin_host().registry, kind))
    assert specs
    for spec in specs:
        for param in spec.params:
            assert param.parse(param.default) == param.default, f"{spec.name}: {param.name}"


def test_settings_kinds_and_cards_of_specs_equal_those_of_their_classes():
    registry = plugin_host().registry
    assert {m.name: m.setting for m in registry.methods} == {m.name: factory(m).setting for m in registry.methods}
    assert {m.name: m.kind for m in registry.metrics} == {m.name: factory(m).kind for m in registry.metrics}
    built = {s.name: build_stream(s, resolve_params("", s.params, {}), THEIRS) for s in registry.streams}
    assert {s.name: s.card for s in registry.streams} == {name: stream.card for name, stream in built.items()}


def test_every_baseline_that_a_method_names_is_a_single_task_method():
    methods = plugin_host().registry.methods
    baselines = {spec.baseline for spec in methods if spec.baseline}
    assert baselines
    assert {methods[name].setting for name in baselines} == {Setting.SINGLE_TASK}
