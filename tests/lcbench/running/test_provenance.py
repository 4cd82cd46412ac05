from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest
import scipy
import sklearn
from one_file_plugins import METHOD as METHOD_FILE
from plans import plan_runs
from small_methods import ByTurns

import lcbench
from lcbench import MethodSpec, MetricKind, MetricSpec, Setting, StreamSpec, TaskShape
from lcbench.experiment.resolving import configured_methods, configured_streams
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.plugin_files import load_plugin_files
from lcbench.running.provenance import (
    changed_code,
    code_hash,
    code_of,
    code_of_metrics,
    code_of_stream,
    environment_facts,
    files_of,
    metric_files,
    package_version,
    widest_simd,
)

METHOD = """
from small_methods import ByTurns

class Zeros(ByTurns):
    def predict(self, task):
        return super().predict(task) * 0
"""
EDITED = METHOD.replace("* 0", "+ 1")
STREAM = """
from making import make_stream

class Made(type(make_stream())):
    def __init__(self):
        super().__init__("made", make_stream("made", 2).tasks())
"""
METRIC = """
from lcbench import ExternalMetric

class Half(ExternalMetric):
    def score(self, table):
        return 0.5
"""
PACKAGE = "made_for_a_test"


class Plugin:
    """The method `zeros`, stream `made` and metric `half` of the package `made_for_a_test`, which can be edited."""

    def __init__(self, folder, patch) -> None:
        self.folder = folder / PACKAGE
        self.folder.mkdir()
        (self.folder / "__init__.py").touch()
        for name, text in (("method.py", METHOD), ("stream.py", STREAM), ("metric.py", METRIC)):
            self.write(name, text)
        self._patch = patch
        self.install()

    def install(self, *, version: str = "1.0", revision: int = 1, digest: str = "made-1") -> None:
        registry, tasks = plugin_host().registry, (TaskShape("task-1"), TaskShape("task-2"))
        for catalogue, spec in (
            (registry.methods, MethodSpec("zeros", f"{PACKAGE}.method:Zeros", Setting.SINGLE_TASK, revision=revision)),
            (registry.streams, StreamSpec("made", f"{PACKAGE}.stream:Made", tasks, digest=digest)),
            (registry.metrics, MetricSpec("half", f"{PACKAGE}.metric:Half", MetricKind.EXTERNAL)),
        ):
            self._patch.setitem(catalogue._specs, spec.name, spec)
            self._patch.setitem(catalogue._sources, spec.name, Source("test", "made-for-a-test", version))

    def write(self, name: str, text: str) -> None:
        (self.folder / name).parent.mkdir(exist_ok=True)
        (self.folder / name).write_text(text)
        code_hash.cache_clear()  # another process has none

    @property
    def code(self) -> dict:
        return code_of(configured_methods("zeros", plugin_host().registry)[0])


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Plugin(tmp_path, monkeypatch)
    for name in [name for name in sys.modules if name.partition(".")[0] == "made_for_a_test"]:
        del sys.modules[name]
    code_hash.cache_clear()


def test_versions_are_those_that_the_packages_give_themselves():
    packages = environment_facts([])["packages"]
    assert packages["numpy"] == np.__version__
    assert packages["scipy"] == scipy.__version__
    assert packages["scikit-learn"] == sklearn.__version__
    assert packages["lcbench"] == lcbench.__version__
    assert environment_facts([])["python"] == platform.python_version()


def test_the_vector_instructions_are_those_that_numpy_was_not_told_to_leave():
    script = "from lcbench.running.provenance import widest_simd; print(widest_simd())"
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    if len(found) < 2:
        pytest.skip("numpy has no instructions here that it could be told to leave")
    *narrower, widest = found
    assert environment_facts([])["simd"] == widest
    left = os.environ | {"NPY_DISABLE_CPU_FEATURES": widest}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=left)
    assert done.stdout.strip() == narrower[-1]


@pytest.mark.parametrize(
    ("known", "expected"),
    [({}, ""), ({"SIMD Extensions": {"baseline": ["SSE", "SSE2"], "not found": ["AVX2"]}}, "SSE2")],
)
def test_a_numpy_built_without_vector_instructions_has_none(monkeypatch, known, expected):
    monkeypatch.setattr(np, "show_config", lambda mode: known)
    assert widest_simd() == expected


def test_a_package_that_is_not_installed_has_no_version():
    assert package_version("there-is-no-such-package") is None


def test_plugins_that_registered_something_are_named_with_their_version():
    plugins = environment_facts([])["plugins"]
    assert {name for name in plugins if name.startswith("lcbench:")} >= {"lcbench:spectral", "lcbench:streams"}
    assert plugins["lcbench:spectral"] == lcbench.__version__


def test_facts_can_be_written_as_json_and_do_not_depend_on_threads():
    one, two = ([{"user_api": "blas", "version": "1", "num_threads": number}] for number in (1, 2))
    facts = json.loads(json.dumps(environment_facts(one)))
    assert facts == environment_facts(two)
    assert facts["libraries"] == [{"user_api": "blas", "version": "1"}]


def test_a_record_names_the_libraries_of_the_process_that_did_the_work(blob_stream):
    (run,) = lcbench.run("one-cluster", blob_stream, baselines=False)
    script = "import json; from lcbench.running.threads import native_libraries; print(json.dumps(native_libraries()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    fresh = [{key: library[key] for key in library if key != "num_threads"} for library in json.loads(done.stdout)]
    named = run.environment["libraries"]
    assert sorted(map(str, named)) == sorted(map(str, fresh)), (
        "this process may have loaded more, as faiss brings its own"
    )
    assert {library["user_api"] for library in named} == {"blas", "openmp"}


def test_the_code_of_a_method_is_its_distribution_version_and_a_hash_of_its_package(plugin):
    before = plugin.code
    assert (before["distribution"], before["version"], len(before["sha256"])) == ("made-for-a-test", "1.0", 64)
    plugin.write("method.py", METHOD)
    assert plugin.code == before


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("method.py", True), ("__init__.py", True), ("new.py", True), ("inner/part.py", True),
        ("README.md", False), ("__pycache__/method.cpython-311.pyc", False),
    ],
)  # fmt: skip
def test_every_file_of_code_in_the_package_counts_and_no_other(plugin, name, counts):
    before = plugin.code
    plugin.write(name, f"{METHOD}\n# edited")
    assert (plugin.code["sha256"] != before["sha256"]) is counts


def test_a_renamed_file_is_a_change(plugin):
    plugin.write("one.py", "x = 1")
    before = plugin.code
    (plugin.folder / "one.py").rename(plugin.folder / "two.py")
    code_hash.cache_clear()
    assert plugin.code["sha256"] != before["sha256"]


def test_a_package_that_is_not_installed_has_no_hash_and_an_instance_has_no_facts(plugin):
    assert code_hash("there_is_no_such_package") is None
    (entry,) = configured_methods(lcbench.load_method("kmeans"), plugin_host().registry)
    assert code_of(entry) == {}


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ({"sha256": "b"}, True), ({}, False), ({"sha256": "b", "version": "2"}, False),
        ({"sha256": "b", "distribution": "e"}, False), ({"sha256": None}, False),
    ],
    ids=str,
)  # fmt: skip
def test_code_has_changed_if_only_its_hash_has(change, changed):
    then = {"distribution": "d", "version": "1", "sha256": "a"}
    assert changed_code(then, then | change) is changed
    assert not changed_code({}, then | change)


def test_edited_code_without_a_raised_revision_gets_a_warning_and_is_not_run_again(plugin, blob_stream, caplog):
    def run(**options):
        caplog.clear()
        return lcbench.run("zeros", blob_stream, out="out", **options)

    run(repeats=2)
    run()
    assert caplog.messages == []
    plugin.write("method.py", EDITED)
    stored = run(repeats=2)
    assert caplog.messages == [
        "The code of 'zeros' was changed since the 2 runs here were made, and its revision was not raised: --fresh "
        "runs it again."
    ]
    fresh = run(repeats=2, fresh=True)
    assert [run.finished for run in fresh] > [run.finished for run in stored]
    run()
    assert caplog.messages == []


@pytest.mark.parametrize(("change", "same"), [({"version": "1.1"}, True), ({"revision": 2}, False)], ids=str)
def test_another_version_gets_no_warning_and_a_raised_revision_is_another_run(
    plugin, blob_stream, caplog, change, same
):
    (before,) = lcbench.run("zeros", blob_stream, out="out")
    plugin.write("method.py", EDITED)
    plugin.install(**change)
    (after,) = lcbench.run("zeros", blob_stream, out="out")
    assert (after.run_id == before.run_id, after.finished == before.finished, caplog.messages) == (same, same, [])


def test_the_code_of_a_plugin_file_is_the_text_that_was_loaded(plugin_file):
    load_plugin_files([plugin_file("recorded")])
    (planned,) = plan_runs("recorded", "digits")
    sha256 = hashlib.sha256(METHOD_FILE.encode()).hexdigest()
    plugin_file("recorded", "# edited, and not loaded again\n")
    assert code_of(planned.method) == {"distribution": "file recorded.py", "version": "", "sha256": sha256}
    assert files_of(planned) == {"recorded.py": sha256}
    assert not [name for name in environment_facts([])["plugins"] if "recorded" in name]


def test_runs_of_installed_plugins_come_from_no_file_and_neither_do_instances(blob_stream):
    for planned in plan_runs(["kmeans", ByTurns()], [blob_stream, "digits"]):
        assert files_of(planned) == {}
    assert metric_files(["silhouette"]) == {}


def test_the_code_of_a_stream_or_metric_is_that_of_its_package_with_its_toml_files(plugin):
    (stream,) = configured_streams("made")
    before = code_of_stream(stream)
    facts = before[PACKAGE]
    assert (list(before), facts["distribution"], facts["version"]) == ([PACKAGE], "made-for-a-test", "1.0")
    assert code_of_metrics(["half"])["half"] == before
    for name, counts in (("stream.py", True), ("recipe.toml", True), ("README.md", False)):
        then = code_of_stream(stream)
        plugin.write(name, "# edited")
        assert (code_of_stream(stream) != then) is counts


def test_the_code_of_a_recipe_is_that_of_the_package_it_comes_from():
    (recipe,) = configured_streams("webkb4")
    assert list(code_of_stream(recipe)) == ["lcbench_streams"]


def test_folders_instances_and_plugin_files_have_no_package(blob_stream, plugin_file, tmp_path):
    np.savez(tmp_path / "a.npz", X=np.eye(4), y=[0, 0, 1, 1])
    for stream in configured_streams([blob_stream, tmp_path]):
        assert code_of_stream(stream) == {}
    load_plugin_files([plugin_file("recorded")])
    assert {package for code in code_of_metrics([]).values() for package in code} == {"lcbench_indices"}


def test_a_stream_that_was_edited_under_the_same_digest_gets_a_warning_and_its_runs_stay(plugin, caplog):
    def run(repeats=1, **options):
        caplog.clear()
        options = {"repeats": repeats, "out": "out", "executor": lcbench.InProcess(), **options}
        return [run.finished for run in lcbench.run("random", "made", **options)]

    run(2)
    stored = run(2)
    assert caplog.messages == []
    plugin.write("stream.py", STREAM.replace('"made", 2', '"made", 2, spread=0.9'))
    assert run(2) == stored
    assert caplog.messages == [
        "The code of stream 'made' was changed since the 2 runs here were made, and its digest was not: --fresh runs "
        "them again."
    ]
    plugin.install(version="1.1")
    assert run(2) == stored
    assert caplog.messages == [], "another version says itself that it may differ"
    plugin.install(digest="made-2")
    assert run(2) > stored, "another digest is another stream"
    assert caplog.messages == []


def test_a_metric_that_was_edited_gets_a_warning_and_the_scores_stay(plugin, blob_stream, caplog):
    def run(**options):
        caplog.clear()
        (made,) = lcbench.run("random", blob_stream, out="out", executor=lcbench.InProcess(), metrics="half", **options)
        return made.scores["half"][-1]

    assert run() == [0.5] * 3
    plugin.write("metric.py", METRIC.replace("0.5", "0.75"))
    for _ in range(2):
        assert run() == [0.5] * 3
        assert caplog.messages == [
            "The code of the metric half was changed since a stored run was scored: 'lcbench results check --rescore' "
            "says if scores differ, --fresh makes runs again."
        ]


def test_a_stream_without_a_digest_gets_a_warning(plugin, caplog):
    plugin.install(digest="")
    lcbench.run("random", "made", executor=lcbench.InProcess())
    (message,) = caplog.messages
    assert message.startswith("Stream 'made' has no digest, so that stored runs are used though its data may be others")
    assert "write digest='made-1' into its StreamSpec" in message
