from __future__ import annotations

import re
from dataclasses import replace

import pytest
from latex_documents import compile_latex, needs_pdflatex

from lcbench.errors import ParameterError
from lcbench.report.sheets.latex import MOST_LINES, Typesetting, _ruler, in_latex, latex, latex_document
from lcbench.report.sheets.sheet import Cell, Sheet, text_sheet

UNTITLED = Sheet("", ("a", "b"), ((Cell("x"), Cell("", bold=True)),), rules=(0,))


def wide(columns: int, rows: int = 3, label: str = "method") -> Sheet:
    """A table of so many numbers beside a name, all of them bold."""
    cells = tuple((Cell(f"{label} {r}"), *[Cell("88.8 ±88.8", bold=True)] * columns) for r in range(rows))
    return Sheet("t", ("method", *(f"task-{c}" for c in range(columns))), cells)


def test_latex_has_booktabs_rules_equal_rows_and_balanced_braces(nasty):
    text = latex(nasty, Typesetting(width="page"))
    lines = text.splitlines()
    assert [line for line in lines if line.endswith("rule")] == [r"\toprule", r"\midrule", r"\midrule", r"\bottomrule"]
    assert lines[lines.index(r"\toprule") - 1] == r"\begin{tabular}{@{}llrr@{}}"
    rows = [line for line in lines if line.endswith(r" \\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [3, 3, 3]
    assert r"\textbf{$-$2.0 $\pm$0.1} \\" in rows[1]
    assert rows[2] == r"{*} & ri & -- & {[}$-$1.0, +2.0] \\"  # neither \\* nor \\[ may come about
    bare = re.sub(r"\\[\\{}]", "", text)
    assert bare.count("{") == bare.count("}")
    assert r"\caption{title of 50 \%. Bold: the best.}" in lines
    assert any("first \\& last -{}-method" in line for line in lines)


def test_without_a_title_and_notes_there_is_only_the_table_and_an_empty_cell_is_not_marked():
    text = latex(UNTITLED)
    assert not re.search("caption|scriptsize|textbf", text)
    assert text.count(r"\midrule") == 1  # a rule before the first row would be a second one below the header


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("_&%#$ {}~^\\", r"\_\&\%\#\$ \{\}\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("task-1 --method -3 é", "task-1 -{}-method $-$3 é"),
        ("L²SC …", r"L\textsuperscript{2}SC \dots{}"),
        ("a\nb\x1b", "a b\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_escaped_text_is_one_line_without_control_characters_and_markup(text, safe):
    assert in_latex(text) == safe


def test_a_table_that_is_too_wide_is_cut_between_columns_and_no_number_is_lost():
    sheet = wide(9)
    text = latex(sheet)
    heads = [line for line in text.splitlines() if line.startswith("method &")]
    assert len(heads) == text.count(r"\begin{tabular}") > 1
    assert [name for head in heads for name in re.findall(r"task-\d", head)] == list(sheet.header[1:])
    assert text.count(r"\textbf{88.8 $\pm$88.8}") == 27
    assert latex(sheet, Typesetting(width="page")).count(r"\begin{tabular}") < len(heads)


def test_a_table_that_is_too_high_goes_on_under_the_same_number_with_one_label():
    text = latex(wide(2, rows=2 * MOST_LINES), Typesetting(label="tab:x"))
    floats = text.count(r"\begin{table}")
    assert floats > 2
    assert (text.count(r"\addtocounter{table}{-1}"), text.count(r"\label{tab:x}")) == (floats - 1, 1)
    assert re.findall(r"method \d+", text) == [f"method {r}" for r in range(2 * MOST_LINES)]


def test_a_table_is_cut_at_a_rule_if_there_is_one():
    rows = 2 * MOST_LINES
    text = latex(replace(wide(1, rows), rules=(10, 30)))
    assert len(re.findall(r"method \d", text.split(r"\begin{table}")[1])) == 30


def test_rows_without_a_number_in_a_part_are_left_out_of_it_and_their_name_goes_on():
    rows = [("ours", "a", "1.00 in words", "", ""), ("", "average", "3.00 in words", "0.031", "0.062")]
    sheet = text_sheet("t", ("method", "task", "gain of a task", "p " + "x" * 30, "Holm " + "x" * 30), rows, 2)
    first, second = latex(sheet, Typesetting(width="45")).split(r"\begin{tabular}{@{}llr")[1:3]
    assert (first.count("in words"), "average" in first) == (2, True)
    assert re.search(r"^ours & average & .*0\.031", second, re.M)
    assert " a &" not in second


def test_several_tables_have_labels_with_numbers_and_no_caption_in_common():
    sheets = [wide(1), wide(2), Sheet("no rows", ("a",), ())]
    assert re.findall(r"\\label{(.*)}", latex_document(sheets, Typesetting(label="tab:x"))) == ["tab:x-1", "tab:x-2"]
    with pytest.raises(ParameterError, match="These are 2 tables, and --caption is for one"):
        latex_document(sheets, Typesetting(caption="mine"))
    assert r"\caption{My $x^2$}" in latex_document(sheets[:1], Typesetting(caption="My $x^2$"))


def test_long_notes_follow_after_the_table_and_short_ones_stand_in_it():
    """In a float as well: between two of them they would run into the text of the paper."""
    short, long = (latex(replace(wide(1), notes=(note,))) for note in ("few words", "many words " * 200))
    assert short.index("few words") < short.index(r"\end{table}")
    assert long.index("many words") > long.index(r"\end{table}")
    assert not re.sub(r"\\begin{(table)}.*?\\end{\1}", "", long, flags=re.DOTALL).strip()


@pytest.mark.parametrize(("caption", "said"), [("100% mine", "begins a comment"), ("{a", "braces"), ("a}{", "braces")])
def test_a_caption_that_cannot_be_typeset_is_refused_and_escaped_signs_are_not(caption, said):
    with pytest.raises(ParameterError, match=said):
        latex_document([wide(1)], Typesetting(caption=caption))
    assert latex_document([wide(1)], Typesetting(caption=r"100\% \{mine\} \emph{a}"))


@needs_pdflatex
def test_letters_are_not_wider_than_they_are_taken_to_be(tmp_path):
    """Tables whose columns just fill the width, of narrow, wide, bold and special letters, in two sizes."""
    texts = ["iiiiilll", "MMMWWW", "mmmmwwww", "jjjfff", "HINGY", "²³…→", "-8.8 -8.8",
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789",
             "88.8 ±88.8", "[-1.0, +2.0]", "a_b&c%d#e", "L²SC –<>=+?*/()", "n_neighbors=27"]  # fmt: skip
    body = []
    for width in ("column", "page"):
        for text in texts:
            for bold in (False, True):
                row = (Cell("x"), *[Cell(text, bold=bold)] * 12)
                body.append(latex(Sheet("t", ("", *map(str, range(12))), (row,)), Typesetting(width)))
    pdf, complaints = compile_latex("\\clearpage\n".join(body), tmp_path)
    assert complaints == []
    assert pdf.exists()


@needs_pdflatex
def test_letters_are_not_taken_to_be_much_wider_than_they_are(tmp_path):
    """By no more than 4 %, and a point of rounding, in the texts that tables are made of."""
    texts = ["88.8 ±8.8", "100.0 ±12.3", "-0.7", "L²SC", "single-task", "webpages of Cornell", "k-means (n_init=20)"]
    probes = [
        (
            text,
            bold,
            rf"{{\footnotesize\settowidth\probe{{\{series}{{{in_latex(text)}}}}}\typeout{{WIDTH \the\probe}}}}",
        )
        for text in texts
        for bold, series in ((False, "textmd"), (True, "textbf"))
    ]
    compile_latex("\\newlength\\probe\n" + "\n".join(probe for *_, probe in probes), tmp_path)
    log = (tmp_path / "document.log").read_text(encoding="utf-8", errors="replace")
    widths = [float(width) for width in re.findall(r"^WIDTH (.*)pt$", log, re.M)]
    for (text, bold, _), width in zip(probes, widths, strict=True):
        assert width <= _ruler(8).length(text, bold) <= 1.04 * width + 1, (text, bold)


def test_four_methods_with_their_spread_stand_side_by_side_in_a_column():
    cells = tuple((Cell(f"task-{r}"), *[Cell("88.8 ±8.8", bold=True)] * 4) for r in range(3))
    assert latex(Sheet("t", ("task", "stSC", "L²SC", "CPSC", "k-means"), cells)).count(r"\begin{tabular}") == 1
