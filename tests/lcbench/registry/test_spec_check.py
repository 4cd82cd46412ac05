from __future__ import annotations

import pytest

from lcbench import Clusterer, ExternalMetric, InternalMetric, SingleTaskClusterer, TaskStream
from lcbench.contract.specs import MethodSpec, MetricKind, MetricSpec, Param, Setting, StreamSpec, TaskShape
from lcbench.registry.spec_check import method_differences, metric_differences, stream_differences


def spec(*params, setting=Setting.SINGLE_TASK, **more):
    return MethodSpec("m", "mine:Mine", setting, params, **more)


def method(init, base=SingleTaskClusterer):
    return type("Mine", (base,), {"__init__": init, "predict": lambda self, task: None})


N = Param("n", int, 3)


@pytest.mark.parametrize(
    ("described", "code", "expected"),
    [
        (spec(N), method(lambda self, *, n=3, random_state=None: None), []),
        (spec(N), method(lambda self, n=3.0: None), []),
        (spec(N), lambda *, n=3: None, []),
        (spec(N), lambda **more: None, []),
        (spec(N, at_default=("odd",)), method(lambda self, *, n=3, odd=object: None), []),
        (spec(Param("n", int, None, optional=True)), method(lambda self, *, n=None: None), []),
        (spec(Param("n", tuple, (1, 2))), method(lambda self, *, n=[1, 2]: None), []),
        (spec(N), method(lambda self, *, n=4: None), ["'n' is 3 by default in the spec, and 4 in the code"]),
        (spec(N), method(lambda self, *, n=None: None), ["'n' is 3 by default in the spec, and none in the code"]),
        (spec(N), method(lambda self, *, n="x": None), ["'n' is 3 by default in the spec, and x in the code"]),
        (spec(N), method(lambda self, *, n=int: None), [
            "'n' is 3 by default in the spec, and <class 'int'> in the code"]),
        (spec(N), method(lambda self, *, n: None), ["'n' is 3 by default in the spec, and has no default in the code"]),
        (spec(N), method(lambda self: None), ["the spec has 'n', which it does not take"]),
        (spec(N), method(lambda self, n=3, /: None), ["the spec has 'n', which it does not take"]),
        (spec(), method(lambda self, *, n=3: None), ["it takes 'n', which the spec does not have"]),
        (spec(), method(lambda self, n: None), ["it cannot be built without 'n'"]),
        (spec(setting=Setting.LIFELONG), method(lambda self: None), [
            "its setting is lifelong in the spec and single-task in the class"]),
        (spec(), method(lambda self: None, Clusterer), [
            "its setting is single-task in the spec and None in the class"]),
        (spec(), dict, ["its class dict is no Clusterer"]),
        (spec(), "text", ["its factory is a str, which cannot be called"]),
    ],
)  # fmt: skip
def test_a_method_is_compared_by_base_class_setting_and_parameters(described, code, expected):
    assert method_differences(described, code) == expected


class Flow(TaskStream):
    def __init__(self, recipe, tasks=3):
        pass

    def tasks(self):
        pass


@pytest.mark.parametrize(
    ("params", "fixed", "code", "expected"),
    [
        ((Param("tasks", int, 3),), {"recipe": "r"}, Flow, []),
        ((Param("tasks", int, 4),), {"recipe": "r"}, Flow, ["'tasks' is 4 by default in the spec, and 3 in the code"]),
        ((Param("tasks", int, 4),), {"recipe": "r"}, lambda recipe, tasks: None, []),
        ((Param("size", int, 4),), {}, Flow, [
            "the spec has 'size', which it does not take", "it cannot be built without 'recipe'"]),
        ((), {}, SingleTaskClusterer, ["its class SingleTaskClusterer is no TaskStream"]),
    ],
)  # fmt: skip
def test_a_stream_is_compared_by_base_class_and_arguments(params, fixed, code, expected):
    assert stream_differences(StreamSpec("s", "mine:Flow", (TaskShape("a"),), params, fixed=fixed), code) == expected


@pytest.mark.parametrize(
    ("kind", "code", "expected"),
    [
        (MetricKind.EXTERNAL, ExternalMetric, []),
        (MetricKind.INTERNAL, ExternalMetric, ["its kind is internal in the spec and external in the class"]),
        (MetricKind.INTERNAL, InternalMetric, []),
        (MetricKind.INTERNAL, Clusterer, ["its class Clusterer is no Metric"]),
        (MetricKind.INTERNAL, lambda: None, []),
    ],
)
def test_a_metric_is_compared_by_base_class_and_kind(kind, code, expected):
    assert metric_differences(MetricSpec("m", "mine:M", kind), code) == expected
