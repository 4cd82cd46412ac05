from __future__ import annotations

import re
from pathlib import Path

import pytest
from making import make_record, make_results
from one_file_plugins import HOOKS


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
