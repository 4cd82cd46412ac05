from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcbench.data.folders.csv_tables import read_csv
from lcbench.data.folders.table_columns import Roles
from lcbench.errors import InvalidTaskError, ParameterError


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
        ("a,b,a\n1,2,3\n", r"has 2 columns named 'a': names must differ\."),
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


def test_a_misspelt_label_gets_a_suggestion():
    with pytest.raises(
        ParameterError, match=r"^'\./mine/a\.csv' has no column 'topics' for the label\. Did you mean 'topic'"
    ):
        read("a,topic\n1,x\n", label="topics")


def test_a_row_without_a_class_is_named():
    with pytest.raises(
        InvalidTaskError, match=r"row 2 \(line 3\) has no class in column 'topic': every row needs one\."
    ):
        read("a,topic\n1,x\n2, \n", label="topic")


def test_a_table_of_classes_only_has_no_feature():
    with pytest.raises(InvalidTaskError, match=r"'\./mine/a\.csv' has no column left that is a feature\."):
        read("topic\nx\n", label="topic")


def test_a_missing_file_is_named():
    with pytest.raises(InvalidTaskError, match=r"'gone\.csv' cannot be read \(No such file or directory\)\."):
        read_csv(Path("gone.csv"), "gone.csv", Roles())
