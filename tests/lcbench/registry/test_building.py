from __future__ import annotations

import inspect
import json
from collections import OrderedDict

import pytest
from sklearn.metrics import normalized_mutual_info_score

from lcbench.contract.metric import Contingency
from lcbench.contract.specs import MethodSpec, Param, Setting, StreamSpec
from lcbench.errors import InvalidTaskError, ParameterError, PluginError, UnknownNameError
from lcbench.registry.building import build_method, build_metric, build_stream, load_factory, resolve
from lcbench.registry.catalogue import Registry, Source

SOURCE = Source("mine", "my-package", "1.0")
PARAMS = (Param("lam", float, 1.0, minimum=0), Param("k", int, 3))


@pytest.fixture
def methods():
    catalogue = Registry().methods
    catalogue.add(MethodSpec("m", "a:B", Setting.LIFELONG, PARAMS), SOURCE)
    return catalogue


@pytest.mark.parametrize(
    ("name", "params", "resolved"),
    [
        ("m", {}, {"lam": 1.0, "k": 3}),
        ("m:lam=2", {}, {"lam": 2.0, "k": 3}),
        ("m", {"k": "5"}, {"lam": 1.0, "k": 5}),
        ("m:lam=2,k=4", {"k": 5}, {"lam": 2.0, "k": 5}),
    ],
    ids=["defaults", "in the name", "beside it", "beside it comes first"],
)
def test_parameters_are_typed_and_completed_from_the_name_and_from_beside_it(methods, name, params, resolved):
    spec, found = resolve(methods, name, params)
    assert spec is methods["m"]
    assert found == resolved


@pytest.mark.parametrize(
    ("name", "error", "sentence"),
    [
        ("n", UnknownNameError, "There is no method 'n'"),
        ("m:mu=1", ParameterError, "Method 'm' has no parameter 'mu'"),
        ("m:lam=-1", ParameterError, "Method 'm': lam takes a number of at least 0, not '-1'"),
    ],
)
def test_an_unknown_name_or_a_bad_parameter_is_refused(methods, name, error, sentence):
    with pytest.raises(error, match=sentence):
        resolve(methods, name, {})


@pytest.mark.parametrize(
    ("factory", "found"),
    [("json:loads", json.loads), ("collections:OrderedDict", OrderedDict), ("inspect:Signature.empty", inspect._empty)],
)
def test_a_factory_is_the_object_at_its_import_path(factory, found):
    assert load_factory(factory) is found


def test_a_method_is_built_with_its_parameters():
    method = build_method("lcbench_baselines.kmeans:SingleTaskKMeans", {"n_init": 7}, SOURCE)
    assert type(method).__name__ == "SingleTaskKMeans"
    assert method.get_params()["n_init"] == 7


def test_a_stream_is_built_with_the_fixed_arguments_of_its_spec_and_the_users_parameters(make_task):
    spec = StreamSpec("s", "lcbench.contract.stream:ArrayStream", (), fixed={"name": "fixed", "tasks": []})
    stream = build_stream(spec, {"tasks": [make_task("a"), make_task("b")]}, SOURCE)
    assert stream.name == "fixed"
    assert [task.name for task in stream.tasks()] == ["a", "b"]


def test_a_metric_is_built_with_its_parameters_and_scores_as_scikit_learn_does():
    y, labels = [0, 0, 1, 1, 2], [0, 1, 1, 1, 1]
    metric = build_metric("lcbench_indices.indices:NormalizedMutualInformation", {"average": "geometric"}, SOURCE)
    expected = normalized_mutual_info_score(y, labels, average_method="geometric")
    assert metric.score(Contingency(y, labels)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("factory", "reason"),
    [
        ("json:Thing", "AttributeError: module 'json' has no attribute 'Thing'"),
        ("lcbench_baselines.kmeans:SingleTaskKMeans", "TypeError: "),  # it takes no parameter 'colour'
    ],
)
def test_a_factory_that_fails_is_blamed_on_its_plugin_with_the_reason(factory, reason):
    with pytest.raises(PluginError) as caught:
        build_method(factory, {"colour": "red"}, SOURCE)
    said = f"plugin 'mine' of distribution 'my-package' could not build '{factory}': {reason}"
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    ("build", "wanted"), [(build_method, "Clusterer"), (build_metric, "Metric")], ids=["method", "metric"]
)
def test_a_factory_that_makes_something_else_is_refused_with_both_classes_named(build, wanted):
    with pytest.raises(PluginError, match=f"'collections:OrderedDict', which makes a OrderedDict and not a {wanted}"):
        build("collections:OrderedDict", {}, SOURCE)


def test_our_own_error_in_a_factory_is_passed_on_as_it_is():
    spec = StreamSpec("s", "lcbench.contract.stream:ArrayStream", ())
    with pytest.raises(InvalidTaskError, match=r"^Stream 'empty' has no tasks"):
        build_stream(spec, {"name": "empty", "tasks": []}, SOURCE)
