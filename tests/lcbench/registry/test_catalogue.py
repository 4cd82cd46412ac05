from __future__ import annotations

import importlib
import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from lcbench.contract.specs import MethodSpec, MetricKind, MetricSpec, Setting, resolve_params
from lcbench.errors import PluginError, UnknownNameError
from lcbench.registry.building import build_stream
from lcbench.registry.catalogue import Catalogue, Registry, Source
from lcbench.registry.host import plugin_host

OURS = Source("spectral", "lcbench", "1.0")
THEIRS = Source("extra", "stranger", "2.0")
SPEC = MethodSpec("l2sc", "module:Class", Setting.LIFELONG)


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


NEW = replace(SPEC, name="new")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (replace(SPEC, factory="other:Class"), "registers the method 'l2sc', which is taken by plugin 'spectral' of "),
        *[(replace(SPEC, name=name), "registers the method name ") for name in ("", "a b")],
        *[
            (replace(NEW, factory=text), f"registers 'new' with factory '{text}': write 'module:Class'")
            for text in ("", "module.Class", "module:", ":Class", "module:Class()")
        ],
        *[
            (thing, "as a method: a MethodSpec is needed")
            for thing in ("l2sc", MethodSpec, MetricSpec("nmi", "a:B", kind="external"))
        ],
        (replace(NEW, setting="lifelong"), "registers 'new' with setting 'lifelong': a Setting is needed"),
    ],
    ids=str,
)
def test_a_spec_that_is_wrong_or_whose_name_is_taken_is_refused_with_who_registers_it(methods, spec, said):
    with pytest.raises(PluginError) as caught:
        methods.check(spec, THEIRS)
    assert str(caught.value).startswith("plugin 'extra' of distribution 'stranger' registers ")
    assert said in str(caught.value)


@pytest.mark.parametrize("kind", ["methods", "streams", "metrics"])
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


def test_a_method_that_is_not_there_though_a_file_of_its_name_is_gets_the_option_to_say(methods):
    Path("mine.py").touch()
    with pytest.raises(UnknownNameError) as refused:
        methods["mine"]
    assert str(refused.value) == "There is no method 'mine'. For that of the file say --plugin ./mine.py."


def test_a_name_like_no_other_gets_the_option_that_loads_a_file_and_a_suite_does_not(monkeypatch):
    monkeypatch.delenv("LCBENCH_PLUGINS", raising=False)
    registry = Registry()
    for catalogue in (registry.methods, registry.streams, registry.metrics):
        with pytest.raises(UnknownNameError, match=r" One in a file of yours needs --plugin \./FILE\.py\.$"):
            catalogue["zzz"]
    with pytest.raises(UnknownNameError, match=r"^There is no suite 'zzz'\.$"):
        registry.suites["zzz"]


def test_a_name_is_found_in_every_catalogue_that_holds_it():
    registry = Registry()
    registry.methods.add(MethodSpec("same", "a:B", Setting.LIFELONG), OURS)
    registry.metrics.add(MetricSpec("same", "a:B", MetricKind.EXTERNAL), THEIRS)
    assert registry.holding("same") == [registry.methods, registry.metrics]
    with pytest.raises(UnknownNameError, match=r"There is no method, stream or metric 'sam'\. Did you mean 'same'\?"):
        registry.holding("sam")
