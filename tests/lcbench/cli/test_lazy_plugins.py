from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
import typer

from lcbench.cli import lazy_plugins
from lcbench.cli.lazy_plugins import add_plugin_commands, raw_data

PLUGIN = """
from lcbench import hookimpl

@hookimpl
def lcbench_register_commands(app):
    @app.command("greet")
    def greet(name: str) -> None:
        "Greets somebody."
        print(f"Hello {name}")
"""


@pytest.fixture
def installed(monkeypatch):
    """Only our own plugins are installed, and those that a test adds; tells if plugins were loaded."""
    ours = [point for point in importlib.metadata.entry_points(group="lcbench") if point.dist.name == "lcbench"]
    loaded = []

    class Host:
        def register_commands(self, app: object) -> None:
            loaded.append(app)

    monkeypatch.setattr(lazy_plugins, "plugin_host", Host)

    def install(*others: EntryPoint) -> list:
        monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [*ours, *others])
        return loaded

    return install


def test_our_own_plugins_are_not_loaded_to_look_for_commands(installed):
    loaded = installed()
    add_plugin_commands(typer.Typer())
    assert loaded == []


def test_plugins_are_loaded_if_one_of_them_is_not_ours(installed):
    loaded, app = installed(EntryPoint("stray", "stray", "lcbench")), typer.Typer()  # of no distribution
    add_plugin_commands(app)
    assert loaded == [app]


def test_an_installed_plugin_adds_a_command_that_is_in_the_help_and_runs(tmp_path, monkeypatch):
    (tmp_path / "greeter.py").write_text(PLUGIN)
    info = tmp_path / "greeter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[lcbench]\ngreeter = greeter\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for arguments, shown in ((["greet", "you"], "Hello you\n"), (["--help"], "Greets somebody.")):
        line = [sys.executable, "-m", "lcbench", *arguments]
        assert shown in subprocess.run(line, capture_output=True, text=True, check=True).stdout


def test_streams_with_raw_data_are_those_that_must_be_fetched():
    described = raw_data()
    assert described["webkb4"].url.startswith("http://www.cs.cmu.edu/")
    assert described["webkb4"].stand_in == "webkb4-sim"
    assert {"reuters", "20newsgroups"} <= set(described)
    assert not {"digits", "topics", "webkb4-sim"} & set(described)
