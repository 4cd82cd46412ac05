from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import lcbench

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "pydantic", "typer", "rich")


def test_importing_lcbench_and_its_specs_imports_nothing_heavy():
    code = (
        "import sys, lcbench; lcbench.MethodSpec, lcbench.Param, lcbench.hookimpl, lcbench.LcbenchError; "
        f"print(*(name for name in {HEAVY} if name in sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == []


def test_an_unknown_name_is_an_attribute_error_that_names_it():
    with pytest.raises(AttributeError, match="module 'lcbench' has no attribute 'no_such_thing'"):
        lcbench.no_such_thing  # noqa: B018


def test_names_of_rooms_that_are_not_public_cannot_be_imported_from_lcbench():
    with pytest.raises(ImportError):
        from lcbench import plugin_host  # noqa: F401


def test_public_names_are_listed_and_are_the_objects_of_their_rooms():
    from lcbench.contract.task import Task
    from lcbench.errors import LcbenchError

    assert dir(lcbench) == sorted(lcbench.__all__)
    assert lcbench.Task is Task
    assert lcbench.LcbenchError is LcbenchError


def test_type_checkers_see_the_same_names_from_the_same_rooms_as_the_interpreter():
    (block,) = (
        node
        for node in ast.parse(Path(lcbench.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    declared = {alias.name: node.module for node in block.body for alias in node.names}
    assert declared == lcbench._MODULE_OF
    assert {*declared, "__version__"} == set(lcbench.__all__)
