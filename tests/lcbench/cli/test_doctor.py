from __future__ import annotations

import platform
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pytest

from lcbench import __version__
from lcbench.cli import doctor
from lcbench.registry.catalogue import Source
from lcbench.registry.host import GROUP, Plugin, PluginHost, plugin_host


def test_doctor_shows_versions_plugins_threads_and_the_variables_that_set_them(command, monkeypatch):
    monkeypatch.setattr(doctor, "EXTRAS", {"frames": ("no-such-distribution",)})
    called = command("doctor")
    lines = called.lines
    assert (called.code, called.out.count("broken")) == (0, 0)  # our own specs are what our classes say
    for line in (
        f"python {platform.python_version()} ({platform.python_implementation()})", f"numpy {np.__version__}",
        f"lcbench {__version__}", "threads of a run 1, unless --threads says otherwise", "OMP_NUM_THREADS 1",
        "extra frames not installed (no-such-distribution): pip install 'lcbench[frames]'",
        "factories 5 of 5 are there and agree with their specs",
    ):  # fmt: skip
        assert line in lines, line
    assert any(line.startswith(f"plugin spectral of lcbench {__version__}: loaded") for line in lines)
    assert lines[-1] == "All plugins are well."
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert not any(line.startswith("OMP_NUM_THREADS") for line in command("doctor").lines)


@pytest.mark.slow
def test_a_plugin_that_failed_is_named_with_the_reason_and_the_tool_goes_on(install):
    install("frail", {"frail.py": "raise RuntimeError('the [red]sky[/red] fell')\n"})
    ended = subprocess.run([sys.executable, "-m", "lcbench", "doctor"], capture_output=True, text=True)
    assert ended.returncode == 1
    reason = "plugin 'frail' of distribution 'frail' could not be loaded: RuntimeError: the [red]sky[/red] fell"
    assert f"lcbench: warning: {reason}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "plugin frail of frail 1.2: failed" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "1 plugin(s) with problems."
    assert reason in " ".join(ended.stdout.replace("\n", " ").split())


CODE = """
from lcbench import Clusterer, ExternalMetric, Setting, TaskStream


class Well(Clusterer):
    setting = Setting.LIFELONG

    def __init__(self, *, n=3, random_state=0):
        self.n, self.random_state = n, random_state

    def partial_fit(self, task): ...
    def predict(self, task): ...


class Flow(TaskStream):
    def tasks(self): ...


class Share(ExternalMetric):
    def score(self, table): ...


def needs_torch(*, n=3):
    raise ImportError("needs PyTorch: pip install torch")


def breaks(*, n=3):
    raise ValueError("no luck")


def makes_text(*, n=3):
    return "text"
"""
HOOKS = """
from lcbench import MethodSpec, MetricKind, MetricSpec, Param, Setting, StreamSpec, TaskShape, hookimpl


@hookimpl
def lcbench_register_methods(register):
    for name, factory in {methods}.items():
        register(MethodSpec(name, factory, Setting.LIFELONG, (Param("n", int, 3),)))


@hookimpl
def lcbench_register_streams(register):
    register(StreamSpec("flow", "mixed_code:Flow", (TaskShape("a"),)))


@hookimpl
def lcbench_register_metrics(register):
    register(MetricSpec("share", "mixed_code:{metric}", MetricKind.EXTERNAL))
"""


@pytest.fixture
def doctored(command, install, monkeypatch, tmp_path):
    """The exit code, and the lines that doctor shows about an installed plugin with these methods."""

    def call(methods, metric="Share", columns="200"):
        install("mixed", {"mixed.py": HOOKS.format(methods=methods, metric=metric), "mixed_code.py": CODE})
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setenv("COLUMNS", columns)
        host = PluginHost(only=["lcbench", "mixed"])  # tests of attacks may have others on the import path
        host.load(entry_points(group=GROUP))
        monkeypatch.setattr(doctor, "plugin_host", lambda: host)
        called = command("doctor")
        start = next(i for i, line in enumerate(called.lines) if line.startswith("plugin mixed of mixed 1.2: loaded"))
        return called.code, called.lines[start + 1 :], called.out

    yield call
    for name in ("mixed", "mixed_code"):
        sys.modules.pop(name, None)


def test_a_plugin_is_shown_with_what_it_registered_and_a_missing_package_is_no_fault(doctored):
    code, lines, _ = doctored({"well": "mixed_code:Well", "torchy": "mixed_code:needs_torch"})
    assert (code, lines) == (
        0,
        [
            "methods well, torchy", "streams flow", "metrics share",
            "factories 3 of 4 are there and agree with their specs",
            "not available torchy: needs PyTorch: pip install torch", "", "All plugins are well.",
        ],
    )  # fmt: skip


def test_what_is_broken_is_named_and_the_exit_code_is_1(doctored):
    methods = {"gone": "nowhere_at_all:Well", "none": "mixed_code:Missing", "bad": "mixed_code:breaks"}
    code, lines, _ = doctored(methods | {"text": "mixed_code:makes_text"}, metric="Well")
    assert code == 1
    assert [re.sub(r"\.py:\d+", ".py:LINE", line) for line in lines[4:]] == [
        "broken gone: 'nowhere_at_all:Well' cannot be resolved: ModuleNotFoundError: No module named "
        "'nowhere_at_all'.",
        "broken none: 'mixed_code:Missing' cannot be resolved: AttributeError: module 'mixed_code' has no attribute "
        "'Missing'.",
        "broken bad: plugin 'mixed' of distribution 'mixed' could not build 'mixed_code:breaks': ValueError: no luck "
        "(mixed_code.py:LINE).",
        "broken text: plugin 'mixed' of distribution 'mixed' registers 'mixed_code:makes_text', which makes a str and "
        "not a Clusterer.",
        "broken share: its class Well is no Metric", "", "1 plugin(s) with problems.",
    ]  # fmt: skip


def test_no_line_is_longer_than_the_terminal(doctored):
    _, _, shown = doctored({"gone": "nowhere_at_all:Well"}, columns="80")
    assert max(map(len, shown.splitlines())) <= 80


def test_an_import_of_more_than_half_a_second_is_pointed_out_and_that_of_a_file_is_not(command, plugin_file):
    path = plugin_file("timed")
    slow = Plugin(Source("slow", "sluggish", "1"), "slow", seconds=0.7, names=[])
    host = plugin_host()
    host.plugins = [*host.plugins, slow]
    called = command("doctor", "--plugin", path)
    host.plugins[-1].seconds = 0.7
    assert called.code == 0
    at = called.lines.index("plugin slow of sluggish 1: loaded in 700 ms")
    assert called.lines[at + 1].startswith("slow its import takes more than half a second")
    assert command("doctor", "--plugin", path).out.count("half a second") == 1
    assert "plugin timed of file timed.py: loaded in 700 ms" in command("doctor", "--plugin", path).lines


SUITE = """
from pathlib import Path

from lcbench import SuiteSpec, hookimpl


@hookimpl
def lcbench_register_suites(register):
    register(SuiteSpec("hollow", Path(__file__).with_name("hollow.toml"), "a suite without streams"))
"""


@pytest.mark.slow
def test_a_suite_whose_file_cannot_be_used_is_broken_and_counts_as_no_factory(install):
    install("suited", {"suited.py": SUITE, "hollow.toml": 'name = "hollow"\n'})
    ended = subprocess.run([sys.executable, "-m", "lcbench", "doctor"], capture_output=True, text=True)
    shown = " ".join(ended.stdout.split("plugin suited of suited 1.2: loaded")[1].split())
    assert ended.returncode == 1
    assert "suites hollow" in shown
    assert "broken The file 'hollow.toml' of suite 'hollow'" in shown
    assert "factories" not in shown.partition("plugin ")[0]


def test_every_extra_for_users_is_looked_for():
    project = tomllib.loads(Path(__file__).parents[3].joinpath("pyproject.toml").read_text())["project"]
    named = {
        extra: tuple(re.match(r"[\w-]+", package)[0] for package in packages)
        for extra, packages in project["optional-dependencies"].items()
        if extra not in ("docs", "dev")
    }
    assert named == doctor.EXTRAS
