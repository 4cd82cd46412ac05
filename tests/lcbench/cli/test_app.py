from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from importlib.metadata import EntryPoint, version

import pytest
import typer

from lcbench.cli import app as application

COMMANDS = (
    "run", "results", "reproduce", "suite", "submit", "board", "compare", "plot", "report", "cite", "list", "info",
    "data", "new", "check", "bench", "doctor",
)  # fmt: skip

PLUGIN = """
from lcbench import hookimpl

@hookimpl
def lcbench_register_commands(app):
    @app.command("greet")
    def greet(name: str) -> None:
        "Greets somebody."
        print(f"Hello {name}")
"""
TWICE = """
import sys
from lcbench.cli import main

for words in (["greet", "you"], ["--help"]):
    sys.argv[1:] = words
    try:
        main()
    except SystemExit:
        pass
"""


@pytest.mark.parametrize("width", ["80", "120"])
def test_the_help_lists_every_command_with_a_whole_sentence(command, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    out = command("--help").out
    for name in COMMANDS:
        assert re.search(rf"^  {name} +[A-Z].*[a-z]\.$", out, re.MULTILINE), name
    assert "..." not in out.split("Commands:")[1]


def test_without_arguments_the_help_is_shown(command):
    assert command().err.strip() == command("--help").out.strip()


@pytest.mark.parametrize("name", ["run", "results", "results list"])
def test_a_command_and_a_group_explain_themselves_with_h_as_with_help(command, name):
    called = command(*name.split(), "-h")
    assert (called.code, called.err) == (0, "")
    assert re.match(rf"Usage: .*lcbench {name} ", called.out)
    assert called.out == command(*name.split(), "--help").out


def test_a_choice_that_is_missing_is_named_in_one_line(command):
    called = command("new")
    assert called.code == 2
    assert called.err.endswith("Missing argument 'method|stream|metric'. Choose from: method, stream, metric\n")


def test_the_version_is_that_of_the_installed_distribution(command):
    assert command("--version") == (0, f"lcbench {version('lcbench')}\n", "")
    assert command("--version", "run").out == f"lcbench {version('lcbench')}\n"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("frobnicate", "frobnicate"),
        ("--frobnicate", "--frobnicate"),
        ("run --frobnicate", "--frobnicate"),
        ("compare --confidence high", "--confidence"),
    ],
)
def test_a_wrong_command_option_or_number_is_a_usage_error_that_names_it(command, line, named):
    called = command(*line.split())
    assert (called.code, called.out) == (2, "")
    assert re.match(r"Usage: .*lcbench ", called.err)
    assert named in called.err


@pytest.mark.parametrize("others", [[], [EntryPoint("stray", "stray", "lcbench")]])
def test_plugins_are_loaded_to_look_for_commands_only_if_one_of_them_is_not_ours(monkeypatch, others):
    ours = [point for point in importlib.metadata.entry_points(group="lcbench") if point.dist.name == "lcbench"]
    loaded = []

    class Host:
        def register_commands(self, app: typer.Typer) -> None:
            loaded.append(app)

    monkeypatch.setattr(application, "plugin_host", Host)
    monkeypatch.setattr(application, "entry_points", lambda group: [*ours, *others])
    built = application.build_app()
    assert loaded == ([built] if others else [])


def test_an_installed_plugin_adds_a_command_that_is_in_the_help_and_runs(install):
    install("greeter", {"greeter.py": PLUGIN})
    line = [sys.executable, "-c", TWICE]
    shown = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    assert shown.startswith("Hello you\n")
    assert re.search(r"^  greet +Greets somebody\.$", shown, re.MULTILINE)
