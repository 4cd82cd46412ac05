from __future__ import annotations

import csv
import io
import logging
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcbench
from lcbench.data.folders.tables import Roles, not_a_number, read_csv, read_parquet
from lcbench.errors import InvalidTaskError, MissingExtraError, ParameterError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize(
    ("roles", "places"),
    [
        (Roles(), [0, 1, 2, 3]),
        (Roles("topic"), [0, 1, 3]),
        (Roles(drop=("id", "b")), [1, 2]),
        (Roles("topic", ("id",)), [1, 3]),
        (Roles("topic", ("date",)), [0, 1, 3]),  # another table of the stream may have the column
    ],
)
def test_features_are_all_columns_but_the_label_and_those_to_drop(roles, places):
    assert roles.features(["id", "a", "topic", "b"], "a.csv") == places


@pytest.mark.parametrize(
    ("columns", "roles", "error", "message"),
    [
        (["a", "topic"], Roles("topics"), ParameterError, r" has no column 'topics' for the label\. Did you mean"),
        (["topic", "id"], Roles("topic", ("id",)), InvalidTaskError, r" has no column left that is a feature\."),
        (["a", ""], Roles(), InvalidTaskError, r": column 2 has no name; if pandas wrote its index there, save with"),
        (["a", "b", "b", "b"], Roles(), InvalidTaskError, r" has 3 columns named 'b': names must differ\."),
    ],
)
def test_columns_that_cannot_be_used_are_refused_by_name(columns, roles, error, message):
    with pytest.raises(error, match=rf"^'t\.csv'{message}"):
        roles.features(columns, "t.csv")


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (" ", "column 'size' is empty: fill it in, or remove the row."),
        ("2,5", "column 'size' holds '2,5', with a comma: write 2.5, with a point."),
        ("red", "which is no number: if it is the class, say label=size, else leave the column out with drop in"),
        ("x" * 100, f"holds '{'x' * 40}', which is no number"),
    ],
)
def test_the_error_for_a_cell_that_is_no_number_says_what_to_do(value, advice):
    message = str(not_a_number("a.csv", "row 3", "size", value))
    assert message.startswith("'a.csv': row 3, column 'size' ")
    assert advice in message


def read_text(content: str | bytes, *, name: str = "a.csv", label: str | None = None, drop: tuple[str, ...] = ()):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_csv(Path(name), f"./mine/{name}", Roles(label, drop))


def test_a_csv_table_worked_by_hand():
    table = read_text("price,topic,size\n1,red,2.5\n-3e2,blue,4\n", label="topic")
    assert table.columns == ("price", "size")
    assert table.header == ("price", "topic", "size")
    np.testing.assert_array_equal(table.X, [[1, 2.5], [-300, 4]])
    assert table.y.tolist() == ["red", "blue"]


@pytest.mark.parametrize(
    ("content", "options", "columns"),
    [
        ("0,1\n5,6\n", {}, ("0", "1")),  # as pandas names columns
        ("a, or b, or c\td\n1\t2\n", {"name": "a.tsv"}, ("a, or b, or c", "d")),
        ("id,a,b\nx1,1,2\n,3,4\n", {"drop": ("id", "b")}, ("a",)),
    ],
)
def test_columns_are_features_unless_they_are_dropped(content, options, columns):
    table = read_text(content, **options)
    assert (table.columns, table.X.shape[1], table.y) == (columns, len(columns), None)


@pytest.mark.parametrize(("delimiter", "end"), [(",", "\n"), (";", "\r\n"), ("\t", "\r")])
def test_the_delimiter_is_found_and_line_ends_do_not_matter(delimiter, end):
    content = end.join(delimiter.join(row) for row in (["a", "b"], ["1", "2"], ["3", "4"]))
    np.testing.assert_array_equal(read_text(content).X, [[1, 2], [3, 4]])


def test_quotes_spaces_empty_lines_and_a_byte_order_mark_are_understood():
    content = b'\xef\xbb\xbf"a ""x"", y", b ,c\r\n\r\n"1", 2 ," red, or\nblue "\r\n\r\n'
    table = read_text(content, label="c")
    assert table.columns == ('a "x", y', "b")
    np.testing.assert_array_equal(table.X, [[1, 2]])
    assert table.y.tolist() == ["red, or\nblue"]


@given(
    st.lists(st.tuples(st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9)), min_size=1, max_size=20),
    st.sampled_from(",;\t"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_the_csv_module_writes_comes_back_exactly(tmp_path_factory, rows, delimiter, quoting):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=quoting).writerows([("a", "b"), *rows])
    path = tmp_path_factory.getbasetemp() / "hypothesis.csv"
    path.write_text(text.getvalue(), newline="")
    np.testing.assert_array_equal(read_csv(path, "a.csv", Roles()).X, np.array(rows, dtype=float))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "price,size\n1,2\n\n3,4\nabc,5\n",
            r"row 3 \(line 5\), column 'price' holds 'abc', which is no number: if it is the class, say label=price, ",
        ),
        ("a,b\n1,2020_01\n", r"row 1 \(line 2\), column 'b' holds '2020_01', which is no number"),
        ("a,b\n1,nan\n", r"row 1 \(line 2\), column 'b' holds nan: remove or impute it first\."),
        ("a,b\n1,2\n-inf,2\n", r"row 2 \(line 3\), column 'a' holds -inf: remove or impute it first\."),
        ("a,b\n1,2,3\n", r"row 1 \(line 2\) has 3 cells, but there are 2 columns\."),
        ("a,b\n1,2\n3\n", r"row 2 \(line 3\) has 1 cells, but there are 2 columns\."),
    ],
)
def test_faults_are_named_by_file_row_line_and_column(content, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.csv': {message}"):
        read_text(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"does not start with a line of column names\."),
        ("\na,b\n1,2\n", r"does not start with a line of column names\."),
        ("a,b\n", r"names its columns but has no row\."),
        ("0.5,1.5\n1,2\n", r"starts with numbers: its first line must hold the names of the columns\."),
        (b"a,b\n1,caf\xe9\n", r"is not UTF-8 text: save it as UTF-8\."),
        ("a\n" + "1" * 200_000, r"cannot be read as a table \(field larger than field limit"),
    ],
)
def test_files_that_are_no_tables_are_refused_by_name(content, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.csv' {message}"):
        read_text(content)


def test_a_line_without_a_class_is_named():
    with pytest.raises(
        InvalidTaskError, match=r"row 2 \(line 3\) has no class in column 'topic': every row needs one\."
    ):
        read_text("a,topic\n1,x\n2, \n", label="topic")


def test_a_missing_file_is_named():
    with pytest.raises(InvalidTaskError, match=r"'gone\.csv' cannot be read \(No such file or directory\)\."):
        read_csv(Path("gone.csv"), "gone.csv", Roles())


def read(columns, *, label: str | None = None, drop: tuple[str, ...] = ()):
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), "a.parquet")
    return read_parquet(Path("a.parquet"), "./mine/a.parquet", Roles(label, drop))


def test_a_parquet_table_worked_by_hand():
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
        ({"a": pa.array([], pa.int64())}, r"names its columns but has no row\."),
        ({}, r"has no columns\."),
    ],
)
def test_faults_of_parquet_are_named_by_file_row_and_column(columns, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.parquet':? {message}"):
        read(columns)


@pytest.mark.parametrize("values", [["x", None], ["x", " "], [1.0, float("nan")]])
def test_a_row_without_a_class_is_named(values):
    with pytest.raises(InvalidTaskError, match=r"'\./mine/a\.parquet': row 2 has no class in column 't'"):
        read({"a": [1, 2], "t": values}, label="t")


@pytest.mark.parametrize("content", [b"", b"no parquet at all, but long enough to look at"])
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


def tasks(**params):
    return lcbench.load_stream("./mine", **params).tasks()


def test_tables_become_tasks_with_their_classes(write):
    write({"b.csv": "x,topic,y\n1,red,2\n3,blue,4\n5,red,6\n", "a.tsv": "x\ttopic\ty\n1\tbig\t2\n2\tsmall\t3\n"})
    first, second = tasks(label="topic")
    assert (first.name, first.classes, first.task.n_clusters) == ("a", ("big", "small"), 2)
    assert (second.name, second.classes, second.y.tolist()) == ("b", ("blue", "red"), [1, 0, 1])
    np.testing.assert_array_equal(second.task.X, [[1, 2], [3, 4], [5, 6]])
    assert second.task.feature_names == ("x", "y")


def test_csv_and_parquet_may_be_mixed_and_columns_have_the_order_of_the_first_file(write):
    folder = write({"a.csv": "x,y,t\n1,2,u\n4,5,v\n"})
    pq.write_table(pa.table({"t": ["u", "v"], "y": [2, 5], "x": [1, 4]}), folder / "b.parquet")
    a, b = tasks(label="t")
    np.testing.assert_array_equal(a.task.X, b.task.X)
    assert a.task.feature_names == b.task.feature_names == ("x", "y")
    assert a.classes == b.classes


def test_tables_with_different_columns_are_refused_with_the_difference(write):
    write({"a.csv": "x,y\n1,2\n", "b.csv": "x,z\n1,2\n"})
    with pytest.raises(
        InvalidTaskError, match=r"the features of task 'b' are not those of 'a'\. 'b' lacks 'y'; 'a' lacks 'z'\."
    ):
        tasks(clusters=1)


def test_columns_to_drop_are_left_out_wherever_they_are(write):
    write({"a.csv": "id,x\nu,1\nv,2\n", "b.csv": "x,date\n1,today\n2,now\n", "stream.toml": 'drop = ["id", "date"]'})
    assert [t.task.feature_names for t in tasks(clusters=2)] == [("x",), ("x",)]


def test_a_column_to_drop_that_no_table_has_is_refused(write):
    write({"a.csv": "ident,x\n1,1\n", "stream.toml": 'drop = ["iden"]'})
    with pytest.raises(
        ParameterError,
        match=r"'\./mine/stream\.toml' drops the column 'iden', which no table has\. Did you mean 'ident'",
    ):
        tasks(clusters=1)


@pytest.mark.parametrize("column", ["Class", "y"])
def test_a_feature_with_a_name_like_label_or_class_gets_a_warning(write, caplog, column):
    write({"a.csv": f"x,{column}\n1,0\n2,1\n", "b.csv": f"x,{column}\n1,0\n2,1\n"})
    with caplog.at_level(logging.WARNING, "lcbench"):
        tasks(clusters=2)
    assert caplog.messages == [
        f"Stream './mine': column '{column}' is taken as a feature; if it holds the class, say label={column}."
    ]
    caplog.clear()
    tasks(label=column)
    assert not caplog.messages


def test_a_label_given_by_the_user_overrides_that_of_stream_toml(write):
    write({"a.csv": "x,u,v\n1,0,5\n2,0,6\n3,1,7\n", "stream.toml": 'label = "u"'})
    assert tasks()[0].task.n_clusters == 2
    assert tasks(label="v")[0].task.n_clusters == 3
    assert tasks(label="none", clusters=1)[0].task.n_features == 3


def test_without_label_and_clusters_the_error_names_both_parameters(write):
    write({"a.csv": "x\n1\n"})
    with pytest.raises(
        InvalidTaskError,
        match=r"^Stream '\./mine' has no labels, so name the column of the classes with label=, or say how many "
        r"clusters to look for: --stream \./mine:clusters=4$",
    ):
        tasks()


@pytest.mark.parametrize(
    ("column", "values", "why"),
    [
        ("id", ["7", "7", "8"] * 10, "its name is that of row numbers"),
        ("number", [str(i * i) for i in range(30)], "it is another whole number in every row"),
        ("number", [str(i * i) for i in range(10)], None),  # they may differ by chance
        ("number", [str(i % 29) for i in range(30)], None),
        ("number", [str(i + 0.5) for i in range(30)], None),
    ],
)
def test_a_feature_that_only_numbers_the_rows_gets_a_warning(write, caplog, column, values, why):
    rows = "".join(f"{i % 3},{value}\n" for i, value in enumerate(values))
    write({"a.csv": f"x,{column}\n{rows}"})
    with caplog.at_level(logging.WARNING, "lcbench"):
        tasks(clusters=2)
    assert (
        caplog.messages == []
        if why is None
        else [
            f"Stream './mine': column '{column}' is taken as a feature, though {why}; if it says nothing about the "
            f'samples, write drop = ["{column}"] in ./mine/stream.toml.'
        ]
    )
    if why is not None:
        caplog.clear()
        write({"stream.toml": f'drop = ["{column}"]'})
        tasks(clusters=2)
        assert not caplog.messages
