"""The tree is as the documentation says: layers, public names, tests beside every source file, doctests that hold."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import lcbench

ROOT = Path(__file__).parents[1]
PACKAGES = (
    ROOT / "lcbench",
    *sorted(path.parent for room in ("plugins", "task_streams") for path in (ROOT / room).glob("*/__init__.py")),
)
SOURCES = sorted(path for package in PACKAGES for path in package.rglob("*.py"))


def home_of_tests(source: Path) -> Path:
    """Where the tests of a source file are: `lcbench/a/b.py` has `tests/lcbench/a/test_b.py`."""
    relative = source.relative_to(ROOT)
    name = "test_init.py" if source.name == "__init__.py" else f"test_{source.name}"
    return ROOT / "tests" / relative.parent / name


@cache
def parsed(source: Path) -> ast.Module:
    """The syntax tree of a file, which several tests walk through."""
    return ast.parse(source.read_text(encoding="utf-8"))


def has_code(source: Path) -> bool:
    """True if a file defines a function or a class; a docstring, names and imports need no test of their own."""
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in parsed(source).body)


def imports(source: Path) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports, at whatever depth."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)


def test_a_source_file_has_tests_of_its_name():
    homes = map(home_of_tests, filter(has_code, SOURCES))
    assert [home.relative_to(ROOT).as_posix() for home in homes if not home.is_file()] == [], "write them"


def test_a_test_file_has_a_source_file_of_its_name_or_is_a_scenario():
    """What runs through several rooms stands in a folder called `scenarios`."""
    known = set(map(home_of_tests, SOURCES))
    found = [
        path.relative_to(ROOT).as_posix()
        for room in ("lcbench", "plugins", "task_streams")
        for path in (ROOT / "tests" / room).rglob("test_*.py")
        if path not in known and "scenarios" not in path.parts
    ]
    assert found == []


def test_a_plugin_imports_public_names_only():
    public = {("lcbench", name) for name in lcbench.__all__}
    for source in (source for package in PACKAGES[1:] for source in package.rglob("*.py")):
        for module, name in imports(source):
            if module.partition(".")[0] == "lcbench":
                assert (module, name) in public, f"{source}: {name}"


def test_nothing_in_the_core_imports_from_a_plugin():
    imported = {module.partition(".")[0] for source in PACKAGES[0].rglob("*.py") for module, _ in imports(source)}
    assert {name for name in imported if name.startswith("lcbench")} == {"lcbench"}


def test_every_public_name_is_there():
    for name in lcbench.__all__:
        assert getattr(lcbench, name) is not None
    assert sorted(lcbench.__all__) == lcbench.__all__


def test_what_is_imported_by_its_name_in_a_text_is_known():
    """import-linter sees import statements; these are all the other ways in which one module reaches another."""
    calls, texts = set(), set()
    for source in (ROOT / "lcbench").rglob("*.py"):
        where = source.relative_to(ROOT / "lcbench").as_posix()
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
                calls.add((where, ast.unparse(node.args[0])))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts |= {
                    (where, found)
                    for found in re.findall(r"lcbench(?:\.\w+)+:\w+|from lcbench\S* import \w+", node.value)
                }
    assert calls == {
        ("__init__.py", "_MODULE_OF[name]"),
        ("registry/building.py", "module_name"),
        ("registry/plugin_files.py", "name"),
        ("report/figures/kind.py", "f'{kinds.__name__}.{file}'"),
    }
    assert texts == {
        ("data/folders/folder_spec.py", "lcbench.data.folders.stream:FolderStream"),
        ("data/recipes/recipe.py", "lcbench.data.recipes.stream:CutStream"),
        ("data/recipes/recipe.py", "lcbench.data.recipes.stream:RecipeStream"),
        ("running/launching.py", "from lcbench.running.server import main"),
        ("testing/stream_checks.py", "from lcbench.contract.stream import content_digest"),
        ("testing/stream_checks.py", "from lcbench.registry.file_modules import SourceFile"),
    }


def modules_with_examples() -> list[str]:
    """Every module of the core and of our plugins with an example in it."""
    found = [source for source in SOURCES if ">>> " in source.read_text(encoding="utf-8")]
    paths = [source.relative_to(next(p.parent for p in PACKAGES if p in source.parents)) for source in found]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_in_docstrings_give_what_they_show(module):
    done = doctest.testmod(importlib.import_module(module))
    assert done.failed == 0
    assert done.attempted > 0
