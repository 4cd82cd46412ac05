from __future__ import annotations

import csv
import io
import json
import sys

import pyarrow.parquet as pq
import pytest

from lcbench.errors import MissingExtraError, OutputError
from lcbench.report import export
from lcbench.report.export import COLUMNS

STRANGE = [
    "plain", "with,comma", 'a "quoted" one', "two\nlines", "\r\n", "=1+1", "+1", "-1", "@sum", "\t=x", " spaces ", "",
    "é☃", "007", "1e5", "NA",
]  # fmt: skip


def rows(labels=STRANGE):
    blank = dict.fromkeys(COLUMNS)
    return [blank | {"label": label, "seed": i, "score": i / 3, "metric": None} for i, label in enumerate(labels)]


def written(name, content):
    file = io.BytesIO()
    count = export.WRITERS[name](iter(content), file)
    return count, file.getvalue()


def test_csv_is_read_back_by_the_csv_module_as_it_was():
    count, content = written("csv", rows())
    assert count == len(STRANGE)
    found = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [row["label"] for row in found] == STRANGE
    assert [int(row["seed"]) for row in found] == list(range(len(STRANGE)))
    assert [float(row["score"]) for row in found] == [i / 3 for i in range(len(STRANGE))]
    assert list(found[0]) == list(COLUMNS)
    assert {row["metric"] for row in found} == {""}


def test_csv_is_read_back_by_pandas_as_it_was():
    import pandas as pd

    frame = pd.read_csv(
        io.BytesIO(written("csv", rows())[1]), dtype={"label": str}, keep_default_na=False, na_values=[]
    )
    assert frame["label"].tolist() == STRANGE
    assert frame["seed"].tolist() == list(range(len(STRANGE)))


def test_every_text_in_csv_is_quoted_and_no_number_is():
    header, line = written("csv", rows(["=1+1"]))[1].decode().splitlines()
    assert header == ",".join(f'"{column}"' for column in COLUMNS)
    assert '"=1+1"' in line.split(",")
    assert "0.0" in line.split(",")


def test_csv_needs_no_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert written("csv", rows())[0] == len(STRANGE)
    assert written("json", rows())[0] == len(STRANGE)


@pytest.mark.parametrize("content", [[], rows()], ids=["none", "some"])
def test_json_is_an_array_of_rows(content):
    count, text = written("json", content)
    assert count == len(content)
    assert json.loads(text) == content


@pytest.mark.parametrize("content", [[], rows()], ids=["none", "some"])
def test_parquet_has_the_rows_and_types_that_do_not_depend_on_them(content, monkeypatch):
    monkeypatch.setattr(export, "ROWS_AT_ONCE", 5)
    count, data = written("parquet", content)
    table = pq.read_table(io.BytesIO(data))
    assert count == len(content)
    assert table.to_pylist() == content
    kinds = {"string": str, "int64": int, "double": float}
    assert {field.name: kinds[str(field.type)] for field in table.schema} == COLUMNS


def test_parquet_without_pyarrow_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"Parquet needs pyarrow: pip install 'lcbench\[frames\]'"):
        written("parquet", rows())


def test_a_number_that_parquet_cannot_hold_is_one_sentence():
    with pytest.raises(OutputError, match=r"Parquet cannot hold .* use csv or json"):
        written("parquet", [rows()[0] | {"seed": 2**70}])


@pytest.mark.parametrize("name", export.WRITERS)
def test_a_text_that_utf_8_has_no_bytes_for_is_written_out(name):
    data = written(name, rows(["a\udc80b"]))[1]
    content = repr(pq.read_table(io.BytesIO(data)).to_pylist()).encode() if name == "parquet" else data
    assert b"\\udc80" in content
