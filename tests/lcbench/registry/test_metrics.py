from __future__ import annotations

import pytest

from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import (
    DEFAULT_INTERNAL_METRICS,
    DEFAULT_METRICS,
    check_metrics,
    greater_is_better,
    is_percent,
    load_metrics,
    metric_key,
    metric_spec,
)


@pytest.fixture
def registry():
    return plugin_host().registry


@pytest.fixture
def loss(registry, monkeypatch) -> MetricSpec:
    """A registered metric of which less is better, and which is no share of 1."""
    spec = MetricSpec("loss", "a:B", MetricKind.EXTERNAL, greater_is_better=False, percent=False)
    monkeypatch.setitem(registry.metrics._specs, "loss", spec)
    monkeypatch.setitem(registry.metrics._sources, "loss", Source("tests", "tests"))
    return spec


def test_every_external_metric_is_computed_and_internal_ones_if_they_are_named(registry):
    external = {spec.name for spec in registry.metrics if spec.kind is MetricKind.EXTERNAL}
    assert set(load_metrics([], registry)) == external
    assert set(load_metrics(["silhouette", "nmi"], registry)) == {*external, "silhouette"}


def test_a_metric_with_other_parameters_is_computed_beside_the_one_with_the_defaults(registry):
    metrics = load_metrics(["nmi:average=geometric", "nmi:average=arithmetic"], registry)
    assert metrics["nmi:average=geometric"].average == "geometric"
    assert metrics["nmi"].average == "arithmetic"
    assert "nmi:average=arithmetic" not in metrics


def test_the_key_of_a_metric_has_only_the_parameters_that_are_not_at_their_defaults(registry):
    assert metric_key("nmi:average=geometric", registry) == "nmi:average=geometric"
    assert metric_key("nmi:average=arithmetic", registry) == metric_key("nmi", registry) == "nmi"


def test_a_wrong_name_or_parameter_of_a_metric_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'purity'"):
        check_metrics(["nmi", "puriti"])
    with pytest.raises(ParameterError, match="average takes one of"):
        check_metrics(["nmi:average=golden"])
    check_metrics(["nmi:average=geometric", "silhouette"])


def test_the_default_metrics_are_registered_with_the_kind_they_stand_for(registry):
    assert {registry.metrics[name].kind for name in DEFAULT_METRICS} == {MetricKind.EXTERNAL}
    assert {registry.metrics[name].kind for name in DEFAULT_INTERNAL_METRICS} == {MetricKind.INTERNAL}


def test_facts_about_a_metric_are_found_by_its_key_in_a_record(loss):
    assert metric_spec("nmi:average=geometric").name == "nmi"
    assert (greater_is_better("nmi:average=geometric"), is_percent("nmi:average=geometric")) == (True, True)
    assert not is_percent("silhouette")
    assert (metric_spec("loss"), greater_is_better("loss"), is_percent("loss")) == (loss, False, False)


def test_a_metric_whose_plugin_is_not_installed_is_taken_for_a_percentage_of_which_more_is_better():
    assert (metric_spec("gone"), greater_is_better("gone"), is_percent("gone")) == (None, True, True)
