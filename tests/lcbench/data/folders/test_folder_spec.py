from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcbench.data.folders.folder_spec import name_from
from lcbench.errors import suggestion
from lcbench.registry.names import is_name, natural_key


def test_numbers_in_names_sort_by_their_value():
    names = ["task-10", "task-2", "Task-1", "10", "9", "b", "a", "a1b3", "a1b20", "task"]
    assert sorted(names, key=natural_key) == [
        "9", "10", "a", "a1b3", "a1b20", "b", "task", "Task-1", "task-2", "task-10",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet=string.ascii_letters + string.digits + "-²٣é", max_size=6), unique=True))
def test_natural_order_is_the_same_whatever_the_order_of_the_files(names):
    backwards = list(reversed(names))
    assert sorted(names, key=natural_key) == sorted(backwards, key=natural_key)


@given(st.text(max_size=20))
def test_every_folder_has_a_name_that_a_stream_may_have(basename):
    assert is_name(name_from(basename))


@pytest.mark.parametrize(
    ("basename", "name"),
    [
        ("my-stream", "my-stream"),
        ("my data (2)", "my-data-2"),
        (".hidden", "hidden"),
        ("数据", "folder"),
        ("", "folder"),
    ],
)
def test_what_cannot_stand_in_a_name_is_replaced(basename, name):
    assert name_from(basename) == name


def test_a_name_that_is_one_already_stays():
    assert all(name_from(name) == name for name in ("a", "A_b.c-1", "9news"))


def test_a_long_list_without_anything_near_is_not_shown():
    many = [f"column{i}" for i in range(100)]
    assert suggestion("xyz", many) == ""
    assert suggestion("colum7", many) == " Did you mean 'column7'?"
    assert suggestion("xyz", ["a", "b"]) == " There is a, b."
