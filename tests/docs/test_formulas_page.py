"""The page about formulas: it has every figure, and what is worked there by hand is what lcbench computes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lcbench.records.formulas import FORMULAS

PAGE = (Path(__file__).parents[2] / "docs" / "formulas.md").read_text(encoding="utf-8")
R = [[0.80, 0.30, 0.25], [0.70, 0.82, 0.35], [0.74, 0.78, 0.85]]
ALONE, A = [0.70, 0.75, 0.80], [[1.0, None, None], [0.6, 1.0, None], [0.5, 0.9, 1.0]]
DEFINED, WORKED = PAGE.split("## Worked by hand")


def spelled(name: str) -> str:
    return name.replace("_", " ")


def test_every_figure_stands_there_with_its_id_and_its_formula():
    rows = re.findall(r"^\| ([a-z ]+) \| `(.+?)` \| (.+?) \| .+ \|$", DEFINED, re.MULTILINE)
    plain = [(name, id, formula.replace("Σ", "sum").replace("≤", "<=")) for name, id, formula in rows]
    assert plain == [(spelled(f.name), f.id, f.text) for f in FORMULAS]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda formula: formula.name)
def test_what_is_worked_by_hand_is_what_is_computed(formula):
    (row,) = re.findall(rf"^\| {spelled(formula.name)} \| (.+?) \| (-?\d\.\d{{3}}) \|$", WORKED, re.MULTILINE)
    worked, result = row
    assert re.fullmatch(r"[\d.+\-/(), max]+", worked)
    value = formula.compute(R, alone=ALONE, agreement=A)
    assert eval(worked) == pytest.approx(value)
    assert f"{value:.3f}" == result
