from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer
from making import make_record, make_results
from one_file_plugins import HOOKS
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


@pytest.fixture
def path(plugin_file) -> str:
    """A file with a metric of which less is better and that is no percentage, and two runs scored by it."""
    for label, scores in (("low", [2.0, 2.0]), ("high", [3.0, 3.0])):
        make_results(make_record(label, scores, metric="constant"))
    return plugin_file("hooked", HOOKS)


def test_names_of_a_file_are_listed_and_explained(command, path):
    assert "turns single-task file hooked.py" in command("list", "methods", "--plugin", path).lines
    listed = command("list", "--plugin", path).lines
    assert any(line.startswith("hooked file hooked.py turns, noise, constant") for line in listed)
    lines = command("info", "constant", "--plugin", path).lines
    assert "better smaller" in lines
    assert "from file hooked.py" in lines


def test_tables_know_what_a_metric_of_a_file_means(command, path):
    alone = command("compare").out
    assert "high 300.0 constant is first" in alone
    assert "Not installed here" in alone
    assert "low 2.000 constant is first" in command("compare", "--plugin", path).out


@pytest.mark.parametrize("words", [("results", "list"), ("plot", "lifelong"), ("report",), ("doctor",)], ids=" ".join)
def test_other_commands_take_it_too(command, path, words):
    assert command(*words, "--plugin", path).code == 0


def test_a_stored_run_is_shown_with_the_scores_of_its_metric_as_they_are(command, path):
    run_id = command("results", "list", "--method", "low", "--all").out.split()[0]
    assert "200.0" in command("results", "show", run_id).out
    shown = command("results", "show", run_id, "--plugin", path).out
    assert "2.000" in shown
    assert "200.0" not in shown


def test_the_page_says_with_which_files_it_is_made(command, path):
    command("report", "--plugin", path)
    page = re.sub("<[^>]*>", "", Path("report.html").read_text())
    assert f"lcbench report --plugin {path}" in " ".join(page.split())


@pytest.mark.parametrize(
    "words", [("list",), ("info", "l2sc"), ("compare",), ("results", "list"), ("run",)], ids=" ".join
)
def test_a_file_that_cannot_be_used_is_refused(refused, path, words):
    assert refused(*words, "--plugin", "gone.py") == "There is no plugin file 'gone.py'.\n"
