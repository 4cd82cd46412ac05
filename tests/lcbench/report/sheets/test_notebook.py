from __future__ import annotations

from lcbench.report.sheets.notebook import in_notebook


def test_a_notebook_shows_every_table_and_of_one_without_rows_its_words(nasty, without_rows):
    text = in_notebook([without_rows, nasty])
    assert "<p>title</p><p>because</p>" in text
    assert text.count("<table") == 1
    assert "a_b&amp;c%d" in text.replace("<wbr>", "")
