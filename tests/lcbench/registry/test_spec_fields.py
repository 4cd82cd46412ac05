from __future__ import annotations

import pytest

from lcbench.contract.specs import MethodSpec, MetricKind, MetricSpec, Param, Setting, StreamSpec, SuiteSpec, TaskShape
from lcbench.errors import PluginError
from lcbench.registry.host import plugin_host
from lcbench.registry.spec_fields import checked_fields

A = Param("a", int, 1)


def method(**fields) -> MethodSpec:
    return MethodSpec("mine", "my:Method", **{"setting": Setting.LIFELONG, **fields})


def stream(**fields) -> StreamSpec:
    return StreamSpec("mine", "my:Stream", **{"tasks": (TaskShape("x"),), **fields})


def metric(**fields) -> MetricSpec:
    return MetricSpec("mine", "my:Metric", **{"kind": MetricKind.EXTERNAL, **fields})


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (method(params=A), "with params Param(...): a tuple is needed: write params=(Param(...),), with the comma."),
        (method(params="a"), "with params 'a': a tuple of Param is needed."),
        (method(params=("a",)), "with params ('a',): a tuple of Param is needed."),
        (method(params={"a": 1}), "with params {'a': 1}: a tuple of Param is needed."),
        (method(revision="2"), "with revision '2': a whole number is needed."),
        (method(baseline=["stsc"]), "with baseline ['stsc']: the name of a method, or None, is needed."),
        (method(setting="lifelong"), "with setting 'lifelong': a Setting is needed."),
        (method(shared="lam"), "with shared 'lam': a tuple is needed: write shared=('lam',), with the comma."),
        (stream(tasks=TaskShape("x")), "with tasks TaskShape(...): a tuple is needed: write tasks=(TaskShape(...),), "),
        (stream(tasks=("x",)), "with tasks ('x',): a tuple of TaskShape is needed."),
        (stream(tasks=(TaskShape(2020),)), "with task 2020: the name of a task is a text."),
        (stream(tasks=()), "with tasks (): a stream has at least one task."),
        (stream(digest=None), "with digest None: a text is needed."),
        (stream(card="nice"), "with card 'nice': a StreamCard is needed."),
        (SuiteSpec("mine", "suite.toml"), "with file 'suite.toml': a Path is needed."),
        (metric(kind="external"), "with kind 'external': a MetricKind is needed."),
    ],
    ids=lambda each: each[:40] if isinstance(each, str) else "",
)
def test_a_field_of_another_type_is_refused_with_what_is_needed(spec, said):
    with pytest.raises(PluginError) as refused:
        checked_fields(spec, "plugin 'p'")
    assert str(refused.value).startswith(f"plugin 'p' registers 'mine' {said}")


def test_lists_become_tuples_so_that_they_do_no_harm():
    assert checked_fields(method(params=[A], at_default=["b"]), "").params == (A,)
    assert checked_fields(stream(tasks=[TaskShape("x")]), "").tasks == (TaskShape("x"),)


def test_a_spec_that_is_right_stays_itself():
    registry = plugin_host().registry
    for spec in (*registry.methods, *registry.streams, *registry.metrics, *registry.suites):
        assert checked_fields(spec, "") is spec
