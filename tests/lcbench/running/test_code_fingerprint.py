from __future__ import annotations

import sys

import pytest

import lcbench
from lcbench import MethodSpec, Setting
from lcbench.experiment.resolving import configured_methods
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.running.code_fingerprint import _hash_of, changed_code, code_of

METHOD = """
import numpy as np
from lcbench import Clusterer, Setting

class Zeros(Clusterer):
    setting = Setting.SINGLE_TASK

    def partial_fit(self, task):
        self.labels_ = self.predict(task)
        return self

    def predict(self, task):
        return np.zeros(task.n_samples, dtype=int)
"""


class Plugin:
    """The method `zeros` of the package `made_for_a_test`, which can be edited."""

    def __init__(self, folder, patch) -> None:
        self.folder = folder / "made_for_a_test"
        self.folder.mkdir()
        (self.folder / "__init__.py").touch()
        self.write("method.py", METHOD)
        self._patch = patch
        self.install()

    def install(self, *, version: str = "1.0", revision: int = 1) -> None:
        methods = plugin_host().registry.methods
        spec = MethodSpec("zeros", "made_for_a_test.method:Zeros", Setting.SINGLE_TASK, revision=revision)
        self._patch.setitem(methods._specs, "zeros", spec)
        self._patch.setitem(methods._sources, "zeros", Source("test", "made-for-a-test", version))

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)
        _hash_of.cache_clear()  # another process has none

    @property
    def code(self) -> dict:
        return code_of(configured_methods("zeros", plugin_host().registry)[0])


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Plugin(tmp_path, monkeypatch)
    for name in [name for name in sys.modules if name.partition(".")[0] == "made_for_a_test"]:
        del sys.modules[name]
    _hash_of.cache_clear()


def test_the_code_of_a_method_is_its_distribution_version_and_a_hash_of_its_package(plugin):
    before = plugin.code
    assert (before["distribution"], before["version"], len(before["sha256"])) == ("made-for-a-test", "1.0", 64)
    plugin.write("method.py", METHOD)
    assert plugin.code == before


@pytest.mark.parametrize("name", ["method.py", "__init__.py", "new.py", "inner/part.py"])
def test_every_file_of_the_package_counts(plugin, name):
    before = plugin.code
    plugin.write(name, f"{METHOD}\n# edited")
    assert plugin.code["sha256"] != before["sha256"]


def test_files_that_are_no_code_do_not_count(plugin):
    before = plugin.code
    plugin.write("README.md", "text")
    plugin.write("__pycache__/method.cpython-311.pyc", "bytes")
    assert plugin.code == before


def test_a_renamed_file_is_a_change(plugin):
    plugin.write("one.py", "x = 1")
    before = plugin.code
    (plugin.folder / "one.py").rename(plugin.folder / "two.py")
    _hash_of.cache_clear()
    assert plugin.code["sha256"] != before["sha256"]


def test_a_package_that_is_not_installed_has_no_hash_and_an_instance_has_no_facts(plugin):
    assert _hash_of("there_is_no_such_package") is None
    (entry,) = configured_methods(lcbench.load_method("kmeans"), plugin_host().registry)
    assert code_of(entry) == {}


def test_code_has_changed_if_only_its_hash_has():
    then = {"distribution": "d", "version": "1", "sha256": "a"}
    assert changed_code(then, {**then, "sha256": "b"})
    assert not changed_code(then, then)
    assert not changed_code(then, {**then, "sha256": "b", "version": "2"})
    assert not changed_code(then, {**then, "sha256": "b", "distribution": "e"})
    assert not changed_code({}, then)
    assert not changed_code(then, {**then, "sha256": None})


def test_edited_code_without_a_raised_revision_gets_a_warning_and_is_not_run_again(
    plugin, blob_stream, tmp_path, caplog
):
    lcbench.run("zeros", blob_stream, out=tmp_path / "out", repeats=2)
    assert lcbench.run("zeros", blob_stream, out=tmp_path / "out").runs
    assert caplog.messages == []
    plugin.write("method.py", METHOD.replace("zeros", "ones"))
    stored = lcbench.run("zeros", blob_stream, out=tmp_path / "out", repeats=2)
    assert caplog.messages == [
        "The code of 'zeros' was changed since the 2 runs here were made, and its revision was not raised: --fresh "
        "runs it again."
    ]
    caplog.clear()
    fresh = lcbench.run("zeros", blob_stream, out=tmp_path / "out", repeats=2, fresh=True)
    assert [run.finished for run in fresh] > [run.finished for run in stored]
    lcbench.run("zeros", blob_stream, out=tmp_path / "out")
    assert caplog.messages == []


def test_another_version_gets_no_warning(plugin, blob_stream, tmp_path, caplog):
    (before,) = lcbench.run("zeros", blob_stream, out=tmp_path / "out")
    plugin.write("method.py", METHOD.replace("zeros", "ones"))
    plugin.install(version="1.1")
    (after,) = lcbench.run("zeros", blob_stream, out=tmp_path / "out")
    assert (after.finished, caplog.messages) == (before.finished, [])


def test_a_raised_revision_is_another_run(plugin, blob_stream, tmp_path, caplog):
    (before,) = lcbench.run("zeros", blob_stream, out=tmp_path / "out")
    plugin.write("method.py", METHOD.replace("zeros", "ones"))
    plugin.install(revision=2)
    (after,) = lcbench.run("zeros", blob_stream, out=tmp_path / "out")
    assert after.run_id != before.run_id
    assert caplog.messages == []
