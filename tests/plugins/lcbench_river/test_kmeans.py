from __future__ import annotations

import inspect

import numpy as np
import pytest

import lcbench
from lcbench_river import METHODS, River

cluster = pytest.importorskip("river.cluster")
from lcbench_river.kmeans import RiverKMeans  # noqa: E402


def test_it_is_the_adapter_of_rivers_k_means():
    tasks = [one.task for one in lcbench.load_stream("digits:tasks=2").tasks()]
    ours = RiverKMeans(halflife=0.2, width=3, random_state=4)
    same = River(cluster.KMeans(halflife=0.2), width=3, unit_rows=True, scale="common", random_state=4)
    for task in tasks:
        np.testing.assert_array_equal(ours.partial_fit(task).labels_, same.partial_fit(task).labels_)
    np.testing.assert_array_equal(ours.predict(tasks[0]), same.predict(tasks[0]))


def test_the_spec_has_the_parameters_of_the_class_with_their_defaults():
    parameters = inspect.signature(RiverKMeans).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items() if name != "random_state"}
    assert {param.name: param.default for param in METHODS[0].params} == defaults
