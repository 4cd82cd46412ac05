from __future__ import annotations

import subprocess
import sys

import pytest

import lcbench
from lcbench import MethodSpec, Param, ParameterError, Setting
from lcbench.contract.specs import resolve_params
from lcbench.registry.building import build_method
from lcbench.registry.catalogue import Source
from lcbench_baselines import partial_spec

BIRCH = partial_spec(
    "birch", "sklearn.cluster:Birch", summary="a tree of sub-clusters", threshold=0.5, n_clusters=None, passes=2,
    reference="Zhang, Ramakrishnan, Livny: BIRCH, SIGMOD 1996",
)  # fmt: skip


def built(spec: MethodSpec, **given: object) -> lcbench.Clusterer:
    return build_method(spec.factory, resolve_params(spec.name, spec.params, given), Source("test", "test"))


def test_a_spec_has_the_parameters_of_the_adapter_and_those_given_of_the_estimator():
    assert {param.name: param.default for param in BIRCH.params} == {
        "estimator": "sklearn.cluster:Birch", "passes": 2, "batch_size": 256, "unit_rows": True, "threshold": 0.5,
        "n_clusters": None,
    }  # fmt: skip
    assert (BIRCH.setting, BIRCH.baseline, BIRCH.shared) == (Setting.LIFELONG, "kmeans", ("unit_rows",))
    assert BIRCH.reference.startswith("Zhang")
    assert "sklearn.cluster.Birch" in BIRCH.provenance


def test_parameters_reach_the_adapter_and_the_estimator():
    method = built(BIRCH, threshold="2", n_clusters="5", passes="3", unit_rows="no")
    assert (method.estimator.threshold, method.estimator.n_clusters) == (2.0, 5)
    assert (method.passes, method.unit_rows, method.batch_size) == (3, False, 256)
    assert built(BIRCH).estimator.n_clusters is None


@pytest.mark.parametrize(
    "given", [{"estimator": "sklearn.cluster:KMeans"}, {"threshold": "wide"}, {"passes": 0}, {"branching_factor": 10}]
)
def test_what_the_spec_does_not_allow_is_refused(given):
    with pytest.raises(ParameterError, match=f"birch.*{next(iter(given))}"):
        built(BIRCH, **given)


def test_a_param_keeps_its_bounds_and_parameters_of_one_estimator_are_shown_where_they_are_set():
    threshold = Param("threshold", float, 1.0, "radius of a sub-cluster", above=0)
    spec = partial_spec("birch", "sklearn.cluster:Birch", summary="", threshold=threshold, most_groups=50)
    assert [param.name for param in spec.params if param.name in ("threshold", "most_groups", "width")] == [
        "most_groups",
        "threshold",
    ]
    with pytest.raises(ParameterError, match="above 0"):
        built(spec, threshold=0)
    assert built(spec).most_groups == 50


def test_making_a_spec_imports_neither_numpy_nor_the_estimator():
    code = "import sys, lcbench_baselines; assert not {'numpy', 'sklearn', 'scipy'} & set(sys.modules), 'heavy'"
    subprocess.run([sys.executable, "-c", code], check=True)
