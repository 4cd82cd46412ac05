from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.contract.specs import Param
from lcbench.errors import ParameterError
from lcbench.registry.names import Entry, format_entry, parse_entry

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,10}", fullmatch=True)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
# White space around a value is not part of it, and the grammar has no way to write a double quote.
TEXTS = st.text(max_size=12).filter(lambda text: '"' not in text and text == text.strip())


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("l2sc", Entry("l2sc")),
        ("pooled-kmeans", Entry("pooled-kmeans")),
        ("l2sc:lam=10,k=4", Entry("l2sc", {"lam": "10", "k": "4"})),
        ("mine=l2sc:lam=10", Entry("l2sc", {"lam": "10"}, "mine")),
        ("mine=l2sc", Entry("l2sc", {}, "mine")),
        ('digits:classes="3,5,8",tasks=2', Entry("digits", {"classes": "3,5,8", "tasks": "2"})),
        ('digits:seed=1,classes="3"', Entry("digits", {"seed": "1", "classes": "3"})),
        ("  l2sc: lam = 10 , k = none ", Entry("l2sc", {"lam": "10", "k": "none"})),
        ("m:path=a:b=c", Entry("m", {"path": "a:b=c"})),
        ("m:a=", Entry("m", {"a": ""})),
    ],
)
def test_an_entry_is_read_as_its_parts(text, entry):
    assert parse_entry(text) == entry


@pytest.mark.parametrize(
    "text",
    ["", ":", ":a=1", "-l2sc", "a=b=c", "l2sc:", "l2sc:lam", "l2sc:lam=1,", "l2sc:,lam=1", "l2sc:2k=1", "l 2sc",
     'd:c="3,5', 'd:c="3"5', 'd:c=3"5"'],
)  # fmt: skip
def test_what_is_no_entry_is_refused_and_quoted(text):
    with pytest.raises(ParameterError) as caught:
        parse_entry(text)
    assert f"'{text}'" in str(caught.value)


def test_a_comma_outside_quotes_is_refused_with_the_advice_to_quote():
    with pytest.raises(ParameterError, match=r"cannot be read at '5,8'.*comma in double quotes"):
        parse_entry("digits:classes=3,5,8")


def test_a_parameter_set_twice_is_refused():
    with pytest.raises(ParameterError, match="sets lam twice"):
        parse_entry("l2sc:lam=1,k=2,lam=1")


def test_entries_are_formatted_as_one_would_type_them():
    params = {"lam": 10.0, "tol": 1e-05, "k": None, "unit_rows": True, "classes": (3, 5), "solver": "paper"}
    assert format_entry("m", params) == 'm:lam=10,tol=1e-05,k=none,unit_rows=true,classes="3,5",solver=paper'
    assert format_entry("m", {}) == "m"


@settings(deadline=None)
@given(name=NAMES, params=st.dictionaries(KEYS, TEXTS, max_size=4))
def test_text_parameters_survive_formatting_and_parsing(name, params):
    entry = parse_entry(format_entry(name, params))
    assert (entry.name, entry.params, entry.alias) == (name, params, None)


@settings(deadline=None)
@given(alias=NAMES, name=NAMES, params=st.dictionaries(KEYS, TEXTS, max_size=3))
def test_an_alias_changes_nothing_but_the_alias(alias, name, params):
    text = format_entry(name, params)
    assert parse_entry(f"{alias}={text}") == Entry(name, parse_entry(text).params, alias)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (float, st.floats(allow_nan=False, allow_infinity=False)),
        (int, st.integers(-(2**53), 2**53)),
        (bool, st.booleans()),
        (tuple, st.lists(st.integers(-999, 999), min_size=1, max_size=5).map(tuple)),
        (int, st.none()),
    ],
)
@settings(deadline=None)
@given(data=st.data())
def test_typed_values_survive_formatting_parsing_and_typing(kind, values, data):
    value = data.draw(values)
    text = parse_entry(format_entry("m", {"p": value})).params["p"]
    typed = Param("p", kind, None, optional=True).parse(text)
    assert typed == value
    assert type(typed) is type(value)
