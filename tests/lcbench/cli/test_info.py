from __future__ import annotations

import pytest
from typer.testing import CliRunner

from lcbench.cli.app import build_app
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.registry.host import plugin_host


def info(name: str) -> str:
    result = CliRunner().invoke(build_app(), ["info", name])
    assert result.exit_code == 0
    return result.stdout


def flat(text: str) -> str:
    """The text without its line breaks and columns."""
    return " ".join(text.split())


def row(text: str, name: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [name])


@pytest.mark.parametrize("name", ["l2sc", "stsc", "usc", "kmeans", "digits", "topics"])
def test_every_parameter_is_listed(name):
    registry = plugin_host().registry
    spec = registry.methods.get(name) or registry.streams.get(name)
    text = info(name)
    for param in spec.params:
        assert row(text, param.name)


def test_a_parameter_is_shown_with_its_default_what_it_takes_and_what_it_means():
    text = info("l2sc")
    assert row(text, "lam")[1] == "1"
    assert row(text, "k")[1] == "none"
    assert "one of corrected, paper" in text
    assert "weight of the feature library" in text


def test_a_parameter_says_which_grids_it_has():
    text = flat(info("l2sc"))
    assert "weight of the feature library (lambda); grid paper (58 values)" in text
    assert text.count("grid paper") == 2  # lam and mu
    assert "grid paper" not in info("stsc")


def test_a_method_is_shown_with_its_setting_reference_and_how_sure_we_are():
    text = info("l2sc")
    assert row(text, "setting")[1] == "lifelong:"
    assert "AAAI 2020" in text
    assert "solver=paper the printed one" in flat(text)
    assert row(text, "baseline")[1] == "stsc"
    assert "old tasks re-encoded when asked" in text


def test_the_card_of_digits_says_why_its_default_was_chosen_and_where_transfer_does_not_help():
    text = flat(info("digits"))
    assert "was chosen because transfer helps there" in text
    assert "With all ten digits it does not" in text
    assert "CC BY 4.0" in text


def test_the_card_of_webkb4_sim_says_that_it_is_simulated():
    text = info("webkb4-sim")
    assert "SIMULATED" in text
    assert row(text, "cornell")[1:4] == ["226", "2,500", "4"]
    assert "course 44, faculty 34, project 20, student 128" in text


def test_the_tasks_of_a_stream_follow_its_parameters():
    text = info("digits:tasks=2,per_class=5")
    assert row(text, "task-2")[1:4] == ["20", "64", "4"]
    assert "3 5, 5 5, 8 5, 9 5" in text
    assert "task-3" not in text


def test_a_long_stream_shows_twenty_tasks_and_counts_the_rest():
    text = info("digits:tasks=25,per_class=1")
    assert "task-20" in text
    assert "task-21" not in text
    assert "and 5 tasks more" in text


def test_a_metric_is_shown_with_its_kind_and_direction():
    assert row(info("nmi"), "kind")[1] == "external:"
    assert row(info("silhouette"), "kind")[1] == "internal:"
    assert row(info("nmi"), "better")[1] == "greater"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("l2cs", UnknownNameError, "There is no method, stream or metric 'l2cs'. Did you mean 'l2sc'?"),
        ("digits:task=3", ParameterError, "Stream 'digits' has no parameter 'task'. Did you mean 'tasks'?"),
    ],
)
def test_an_unknown_name_or_parameter_gets_a_suggestion(name, error, message):
    result = CliRunner().invoke(build_app(), ["info", name])
    assert result.stdout == ""
    assert isinstance(result.exception, error)
    assert str(result.exception) == message
