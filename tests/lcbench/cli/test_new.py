from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lcbench.cli.app import build_app
from lcbench.cli.new import Kind, package_files
from lcbench.errors import OutputError, ParameterError

invoke = CliRunner().invoke


def new(*words: str):
    result = invoke(build_app(), ["new", *words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.parametrize("kind", Kind)
def test_a_package_has_an_entry_point_a_module_that_registers_tests_and_a_workflow(kind):
    files = package_files(kind, "my-thing", "my_thing")
    project = tomllib.loads(files["pyproject.toml"])["project"]
    assert project["name"] == "my-thing"
    assert project["entry-points"]["lcbench"] == {"my-thing": "my_thing"}
    assert {"README.md", ".gitignore", ".github/workflows/test.yml", "tests/test_my_thing.py"} < set(files)
    module = ast.parse(files["my_thing/__init__.py"])
    functions = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    assert functions == [f"lcbench_register_{kind.value}s"]
    assert not any("«" in text or "PACKAGE" in path for path, text in files.items())
    for path, text in files.items():
        if path.endswith(".py"):
            compile(text, path, "exec")
            assert max(map(len, text.splitlines())) <= 120


def test_the_method_has_about_thirty_lines():
    code = ast.parse(package_files(Kind.METHOD, "mine", "mine")["mine/clusterer.py"])
    (found,) = [node for node in code.body if isinstance(node, ast.ClassDef)]
    assert found.end_lineno - found.lineno <= 38


def test_the_files_are_written_and_the_next_steps_shown():
    result = new("method", "My.Way", "--into", "deep/er")
    assert result.exit_code == 0
    assert Path("deep/er/My.Way/my_way/clusterer.py").read_text().count("class MyWay(Clusterer)") == 1
    shown = result.output.splitlines()
    assert shown[0] == "deep/er/My.Way:"
    assert shown[-5:] == [
        "Next:",
        "  pip install -e './deep/er/My.Way[test]'",
        "  lcbench check My.Way",
        "  lcbench run -m My.Way -m stsc -s digits",
        "  pytest deep/er/My.Way",
    ]


@pytest.mark.parametrize(
    ("kind", "name", "sentence"),
    [
        (
            "method",
            "l2sc",
            "The method 'l2sc' is there already, from plugin 'spectral' of distribution 'lcbench'",
        ),
        ("stream", "digits", "The stream 'digits' is there already"),
        ("metric", "nmi", "The metric 'nmi' is there already"),
        ("method", "numpy", "A module 'numpy' is installed already: choose another name."),
        ("method", "3means", "'3means' cannot be the name of a package: begin with a letter"),
        ("method", "class", "'class' cannot be the name of a package"),
        ("method", "my method", "'my method' cannot be the name of a method: a name starts with a letter or digit"),
        ("method", "../up", "cannot be the name of a method"),
        ("method", "", "cannot be the name of a method"),
    ],
)
def test_a_name_that_is_taken_or_cannot_be_one_is_refused_and_nothing_is_written(kind, name, sentence):
    with pytest.raises(ParameterError) as caught:
        new(kind, name)
    assert sentence in str(caught.value)
    assert list(Path().iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone():
    Path("mine").mkdir()
    Path("mine/kept.txt").write_text("mine")
    with pytest.raises(OutputError, match="'mine' is there already: choose another name, or another folder by --into"):
        new("method", "mine")
    assert [path.name for path in Path("mine").iterdir()] == ["kept.txt"]
    Path("file").write_text("")
    with pytest.raises(OutputError, match=r"'file/other.*' cannot be written \(Not a directory\)"):
        new("method", "other", "--into", "file")


def test_another_kind_is_refused():
    result = new("listener", "mine")
    assert result.exit_code == 2
    assert "'listener' is not one of 'method', 'stream', 'metric'" in result.output
