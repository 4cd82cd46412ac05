"""What a method says of itself in its docstring and in `lcbench info` is what the page of figures says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lcbench_multitask.lssmtc import LSSMTC
from lcbench_multitask.mbc import MBC
from lcbench_multitask.mtcmrl import MTCMRL
from lcbench_multitask.smbc import SMBC
from lcbench_multitask.smkc import SMKC
from lcbench_multitask.specs import LSSMTC as LSSMTC_SPEC
from lcbench_multitask.specs import MBC as MBC_SPEC
from lcbench_multitask.specs import MTCMRL as MTCMRL_SPEC
from lcbench_multitask.specs import SMBC as SMBC_SPEC
from lcbench_multitask.specs import SMKC as SMKC_SPEC
from lcbench_spectral.onestepsc import OnestepSC
from lcbench_spectral.specs import ONESTEPSC
from lcbench_spectral.specs import TSC as TSC_SPEC
from lcbench_spectral.tsc import TSC

PAGE = Path(__file__).parents[3] / "docs" / "methods" / "reproducibility.md"
METHODS = [
    (OnestepSC, ONESTEPSC),
    (TSC, TSC_SPEC),
    (MBC, MBC_SPEC),
    (SMBC, SMBC_SPEC),
    (SMKC, SMKC_SPEC),
    (MTCMRL, MTCMRL_SPEC),
    (LSSMTC, LSSMTC_SPEC),
]


def rows(heading: str) -> dict[str, list[str]]:
    """The cells of the first table after a heading, by the method in its first cell."""
    section = PAGE.read_text(encoding="utf-8").split(heading, 1)[1].split("\n## ")[0]
    found = re.findall(r"^\| `([a-z0-9-]+)` \|(.*)\|$", section, flags=re.MULTILINE)
    return {name: [cell.strip() for cell in cells.split("|")] for name, cells in found}


@pytest.mark.parametrize(("method", "spec"), METHODS, ids=lambda value: getattr(value, "name", ""))
def test_docstring_and_info_give_the_figures_of_the_page(method, spec):
    printed, ours = rows("## WebKB4")[spec.name][:2]
    for text in (spec.provenance, " ".join(method.__doc__.split())):
        assert re.search(rf"on webkb4 \(tf-idf(, ten seeds)?\) purity / nmi / ri are {re.escape(ours)}", text.lower())
        if printed == "not compared":
            assert "the L2SC paper does not compare with it" in text
        else:
            assert printed in text
            assert "not verified" in text.lower()


@pytest.mark.parametrize(("method", "spec"), METHODS, ids=lambda value: getattr(value, "name", ""))
def test_what_is_reconstructed_is_called_so_in_all_three_places(method, spec):
    told = rows("# Which methods are whose")[spec.name][0]
    docstring = " ".join(method.__doc__.split()).lower()
    reconstructed = spec.name not in ("tsc", "lssmtc")
    for text in (told if spec.name != "smbc" else "as reconstructed", spec.provenance.lower(), docstring):
        assert ("reconstructed" in text) == reconstructed
