from __future__ import annotations

import logging

import numpy as np
import pytest

import lcbench
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
