from __future__ import annotations

import re
from importlib.metadata import version

import pytest

COMMANDS = ("run", "results", "reproduce", "compare", "plot", "report", "list", "info", "data", "doctor")


def test_the_help_lists_every_command_with_a_sentence(command):
    out = command("--help").out
    for name in COMMANDS:
        assert re.search(rf"^\W*{name} +[A-Z][a-z]+\b", out, re.MULTILINE), name


def test_without_arguments_the_help_is_shown(command):
    assert command().out.strip() == command("--help").out.strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_h_and_with_help(command, name):
    called = command(name, "-h")
    assert (called.code, called.err) == (0, "")
    assert re.search(rf"Usage: lcbench {name} ", called.out)
    assert called.out == command(name, "--help").out


def test_the_version_is_that_of_the_installed_distribution(command):
    assert command("--version") == (0, f"lcbench {version('lcbench')}\n", "")
    assert command("--version", "run").out == f"lcbench {version('lcbench')}\n"


@pytest.mark.parametrize("arguments", [("frobnicate",), ("--frobnicate",), ("run", "--frobnicate")], ids=" ".join)
def test_an_unknown_command_or_option_is_a_usage_error_that_names_it(command, arguments):
    called = command(*arguments)
    assert (called.code, called.out) == (2, "")
    assert called.err.lstrip().startswith("Usage: lcbench ")
    assert arguments[-1] in called.err
