from __future__ import annotations

import csv
import io
import json
import sys

import pandas as pd
import pyarrow.parquet as pq
import pytest
from making import make_record

from lcbench.errors import MissingExtraError, OutputError
from lcbench.records.record import FAILED
from lcbench.report import export
from lcbench.report.export import COLUMNS, run_rows

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


def exported(**changes) -> list[dict]:
    usual = {"params": {"b": None, "a": [1, 2]}, "seed": 4, "repeat": 2, "metric_seconds": [0.1, 0.2]}
    return list(run_rows(make_record(**(usual | changes))))


def test_there_is_a_row_per_score_with_every_column():
    rows = exported(peak_bytes=99)
    assert [list(row) for row in rows] == [list(COLUMNS)] * 3
    assert [(r["tasks_learned"], r["position"], r["task"], r["score"], r["metric_seconds"]) for r in rows] == [
        (1, 1, "a", 0.5, 0.1), (2, 1, "a", 0.6, 0.2), (2, 2, "b", 0.8, 0.2),
    ]  # fmt: skip
    names = ("params", "order", "label", "tune", "seed", "repeat", "peak_bytes", "finished")
    assert [rows[0][name] for name in names] == [
        '{"a":[1,2],"b":null}', "a,b", "m", "none", 4, 2, 99, "2026-01-01T00:00:00.000+00:00",
    ]  # fmt: skip
    # an older version did not record the seconds of metrics
    assert {row["metric_seconds"] for row in exported(metric_seconds=[])} == {None}


@pytest.mark.parametrize(("params", "text"), [({"lam": 10.0}, '{"lam":10.0}'), (None, None)], ids=str)
def test_a_tuned_run_has_its_protocol_and_the_chosen_parameters(params, text):
    rows = exported(tune={"protocol": "oracle", "grid": []}, choice={"params": params, "points": []})
    assert {(row["tune"], row["chosen_params"]) for row in rows} == {("oracle", text)}


@pytest.mark.parametrize("scores", [{}, {"purity": []}, {"silhouette": [[None, None], [None, None]]}], ids=str)
def test_a_run_in_which_nothing_was_scored_has_one_row_without_a_metric(scores):
    (row,) = exported(status=FAILED, scores=scores)
    assert list(row) == list(COLUMNS)
    assert (row["status"], row["metric"], row["score"], row["task"]) == (FAILED, None, None, None)


def test_csv_is_read_back_by_the_csv_module_and_by_pandas_as_it_was():
    count, content = written("csv", rows())
    assert count == len(STRANGE)
    found = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    assert [row["label"] for row in found] == STRANGE
    assert [(int(row["seed"]), float(row["score"])) for row in found] == [(i, i / 3) for i in range(len(STRANGE))]
    assert list(found[0]) == list(COLUMNS)
    assert {row["metric"] for row in found} == {""}
    frame = pd.read_csv(io.BytesIO(content), dtype={"label": str}, keep_default_na=False, na_values=[])
    assert frame["label"].tolist() == STRANGE


def test_every_text_in_csv_is_quoted_and_no_number_is():
    header, line = written("csv", rows(["=1+1"]))[1].decode().splitlines()
    assert header == ",".join(f'"{column}"' for column in COLUMNS)
    assert {'"=1+1"', "0.0"} <= set(line.split(","))


@pytest.mark.parametrize("name", ["csv", "json"])
def test_csv_and_json_need_no_pandas(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert written(name, rows())[0] == len(STRANGE)


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


def test_parquet_says_what_to_install_and_which_numbers_it_cannot_hold(monkeypatch):
    with pytest.raises(OutputError, match=r"Parquet cannot hold .* use csv or json"):
        written("parquet", [rows()[0] | {"seed": 2**70}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"Parquet needs pyarrow: pip install 'lcbench\[frames\]'"):
        written("parquet", rows())


@pytest.mark.parametrize("name", export.WRITERS)
def test_a_character_that_utf_8_cannot_encode_is_written_as_an_escape(name):
    data = written(name, rows(["a\udc80b"]))[1]
    content = repr(pq.read_table(io.BytesIO(data)).to_pylist()).encode() if name == "parquet" else data
    assert b"\\udc80" in content
