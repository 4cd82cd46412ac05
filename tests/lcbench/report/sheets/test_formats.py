from __future__ import annotations

import pytest

from lcbench.report.sheets.formats import FORMATS, RawRows, write

RAW = RawRows(("text", "number"), [{"text": "a", "number": 0.1, "other": 1}, {"text": "1"}])


@pytest.mark.parametrize(
    ("format", "start"),
    [("table", "title\nbecause\n\n"), ("markdown", "### title\n"), ("latex", "\\paragraph")],
)
def test_tables_are_written_one_after_the_other_with_an_empty_line_between(nasty, without_rows, format, start):
    text = write([without_rows, nasty], RAW, format)
    assert text.startswith(start)
    one, other = (write([sheet], RAW, format) for sheet in (without_rows, nasty))
    assert text == f"{one}\n{other}"
    assert text.endswith("\n")


@pytest.mark.parametrize(
    ("quoted", "text"), [(True, '"text","number"\n"a",0.1\n"1",""\n'), (False, "text,number\na,0.1\n1,\n")]
)
def test_csv_has_the_raw_numbers_and_nothing_of_the_tables(nasty, quoted, text):
    assert write([nasty], RAW._replace(quoted=quoted), "csv") == text


def test_no_two_formats_have_files_of_the_same_ending():
    endings = [ending for format in FORMATS.values() for ending in format.endings]
    assert len(set(endings)) == len(endings) >= len(FORMATS)
