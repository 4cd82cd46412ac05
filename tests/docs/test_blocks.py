"""Every command and piece of code in the documentation is run by a test, or says why not.

`sh` is commands that each work by themselves, `shell` commands that follow each other on a page, `python` code that
works by itself. A mark before a block says otherwise: `not run: REASON`, `run by: TEST`, or `file: NAME`, which is
saved under that name for the commands that follow.
"""

from __future__ import annotations

import re

import pytest
from doc_blocks import PAGES, ROOT, blocks, played

WITH_TESTS_OF_THEIR_OWN = {"figures.md", "gallery.md", "results.md", "tutorial.md"}
COMMAND = re.compile(r"(\$ )?(lcbench|python3?|pip|pytest|git|dask|helm|mkdocs|[A-Z_]+=\S+ lcbench|\.venv/\S+) ")
IN_TURN = [page for page in PAGES if any(block.language == "shell" for block in blocks(page))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_of_commands_or_code_is_run_or_says_why_not(page):
    for block in blocks(page):
        kind, _, rest = block.mark.partition(": ")
        if kind == "not run":
            assert rest.strip(), block.text
        elif kind == "run by":
            assert (ROOT / rest).is_file(), rest
        elif kind == "file":
            assert page in IN_TURN, block.text
        elif block.mark in ("run", "test") and page.name == "README.md":
            assert f"<!-- {block.mark} -->" in "".join(
                (ROOT / ".ci" / name).read_text(encoding="utf-8") for name in ("run", "check_packages.py")
            )
        elif block.language == "sh":
            assert all(line.startswith("lcbench ") for line in block.lines), block.text
        elif block.language in ("text", "toml", "json"):
            assert not any(map(COMMAND.match, block.lines)), block.text
        else:
            assert block.language in ("shell", "python"), block.text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_command_is_set_as_an_indented_block(page):
    text = re.sub(r"^( *)```.*?^\1```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    indented = re.findall(r"(?<=\n\n) {4}(.*)$", text, re.MULTILINE)
    assert not any(map(COMMAND.match, indented)), indented


@pytest.mark.slow
@pytest.mark.parametrize("page", [p for p in IN_TURN if p.name not in WITH_TESTS_OF_THEIR_OWN], ids=lambda p: p.name)
def test_the_commands_of_a_page_work_one_after_the_other(page, tmp_path):
    played(page, tmp_path)
