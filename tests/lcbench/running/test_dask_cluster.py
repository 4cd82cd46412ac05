"""What is wrong with a cluster is said in a sentence, before anything starts."""

from __future__ import annotations

import sys

import hostile_methods
import pytest
from listening import Started

import lcbench
from lcbench.errors import ClusterError, MissingExtraError, ParameterError
from lcbench.running.dask_cluster import differences

pytest.importorskip("distributed", reason="the extra dask is not installed")
from dask_processes import on

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are ended as on Linux")


def test_differences_are_versions_code_and_what_is_missing():
    here = {"Python": "3.11", "numpy": "2.0", "the code of lcbench": "ab", "the module mine": "there", "odd": None}
    assert differences(here, here) == []
    there = {"Python": "3.12", "the code of lcbench": "cd", "odd": "1"}
    assert differences(here, there) == [
        "Python is 3.12, here 3.11", "numpy is missing", "the code of lcbench is another one",
        "the module mine is missing", "odd is 1, here missing",
    ]  # fmt: skip


def test_a_worker_whose_packages_differ_is_named_before_anything_starts(own_cluster, other_scipy, module_stream):
    own_cluster.start_worker(PYTHONPATH=other_scipy)
    started = Started()
    with pytest.raises(ClusterError, match=r"on tcp://\S+ scipy is 0\.1, here \d"):
        on(own_cluster, "random", "digits", listeners=[started])
    with pytest.raises(ClusterError, match="the module hostile_methods is missing"):
        on(own_cluster, {"x": hostile_methods.Good()}, module_stream)
    assert started.labels == []


def test_a_scheduler_that_is_not_there_and_one_without_dask_are_a_sentence(monkeypatch):
    monkeypatch.setattr("lcbench.running.dask_cluster.SECONDS_TO_CONNECT", 0.3)
    with pytest.raises(ClusterError, match=r"^There is no Dask scheduler at tcp://127\.0\.0\.1:9"):
        lcbench.run("random", "digits", executor="dask", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(ParameterError, match=r"^A scheduler is for the executor dask: name it too\."):
        lcbench.run("random", "digits", scheduler="tcp://127.0.0.1:9")
    with pytest.raises(ParameterError, match=r"executor takes local or dask, not 'slurm'"):
        lcbench.run("random", "digits", executor="slurm")


def test_without_the_extra_a_sentence_has_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lcbench\[dask\]'"):
        lcbench.run("random", "digits", executor="dask")
