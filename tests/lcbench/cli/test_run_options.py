from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from lcbench.cli.run import _asked
from lcbench.cli.run_options import takes_options, typed_options
from lcbench.experiment.options import OPTIONS, Experiment
from lcbench.records import DEFAULT_FOLDER

FILE = """
methods = ["kmeans", "one-cluster"]
streams = ["digits:tasks=2"]
metrics = "no-such-metric"
repeats = 2
baselines = false
future = true
results = "kept"

[grid.kmeans]
n_init = [1, 2]
"""


@pytest.fixture
def typed():
    """The options that a command line sets, as `lcbench run` gets them."""
    found = {}

    @takes_options(**OPTIONS)
    def run(context: typer.Context, file: Path | None = None, own: bool = False, **options) -> None:
        found.update(typed_options(context))

    app = typer.Typer()
    app.command()(run)

    def call(*words: str) -> dict:
        found.clear()
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        return dict(found)

    return call


def test_only_what_was_typed_is_an_option_even_if_it_is_the_default(typed):
    assert typed() == {}
    assert typed("--own", "--seed", "0", "--baseline") == {"seed": 0, "baselines": True}


def test_without_a_file_the_command_line_has_one_job_and_the_usual_folder():
    assert _asked(None, {}) == Experiment(jobs=1, results=DEFAULT_FOLDER)
    assert _asked(None, {"jobs": 3, "results": "r"}) == Experiment(jobs=3, results="r")


def test_options_that_were_typed_come_before_those_of_the_file_and_no_others_do(typed):
    path = Path("experiments", "paper.toml")
    path.parent.mkdir()
    path.write_text(FILE)
    said = {
        "methods": ["kmeans", "one-cluster"], "streams": ["digits:tasks=2"], "metrics": "no-such-metric", "repeats": 2,
        "baselines": False, "future": True, "results": Path("experiments", "kept"), "jobs": 1,
        "grid": {"kmeans": {"n_init": [1, 2]}},
    }  # fmt: skip
    assert _asked(path, typed()) == Experiment(**said)
    for words, changed in {
        ("-m", "random"): {"methods": ["random"]},
        ("-s", "topics"): {"streams": ["topics"]},
        ("--metric", "ri"): {"metrics": ["ri"]},
        ("--repeats", "1"): {"repeats": 1},
        ("--baseline",): {"baselines": True},
        ("--grid", "kmeans.n_init=3"): {"grid": ["kmeans.n_init=3"]},
        ("--results", "mine", "--seed", "0"): {"results": "mine"},
    }.items():
        assert _asked(path, typed(*words)) == Experiment(**said | changed)


def test_a_file_and_the_same_options_are_the_same_experiment(command):
    Path("paper.toml").write_text(FILE.replace("no-such-metric", "ri"))
    words = ("-m", "kmeans", "-m", "one-cluster", "-s", "digits:tasks=2", "--metric", "ri", "--repeats", "2")
    more = ("--no-baseline", "--future", "--grid", "kmeans.n_init=1,2", "--results", "kept")
    assert [run["status"] for run in command("run", "paper.toml", "--json", "--quiet").runs] == ["ok"] * 6
    again = command("run", *words, *more, "--dry-run", "--json").runs
    assert [run["state"] for run in again] == ["done"] * 6
    labels = [json.loads(path.read_text())["label"] for path in Path("kept", "runs").iterdir()]
    assert sorted(labels) == sorted(run["method"] for run in again)


def test_the_word_that_the_folder_of_results_had_before_still_works_and_says_so(command):
    called = command("run", "-m", "one-cluster", "-s", "digits:tasks=2", "--out", "kept", "--json", "-q")
    assert (called.code, len(called.runs)) == (0, 1)
    assert called.err == (
        "lcbench: warning: --out is called --results now, as --out is a file everywhere else: the old word goes with "
        "the next release.\n"
    )
    assert command("results", "list", "--results", "kept", "--json").runs
    both = command(
        "run", "-m", "one-cluster", "-s", "digits:tasks=2", "--out", "a", "--results", "kept", "-n", "--json"
    )
    assert [run["state"] for run in both.runs] == ["done"]
