from __future__ import annotations

import csv
import io
import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lcbench
from lcbench.data.folders.table_columns import Roles
from lcbench.data.folders.tables import read_csv
from lcbench.errors import InvalidTaskError, ParameterError


def tasks(**params):
    return lcbench.load_stream("./mine", **params).tasks()


def test_tables_become_tasks_with_their_classes(write):
    write({"b.csv": "x,topic,y\n1,red,2\n3,blue,4\n5,red,6\n", "a.tsv": "x\ttopic\ty\n1\tbig\t2\n2\tsmall\t3\n"})
    first, second = tasks(label="topic")
    assert (first.name, first.classes, first.task.n_clusters) == ("a", ("big", "small"), 2)
    assert (second.name, second.classes, second.y.tolist()) == ("b", ("blue", "red"), [1, 0, 1])
    np.testing.assert_array_equal(second.task.X, [[1, 2], [3, 4], [5, 6]])
    assert second.task.feature_names == ("x", "y")


def test_columns_are_put_in_the_order_of_the_first_file(write):
    write({"a.csv": "x,y,z\n1,2,3\n4,5,6\n", "b.csv": "z;x;y\n30;10;20\n60;40;50\n"})
    a, b = tasks(clusters=1)
    assert a.task.feature_names == b.task.feature_names == ("x", "y", "z")
    np.testing.assert_array_equal(b.task.X, 10 * a.task.X)


def test_csv_and_parquet_may_be_mixed(write):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = write({"a.csv": "x,y,t\n1,2,u\n4,5,v\n"})
    pq.write_table(pa.table({"t": ["u", "v"], "y": [2, 5], "x": [1, 4]}), folder / "b.parquet")
    a, b = tasks(label="t")
    np.testing.assert_array_equal(a.task.X, b.task.X)
    assert a.classes == b.classes


def test_tables_with_different_columns_are_refused_with_the_difference(write):
    write({"a.csv": "x,y\n1,2\n", "b.csv": "x,z\n1,2\n"})
    with pytest.raises(
        InvalidTaskError, match=r"the features of task 'b' are not those of 'a'\. 'b' lacks 'y'; 'a' lacks 'z'\."
    ):
        tasks(clusters=1)
    write({"b.csv": "x,y,z\n1,2,3\n"})
    with pytest.raises(InvalidTaskError, match=r"task 'b' has 3 features but 'a' has 2; .* 'a' lacks 'z'\."):
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


@pytest.mark.parametrize("column", ["label", "labels", "Class", "target", "y"])
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


def read(content: str | bytes, *, name: str = "a.csv", label: str | None = None, drop: tuple[str, ...] = ()):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_csv(Path(name), f"./mine/{name}", Roles(label, drop))


def test_a_table_worked_by_hand():
    table = read("price,topic,size\n1,red,2.5\n-3e2,blue,4\n", label="topic")
    assert table.columns == ("price", "size")
    assert table.header == ("price", "topic", "size")
    np.testing.assert_array_equal(table.X, [[1, 2.5], [-300, 4]])
    assert table.y.tolist() == ["red", "blue"]


def test_without_a_label_every_column_is_a_feature():
    assert read("a,b\n1,2\n").y is None


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_delimiter_is_found_and_line_ends_do_not_matter(delimiter, end):
    content = end.join(delimiter.join(row) for row in (["a", "b"], ["1", "2"], ["3", "4"]))
    np.testing.assert_array_equal(read(content).X, [[1, 2], [3, 4]])


def test_a_tsv_is_split_at_tabs_even_if_its_header_holds_commas():
    table = read("a, or b, or c\td\n1\t2\n", name="a.tsv")
    assert table.columns == ("a, or b, or c", "d")


def test_one_column_is_a_table():
    np.testing.assert_array_equal(read("a\n1\n2\n").X, [[1], [2]])


def test_quotes_spaces_empty_lines_and_a_byte_order_mark_are_understood():
    content = b'\xef\xbb\xbf"a ""x"", y", b ,c\r\n\r\n"1", 2 ," red, or\nblue "\r\n\r\n'
    table = read(content, label="c")
    assert table.columns == ('a "x", y', "b")
    np.testing.assert_array_equal(table.X, [[1, 2]])
    assert table.y.tolist() == ["red, or\nblue"]


def test_columns_to_leave_out_may_hold_anything():
    assert read("id,a,b\nx1,1,2\n,3,4\n", drop=("id", "b")).columns == ("a",)


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


def test_numbers_are_those_that_numpy_reads():
    X = np.random.default_rng(0).normal(size=(50, 4))
    np.savetxt("a.csv", X, delimiter=",", header="a,b,c,d", comments="")
    expected = np.loadtxt("a.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(read_csv(Path("a.csv"), "a.csv", Roles()).X, expected)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "price,size\n1,2\n\n3,4\nabc,5\n",
            r"row 3 \(line 5\), column 'price' holds 'abc', which is no number: if it is the class, say label=price, ",
        ),
        ("a,b\n1,\n", r"row 1 \(line 2\), column 'b' is empty: fill it in, or remove the row\."),
        ("a,b\n1,2020_01\n", r"row 1 \(line 2\), column 'b' holds '2020_01', which is no number"),
        ("a;b\n1;2,5\n", r"row 1 \(line 2\), column 'b' holds '2,5', with a comma: write 2\.5, with a point\."),
        ("a,b\n1,nan\n", r"row 1 \(line 2\), column 'b' holds nan: remove or impute it first\."),
        ("a,b\n1,2\n-inf,2\n", r"row 2 \(line 3\), column 'a' holds -inf: remove or impute it first\."),
        ("a,b\n1,2,3\n", r"row 1 \(line 2\) has 3 cells, but there are 2 columns\."),
        ("a,b\n1,2\n3\n", r"row 2 \(line 3\) has 1 cells, but there are 2 columns\."),
        (",a\n0,1\n", r"column 1 has no name; if pandas wrote its index there, save with index=False\."),
    ],
)
def test_faults_are_named_by_file_row_line_and_column(content, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.csv': {message}"):
        read(content)


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
        read(content)


def test_whole_numbers_may_be_column_names_as_in_pandas():
    assert read("0,1\n5,6\n").columns == ("0", "1")


def test_a_row_without_a_class_is_named():
    with pytest.raises(
        InvalidTaskError, match=r"row 2 \(line 3\) has no class in column 'topic': every row needs one\."
    ):
        read("a,topic\n1,x\n2, \n", label="topic")


def test_a_missing_file_is_named():
    with pytest.raises(InvalidTaskError, match=r"'gone\.csv' cannot be read \(No such file or directory\)\."):
        read_csv(Path("gone.csv"), "gone.csv", Roles())
