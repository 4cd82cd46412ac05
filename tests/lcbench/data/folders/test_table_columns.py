from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lcbench.data.folders.table_columns import Roles, is_number, no_class, not_a_number, not_finite
from lcbench.errors import InvalidTaskError, ParameterError


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


@given(st.floats())
def test_every_float_that_python_writes_is_a_number(value):
    assert is_number(repr(value))
    assert is_number(f" {value:e} ")


@pytest.mark.parametrize("text", ["", " ", "2020_01", "1,5", "1 2", "0x10", "red", "--1", "1e"])
def test_other_text_is_no_number(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (" ", "column 'size' is empty: fill it in, or remove the row."),
        ("2,5", "column 'size' holds '2,5', with a comma: write 2.5, with a point."),
        ("1,234,5", "which is no number"),
        ("red", "which is no number: if it is the class, say label=size, else leave the column out with drop in"),
        ("x" * 100, f"holds '{'x' * 40}', which is no number"),
    ],
)
def test_the_error_for_a_cell_that_is_no_number_says_what_to_do(value, advice):
    message = str(not_a_number("a.csv", "row 3", "size", value))
    assert message.startswith("'a.csv': row 3, column 'size' ")
    assert advice in message


def test_errors_for_nan_and_for_a_missing_class_name_the_cell():
    assert str(not_finite("a.csv", "row 3", "size", float("nan"))) == (
        "'a.csv': row 3, column 'size' holds nan: remove or impute it first."
    )
    assert str(no_class("a.csv", "row 3", "topic")) == (
        "'a.csv': row 3 has no class in column 'topic': every row needs one."
    )
