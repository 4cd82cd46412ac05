from __future__ import annotations

import pytest

from lcbench.cli.table_format import format_of
from lcbench.errors import ParameterError


@pytest.mark.parametrize(
    ("out", "asked", "expected"),
    [
        (None, None, "table"),
        (None, "latex", "latex"),
        ("t.md", None, "markdown"),
        ("t.markdown", None, "markdown"),
        ("t.tex", None, "latex"),
        ("t.csv", None, "csv"),
        ("t.txt", None, "table"),
        ("T.TEX", None, "latex"),
        ("folder.csv/t.md", None, "markdown"),
        ("t.tex", "csv", "csv"),
        ("no-ending", "markdown", "markdown"),
    ],
)
def test_the_format_is_the_one_asked_for_or_that_of_the_files_ending(out, asked, expected):
    assert format_of(out, asked) == expected


@pytest.mark.parametrize("out", ["t.doc", "t", ".md", "t.csv.gz", ""])
def test_a_file_whose_name_does_not_say_a_format_is_refused_with_the_endings_that_do(out):
    with pytest.raises(ParameterError) as refused:
        format_of(out, None)
    assert str(refused.value) == f"'{out}' does not say its format: end it in .txt, .md, .tex or .csv, or use --format."


@pytest.mark.parametrize("verb", [("compare",), ("reproduce", "webkb4")], ids=" ".join)
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--out", "t.pdf"), "'t.pdf' does not say its format"),
        (("--format", "excel", "--out", "t.md"), "--format takes one of table, markdown, latex, csv, not 'excel'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_command_refuses_a_wrong_format_before_it_looks_for_runs_or_data(refused, verb, arguments, sentence):
    assert sentence in refused(*verb, *arguments)
