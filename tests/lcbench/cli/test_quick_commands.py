from __future__ import annotations

import subprocess
import sys
from typing import Annotated

import pytest
import typer
from typer.core import TyperCommand
from typer.testing import CliRunner

from lcbench.cli.quick_commands import QuickCommand, QuickGroup

LINES = [
    "",
    "one",
    "one two",
    "--text x --maybe y",
    "--many a --many b one",
    "--number 3 --flag",
    "--number three",
    "--text",
    "--text= one",
    "--nothing",
]
MODULES = """
import sys
from lcbench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("pydantic" in sys.modules, file=sys.stderr)
"""


def outcome(kind: type[TyperCommand], line: str) -> tuple[int, list[tuple]]:
    """The exit code and the values that the function of a command gets."""
    got = []
    app = typer.Typer()

    @app.command(cls=kind)
    def act(
        names: Annotated[list[str] | None, typer.Argument()] = None,
        text: str = "default",
        maybe: str | None = None,
        many: Annotated[list[str] | None, typer.Option()] = None,
        number: int = 1,
        flag: bool = False,
    ) -> None:
        got.append((names, text, maybe, many, number, flag))

    return CliRunner().invoke(app, line.split()).exit_code, got


@pytest.mark.parametrize("line", LINES)
def test_a_quick_command_gets_the_values_that_a_command_of_typer_gets(line):
    assert outcome(QuickCommand, line) == outcome(TyperCommand, line)


def test_the_values_are_texts_lists_and_none():
    assert outcome(QuickCommand, "--many a --many b one --text 5") == (0, [(["one"], "5", None, ["a", "b"], 1, False)])
    assert outcome(QuickCommand, "") == (0, [(None, "default", None, None, 1, False)])


def test_help_is_shown_for_a_quick_group_and_its_commands_and_only_if_asked_for():
    app = typer.Typer(cls=QuickGroup, context_settings={"help_option_names": ["-h", "--help"]})
    app.callback()(lambda: None)
    app.command("act", cls=QuickCommand, help="Acts at once.")(lambda: print("acted"))
    for arguments in (["-h"], ["--help"], ["act", "-h"], ["act", "--help"]):
        result = CliRunner().invoke(app, arguments)
        assert (result.exit_code, "Acts at once." in result.stdout, "acted" in result.stdout) == (0, True, False)
    assert CliRunner().invoke(app, ["act"]).stdout == "acted\n"


@pytest.mark.parametrize("arguments", [("--version",), ("run", "--help")], ids=" ".join)
def test_commands_that_answer_at_once_import_no_pydantic(arguments):
    line = [sys.executable, "-c", MODULES, *arguments]
    ended = subprocess.run(line, capture_output=True, text=True, check=True)
    assert ended.stdout
    assert ended.stderr == "False\n"
