from __future__ import annotations

import re

from lcbench.report.sheets.latex import escape, latex
from lcbench.report.sheets.sheet import Cell, Sheet


def test_latex_has_booktabs_rules_equal_rows_and_balanced_braces(nasty):
    text = latex(nasty)
    lines = text.splitlines()
    assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\midrule", r"\bottomrule"]
    assert lines[lines.index(r"\toprule") - 1] == r"\begin{tabular}{@{}llrr@{}}"
    rows = [line for line in lines if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [3, 3, 3]
    assert r"\textbf{$-$2.0 $\pm$0.1} \\" in rows[1]
    assert rows[2] == r"{*} & ri & -- & {[}$-$1.0, +2.0] \\"  # neither \\* nor \\[ may come about
    bare = re.sub(r"\\[{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert [re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end")] == [
        ["table", "tabular"],
        ["tabular", "table"],
    ]


def test_the_title_is_the_caption_and_the_notes_are_below_in_small_type(nasty):
    lines = latex(nasty).splitlines()
    assert r"\caption{title of 50 \%}" in lines
    assert lines[-2].startswith(r"\par\smallskip{\footnotesize first \& last -{}-method")


def test_without_a_title_and_notes_there_is_no_caption_and_no_small_type():
    text = latex(Sheet("", ("a", "b"), ((Cell("x"), Cell("1")),), rules=(0,)))
    assert r"\caption" not in text
    assert r"\footnotesize" not in text
    assert text.count(r"\midrule") == 1  # a rule before the first row would be a second one below the header


def test_latex_escapes_every_special_character():
    escaped = escape("_&%#$ {}~^\\")
    assert escaped == r"\_\&\%\#\$ \{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
    assert escape("task-1 --method -3 λ é") == "task-1 -{}-method $-$3 λ é"
    assert escape("a\nb\x1b") == "a b\N{REPLACEMENT CHARACTER}"


def test_without_rows_there_is_a_paragraph(without_rows):
    assert latex(without_rows) == "\\paragraph{title} because\n"
