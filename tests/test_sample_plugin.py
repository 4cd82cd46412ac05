"""A stranger's package, built, installed beside lcbench in a new virtual environment, and run by the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


class Installation:
    """The command `lcbench` of a virtual environment, run outside the checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command = folder / ("Scripts" if os.name == "nt" else "bin") / "lcbench"

    def __call__(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        inherited = {key: value for key, value in os.environ.items() if not key.startswith(("LCBENCH_", "PYTHON"))}
        return subprocess.run(
            [self.command, *arguments], cwd=self.folder, env={**inherited, **variables}, capture_output=True, text=True
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Installation:
    folder = tmp_path_factory.mktemp("stranger")
    environment = folder / "venv"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    wheels = folder / "wheels"
    for project in (ROOT, ROOT / "tests" / "sample_plugin"):
        copy = folder / project.name
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__"))
        build = subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--outdir", wheels, copy], capture_output=True, text=True
        )
        if build.returncode:
            offline = "No matching distribution" in build.stdout + build.stderr or "Connection" in build.stderr
            if offline and "CI" not in os.environ:
                pytest.skip("no package index can be reached to build the wheels with")
            pytest.fail(build.stdout + build.stderr)
    install = subprocess.run(
        [python, "-m", "pip", "install", "--quiet", *map(str, wheels.glob("*.whl"))], capture_output=True, text=True
    )
    assert install.returncode == 0, install.stderr
    return Installation(environment)


def test_its_method_runs_on_its_stream_with_its_metric(installed):
    done = installed("run", "-m", "carry-kmeans:weight=0.2", "-s", "two-moons", "--metric", "v-measure", "--json")
    assert done.returncode == 0, done.stderr
    made = list(map(json.loads, done.stdout.splitlines()))
    runs = {run["method"]: run for run in made if len(run["order"]) == 3}
    assert set(runs) == {"kmeans", "carry-kmeans"}
    alone = sorted((run["method"], *run["order"]) for run in made if len(run["order"]) == 1)
    assert alone == [("carry-kmeans", f"moons-{n}") for n in (1, 2, 3)]
    run = runs["carry-kmeans"]
    assert run["params"] == {"weight": 0.2}
    assert run["order"] == ["moons-1", "moons-2", "moons-3"]
    assert run["baseline_run_id"] == runs["kmeans"]["run_id"]
    assert all(score is not None for score in run["scores"]["v-measure"][-1])
    assert run["environment"]["plugins"]["lcbench-sample:sample"] == "1.2.3"


def test_it_is_listed_and_described_like_our_own(installed):
    assert "carry-kmeans" in installed("list", "methods").stdout
    info = installed("info", "carry-kmeans").stdout
    assert "how much the old centres count" in info
    assert "lcbench-sample 1.2.3" in info


def test_its_command_is_there(installed):
    assert installed("moo").stdout == "sample plugin says moo\n"


def test_its_broken_entry_point_costs_a_warning_that_names_it(installed):
    done = installed("list", "streams")
    assert done.returncode == 0
    assert "plugin 'broken' of distribution 'lcbench-sample' could not be loaded" in done.stderr
    assert "this plugin is broken on purpose" in installed("doctor").stdout


def test_strict_makes_the_broken_entry_point_an_error(installed):
    done = installed("list", "streams", LCBENCH_STRICT_PLUGINS="1")
    assert done.returncode == 2
    assert "lcbench-sample" in done.stderr
    assert "Traceback" not in done.stderr


def test_loading_can_be_limited(installed):
    done = installed("list", "methods", LCBENCH_PLUGINS="sample")
    assert "carry-kmeans" in done.stdout
    assert "l2sc" not in done.stdout
    assert done.stderr == ""
