"""A stranger's package, built, installed beside lcbench in a new virtual environment, and run by the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from clean_environments import clean_environment

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow
KINDS = ("method", "stream", "metric")


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
    wheels = folder / "wheels"
    for project in (ROOT, ROOT / "tests" / "sample_plugin"):
        copy = folder / project.name
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__"))
        build(copy, wheels)
    return Installation(install(clean_environment(folder / "venv", "lcbench", "pytest"), wheels))


def build(project: Path, wheels: Path) -> None:
    """Builds the wheel of a project; .ci/check_packages.py shows that a build needs no more than it says."""
    words = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", wheels, project]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def install(environment: Path, wheels: Path) -> Path:
    """Installs wheels beside what they require, which must be there already."""
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    for words in (["install", "--quiet", "--no-deps", *wheels.glob("*.whl")], ["check"]):
        done = subprocess.run([python, "-m", "pip", *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return environment


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


ABOUT = """
code = "https://example.org"
paper = "none"
contact = "somebody"
tuning = "none"
outside_data = "none"
labels = "not looked at"
"""


def test_its_suite_is_run_and_its_method_submitted_checked_and_verified(installed):
    (installed.folder / "about.toml").write_text(ABOUT)
    (wheel,) = (installed.folder.parent / "wheels").glob("lcbench_sample-*.whl")
    pack = ("submit", "pack", "moons-1", "-m", "carry-kmeans", "--about", "about.toml", "--wheel", str(wheel))
    assert "11 runs of 11 of 'carry-kmeans' on suite 'moons-1' are not in" in installed(*pack).stderr
    for words, said in (
        (("suite", "run", "moons-1", "-m", "carry-kmeans", "-q"), "carry-kmeans"),
        (pack, "11 runs in submission"),
        (("submit", "check", "submission"), "Level: scored."),
        (("submit", "verify", "submission", "--sample", "4", "-q"), "4 of 11 runs drawn by nonce"),
    ):
        done = installed(*words)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    assert "Level: verified, by 4 of 11 runs." in done.stdout


def test_the_suites_of_lcbench_are_in_its_wheel(installed):
    done = installed("suite", "info", "lifelong-1")
    assert done.returncode == 0, done.stderr


def test_its_broken_entry_point_costs_a_warning_that_names_it(installed):
    done = installed("list", "streams")
    assert done.returncode == 0
    assert "plugin 'broken' of distribution 'lcbench-sample' could not be loaded" in done.stderr
    doctor = installed("doctor")
    assert doctor.returncode == 1
    assert "this plugin is broken on purpose" in " ".join(doctor.stdout.split())


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


@pytest.fixture(scope="module")
def created(installed) -> Installation:
    """A method, a stream and a metric made by `lcbench new`, built, and installed in the same environment."""
    for kind in KINDS:
        made = installed("new", kind, f"my-{kind}", "--into", "made")
        assert made.returncode == 0, made.stderr
        wheels = installed.folder / "made" / "wheels"
        package = installed.folder / "made" / f"my-{kind}"
        build(package, wheels)
    install(installed.folder, wheels)
    return installed


def test_what_lcbench_new_writes_is_listed_passes_the_checks_and_its_own_tests(created):
    for kind in KINDS:
        assert f"my-{kind}" in created("list", f"{kind}s").stdout
    checked = created("check", *(f"my-{kind}" for kind in KINDS))
    assert checked.returncode == 0, checked.stdout
    assert " failed " not in checked.stdout
    python = created.command.with_name("python")
    folders = [created.folder / "made" / f"my-{kind}" / "tests" for kind in KINDS]
    words = [python, "-m", "pytest", *folders]
    done = subprocess.run(words, cwd=created.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    for kind in KINDS:
        assert f"test_my_{kind}.py" in done.stdout


def test_what_lcbench_new_writes_runs_beside_ours(created):
    words = ["-m", "my-method", "-m", "stsc", "-s", "my-stream", "-s", "digits", "--metric", "my-metric", "--json"]
    done = created("run", *words, "--no-solo")
    assert done.returncode == 0, done.stderr
    runs = list(map(json.loads, done.stdout.splitlines()))
    assert {(run["method"], run["stream"]) for run in runs} == {
        (method, stream) for method in ("my-method", "kmeans", "stsc") for stream in ("my-stream", "digits")
    }
    assert all(0 <= score <= 1 for run in runs for score in run["scores"]["my-metric"][-1])
    assert "my-method" in created("compare").stdout


ONE_FILE = """
from lcbench import SingleTaskClusterer
from sklearn.cluster import KMeans

class Mine(SingleTaskClusterer):
    "k-means with a number of starts."

    def __init__(self, *, n_init=3, random_state=0):
        self.n_init = n_init
        self.random_state = random_state

    def predict(self, task):
        return KMeans(task.n_clusters, n_init=self.n_init, random_state=self.random_state).fit_predict(task.X)
"""


def test_one_file_is_enough_and_an_edited_one_is_run_again(installed):
    file = installed.folder / "quick.py"
    file.write_text(ONE_FILE)
    words = ["run", "--plugin", "quick.py", "-m", "quick:n_init=2", "-m", "stsc", "-s", "digits"]
    first = installed(*words, "--json")
    assert first.returncode == 0, first.stderr
    assert {json.loads(line)["method"] for line in first.stdout.splitlines()} == {"quick", "stsc"}
    assert "2 done already, 0 to do" in installed(*words, "--dry-run").stderr
    file.write_text(ONE_FILE.replace("fit_predict(task.X)", "fit_predict(task.X + 0)"))
    assert "1 done already, 1 to do" in installed(*words, "--dry-run").stderr
    assert installed("check", "--plugin", "quick.py", "quick").returncode == 0
