from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from lcbench.data.folders.parquet_tables import read_parquet
from lcbench.data.folders.table_columns import Roles
from lcbench.errors import InvalidTaskError, MissingExtraError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def read(columns, *, label: str | None = None, drop: tuple[str, ...] = ()):
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), "a.parquet")
    return read_parquet(Path("a.parquet"), "./mine/a.parquet", Roles(label, drop))


def test_a_table_worked_by_hand():
    table = read({"a": [1, 2], "topic": ["x", "y"], "b": [0.5, -1.0], "c": [True, False]}, label="topic")
    assert table.columns == ("a", "b", "c")
    np.testing.assert_array_equal(table.X, [[1, 0.5, 1], [2, -1, 0]])
    assert table.y.tolist() == ["x", "y"]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1, 2, 3], pa.uint8()),
        pa.array([1, 2, 3], pa.float32()),
        pa.array([Decimal("1"), Decimal("2"), Decimal("3")]),
        pa.array([1, 2, 3]).dictionary_encode(),
    ],
)
def test_integers_floats_decimals_and_categories_are_numbers(values):
    np.testing.assert_array_equal(read({"a": values}).X, [[1], [2], [3]])


@pytest.mark.parametrize("values", [["x", "y"], [1, 2], [True, False]])
def test_classes_may_be_text_numbers_or_booleans(values):
    for column in (pa.array(values), pa.array(values).dictionary_encode()):
        found = read({"a": [1.0, 2.0], "topic": column}, label="topic").y.tolist()
        assert found == [str(value).lower() for value in values]


def test_classes_that_are_no_text_are_refused():
    with pytest.raises(
        InvalidTaskError, match=r"^'\./mine/a\.parquet': column 't' holds list<.*>, which cannot be classes"
    ):
        read({"a": [1, 2], "t": [[1], [2]]}, label="t")


def test_a_table_that_would_unpack_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("lcbench.data.folders.arrays.MOST_BYTES", 1_000_000)
    with pytest.raises(
        InvalidTaskError, match=r"^'\./mine/a\.parquet' unpacks to 1,600,000 bytes, more than the 1,000,000"
    ):
        read({"a": np.zeros(200_000)})


def test_what_pandas_writes_is_read_without_its_index():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2], "t": pd.Categorical(["x", "y"])}, index=["first", "second"])
    frame.to_parquet("a.parquet")
    assert "__index_level_0__" in pq.read_schema("a.parquet").names
    table = read_parquet(Path("a.parquet"), "a", Roles("t"))
    assert (table.columns, table.y.tolist()) == (("a",), ["x", "y"])


def test_several_row_groups_are_one_table():
    pq.write_table(pa.table({"a": range(10)}), "a.parquet", row_group_size=3)
    assert read_parquet(Path("a.parquet"), "a", Roles()).X.ravel().tolist() == list(range(10))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"a": [1, 2], "t": [None, "x"]},
            "row 2, column 't' holds 'x', which is no number: if it is the class, say label=t",
        ),
        ({"a": [1, None]}, r"row 2, column 'a' is empty: fill it in, or remove the row\."),
        ({"a": pa.nulls(2)}, r"row 1, column 'a' holds 'null', which is no number"),
        ({"a": pa.array([0, 1], pa.timestamp("ns"))}, r"row 1, column 'a' holds 'timestamp\[ns\]', which is no number"),
        ({"a": [1.0, float("nan")]}, r"row 2, column 'a' holds nan: remove or impute it first\."),
        ({"a": [[1], [2]]}, r"row 1, column 'a' holds 'list<.*>', which is no number"),
        (pa.table([[1], [2]], names=["a", ""]), "column 2 has no name"),
    ],
)
def test_faults_are_named_by_file_row_and_column(columns, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.parquet': {message}"):
        read(columns)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": pa.array([], pa.int64())}, r"names its columns but has no row\."),
        ({}, r"has no columns\."),
    ],
)
def test_tables_that_are_no_task_are_refused_by_name(columns, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.parquet' {message}"):
        read(columns)


@pytest.mark.parametrize("values", [["x", None], ["x", " "], [1.0, float("nan")]])
def test_a_row_without_a_class_is_named(values):
    with pytest.raises(InvalidTaskError, match=r"'\./mine/a\.parquet': row 2 has no class in column 't'"):
        read({"a": [1, 2], "t": values}, label="t")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"no parquet at all, but long enough to look at"])
def test_a_damaged_file_is_named_in_one_sentence(content):
    Path("a.parquet").write_bytes(content)
    with pytest.raises(
        InvalidTaskError, match=r"^'\./mine/a\.parquet' cannot be read, it is damaged or no \.parquet"
    ) as e:
        read_parquet(Path("a.parquet"), "./mine/a.parquet", Roles())
    assert "\n" not in str(e.value)


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        MissingExtraError, match=r"^'\./mine/a\.parquet' needs pyarrow: pip install 'lcbench\[frames\]'\.$"
    ):
        read_parquet(Path("a.parquet"), "./mine/a.parquet", Roles())
