"""One-file plugins for tests: `plugin_file("mine", TEXT)` writes one; what is loaded of it is gone after the test."""

from __future__ import annotations

import pytest

from lcbench.registry.file_modules import served, withdraw
from lcbench.registry.host import plugin_host

METHOD = '''\
import numpy as np

from lcbench import Clusterer, Setting


class Shifted(Clusterer):
    """Labels by turns, a number further on.

    More about it.
    """

    setting = Setting.LIFELONG
    predicts_unseen = True

    def __init__(self, *, shift=0, random_state=0):
        self.shift = shift
        self.random_state = random_state

    def partial_fit(self, task):
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return (np.arange(task.n_samples) + self.shift) % task.n_clusters
'''
HOOKS = """\
from lcbench import (
    ExternalMetric, LabelledTask, MethodSpec, MetricKind, MetricSpec, Setting, SingleTaskClusterer, StreamSpec, Task,
    TaskShape, TaskStream, hookimpl,
)
import numpy as np


class Turns(SingleTaskClusterer):
    def predict(self, task):
        return np.arange(task.n_samples) % task.n_clusters


class Constant(ExternalMetric):
    def score(self, table):
        return 0.25


class Noise(TaskStream):
    name = "noise"

    def tasks(self):
        return [LabelledTask(Task(name, np.random.default_rng(0).normal(size=(12, 3)), 2), np.arange(12) % 2)
                for name in ("a", "b")]


@hookimpl
def lcbench_register_methods(register):
    register(MethodSpec("turns", "hooked:Turns", Setting.SINGLE_TASK, revision=3))


@hookimpl
def lcbench_register_streams(register):
    register(StreamSpec("noise", "hooked:Noise", (TaskShape("a"), TaskShape("b")), digest="1"))


@hookimpl
def lcbench_register_metrics(register):
    register(MetricSpec("constant", "hooked:Constant", MetricKind.EXTERNAL, greater_is_better=False, percent=False))


HEARD = []


@hookimpl
def lcbench_run_finished(run):
    HEARD.append(run.label)
"""


@pytest.fixture
def plugin_file(tmp_path):
    """Writes a plugin file, and returns its path as text; nothing of it stays registered."""
    host = plugin_host()
    registry, plugins = host.registry, host.plugins

    def write(name: str, text: str = METHOD) -> str:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        return str(path)

    yield write
    for plugin in host.plugins:
        if plugin.source.file:
            host.manager.unregister(name=f"{plugin.source.distribution}:{plugin.source.plugin}")
    host.registry, host.plugins = registry, plugins
    for name in served():
        withdraw(name)
