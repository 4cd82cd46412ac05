"""A sheet as Markdown, LaTeX and plain text, and fitted to a width."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from lcbench.report.sheets.fitting import blocks, broken, column_widths
from lcbench.report.sheets.latex import escape, latex
from lcbench.report.sheets.layout import plain_text
from lcbench.report.sheets.markdown import markdown
from lcbench.report.sheets.sheet import Cell, Sheet

NASTY = "a_b&c%d#e$f{g}h~i^j\\k|l<m>n*o`p[q]"
SHEET = Sheet(
    "title of 50 %",
    ("task", "metric", "x", NASTY),
    (
        (Cell("t1"), Cell("nmi"), Cell("1.0 ±0.2"), Cell("-2.0 ±0.1", bold=True)),
        (Cell("*"), Cell("ri"), Cell("–", tone="dim"), Cell("[-1.0, +2.0]")),
    ),
    stub=2,
    rules=(1,),
    notes=("first & last", "--method <b>\n| x |"),
)


def wide(columns: int = 12) -> Sheet:
    rows = tuple((Cell(f"row-{r}"), *(Cell(f"{c}{r}.0 ±1.0", bold=c == r) for c in range(columns))) for r in range(3))
    return Sheet("wide", ("name", *(f"column:{c},k=1" for c in range(columns))), rows, 1, (), ("the note",))


def test_markdown_is_a_table_of_equal_rows_in_which_no_text_is_markup():
    text = markdown(SHEET)
    heading, empty, *lines = text.splitlines()
    assert (heading, empty) == ("### title of 50 %", "")
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines[:4]]
    assert {len(row) for row in cells} == {4}
    assert cells[1] == [" :--- ", " :--- ", " ---: ", " ---: "]
    assert cells[2][3] == " **-2.0 ±0.1** "
    assert re.sub(r"\\(.)", r"\1", cells[0][3].strip()) == NASTY
    assert not re.search(r"(?<!\\)[<>`_]", text)
    assert lines[4:] == ["", "- first \\& last", "- --method \\<b\\> \\| x \\|"]


def test_latex_has_booktabs_rules_equal_rows_and_balanced_braces():
    text = latex(SHEET)
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


def test_latex_escapes_every_special_character():
    escaped = escape("_&%#$ {}~^\\")
    assert escaped == r"\_\&\%\#\$ \{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"
    assert escape("task-1 --method -3 λ é") == "task-1 -{}-method $-$3 λ é"
    assert escape("a\nb\x1b") == "a b\N{REPLACEMENT CHARACTER}"


def test_without_rows_there_is_no_table_but_what_there_is_to_say():
    empty = Sheet("title", ("method",), (), notes=("because",))
    assert markdown(empty) == "### title\n\n- because\n"
    assert latex(empty) == "\\paragraph{title} because\n"
    assert plain_text(empty) == "title\nbecause"


def test_plain_text_marks_the_best_with_a_star_and_keeps_to_one_line_per_row():
    lines = plain_text(SHEET).splitlines()
    assert lines[0] == "title of 50 %"
    assert any(line.startswith("t1    nmi     1.0 ±0.2") and line.endswith("*-2.0 ±0.1") for line in lines)
    assert lines[-3:] == ["*: the best.", "first & last", "--method <b>\N{REPLACEMENT CHARACTER}| x |"]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_parts_fit_the_width_have_all_columns_once_and_repeat_the_names_of_rows(width):
    parts = blocks(wide(), width)
    assert [name for part in parts for name in part.header[1:]] == list(wide().header[1:])
    assert all(part.header[0] == "name" and part.rows[2][0].text == "row-2" for part in parts)
    assert [bool(part.notes) for part in parts] == [False] * (len(parts) - 1) + [True]
    lines = plain_text(wide(), width).splitlines()
    assert max(map(cell_len, lines)) <= width
    sizes = [len(part.header) for part in parts]
    assert max(sizes) - min(sizes) <= 2 or len(parts) == 1


def test_a_table_that_fits_is_one_and_one_too_narrow_for_a_column_still_has_it():
    assert blocks(wide(), 300) == [wide()]
    assert len(blocks(wide(3), 10)) == 3


def test_long_names_of_rows_are_broken_before_the_table_is_cut():
    label = "l2sc:affinity=full,lam=100,mu=0.001"
    sheet = Sheet("", ("method", "x"), ((Cell(label), Cell("1.0")),))
    assert column_widths(sheet, 80)[0] == len(label)
    assert column_widths(sheet, 30)[0] == 25
    assert broken(label, 25) == ["l2sc:affinity=full,lam=", "100,mu=0.001"]
    assert broken("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert broken("gain over single task", 6) == ["gain", "over", "single", "task"]


def test_wide_characters_are_counted_as_they_are_shown():
    sheet = Sheet("", ("name", "n"), ((Cell("日本語"), Cell("1")), (Cell("abc"), Cell("2"))))
    rows = plain_text(sheet).splitlines()[-2:]
    assert [cell_len(row) for row in rows] == [9, 9]
