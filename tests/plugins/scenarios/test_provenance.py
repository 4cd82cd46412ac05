"""What a method says of itself in its docstring and in `lcbench info` is what the page of figures says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lcbench
from lcbench.registry.host import plugin_host

PAGE = Path(__file__).parents[3] / "docs" / "methods" / "reproducibility.md"
METHODS = ("onestepsc", "tsc", "mbc", "smbc", "smkc", "mtcmrl", "lssmtc")


def told(name: str) -> tuple[str, str]:
    """What the spec of a method says of its provenance, and the docstring of its class."""
    docstring = type(lcbench.load_method(name)).__doc__ or ""
    return plugin_host().registry.methods[name].provenance, " ".join(docstring.split())


def rows(heading: str) -> dict[str, list[str]]:
    """The cells of the first table after a heading, by the method in its first cell."""
    section = PAGE.read_text(encoding="utf-8").split(heading, 1)[1].split("\n## ")[0]
    found = re.findall(r"^\| `([a-z0-9-]+)` \|(.*)\|$", section, flags=re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in found}


@pytest.mark.parametrize("name", METHODS)
def test_docstring_and_info_give_the_figures_of_the_page(name):
    printed, ours = rows("## WebKB4")[name][:2]
    for text in told(name):
        assert re.search(rf"on webkb4 \(tf-idf(, ten seeds)?\) purity / nmi / ri are {re.escape(ours)}", text.lower())
        if printed == "–":
            assert "the L2SC paper does not compare with it" in text
        else:
            assert printed in text
            assert "not verified" in text.lower()


@pytest.mark.parametrize("name", METHODS)
def test_what_is_reconstructed_is_called_so_in_all_three_places(name):
    page = rows("# Which methods are whose")[name][0] if name != "smbc" else "as reconstructed"
    for text in (page, *told(name)):
        assert ("reconstructed" in text.lower()) == (name not in ("tsc", "lssmtc"))
