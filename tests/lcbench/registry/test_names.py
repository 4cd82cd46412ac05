from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.contract.specs import Param
from lcbench.errors import ParameterError
from lcbench.registry.names import (
    Entry,
    format_entry,
    is_name,
    natural_key,
    parse_entry,
    parse_stream_entry,
)

NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,10}", fullmatch=True)
KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
# White space around a value is not part of it, and the grammar has no way to write a double quote.
TEXTS = st.text(max_size=12).filter(lambda text: '"' not in text and text == text.strip())
FOLDERS = st.from_regex(r"(\./|/|~/|\.\./|[a-z]+/)[A-Za-z0-9_. \-]{0,10}[A-Za-z0-9]", fullmatch=True)
QUOTED = st.dictionaries(KEYS, st.text(st.characters(codec="utf-8", exclude_characters='"'), max_size=12), max_size=3)


def written(path: str, params: dict[str, str]) -> str:
    """A path with its parameters, every value in double quotes."""
    return path + ("" if not params else ":" + ",".join(f'{key}="{value}"' for key, value in params.items()))


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
    ("parse", "text"),
    [
        *[(parse_entry, text) for text in (
            "", ":", ":a=1", "-l2sc", "a=b=c", "l2sc:", "l2sc:lam", "l2sc:lam=1,", "l2sc:,lam=1", "l2sc:2k=1", "l 2sc",
            'd:c="3,5', 'd:c="3"5', 'd:c=3"5"',
        )],
        *[(parse_stream_entry, text) for text in (
            "./news:label=y,", "./news:label=a,b", "./news:label=y,label=z", './news:label="y',
        )],
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_parsed_is_refused_and_quoted(parse, text):
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert f"'{text}'" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("digits:classes=3,5,8", r"cannot be read at '5,8'.*comma in double quotes"),
        ("l2sc:lam=1,k=2,lam=1", "sets lam twice"),
    ],
)
def test_a_comma_outside_quotes_or_a_parameter_set_twice_is_refused_with_advice(text, advice):
    with pytest.raises(ParameterError, match=advice):
        parse_entry(text)


def test_entries_are_formatted_as_one_would_type_them():
    params = {"lam": 10.0, "tol": 1e-05, "k": None, "unit_rows": True, "classes": (3, 5), "solver": "paper"}
    assert format_entry("m", params) == 'm:lam=10,tol=1e-05,k=none,unit_rows=true,classes="3,5",solver=paper'
    assert format_entry("m", {}) == "m"


@settings(deadline=None)
@given(alias=st.none() | NAMES, name=NAMES, params=st.dictionaries(KEYS, TEXTS, max_size=4))
def test_an_alias_and_text_parameters_survive_formatting_and_parsing(alias, name, params):
    text = format_entry(name, params) if alias is None else f"{alias}={format_entry(name, params)}"
    assert parse_entry(text) == Entry(name, params, alias)


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


@pytest.mark.parametrize(
    "path",
    [
        ".", "../news", ".hidden", "/data/news", "~", "news/", "C:\\news", "c:/news", "a\\b", "\\\\host\\share",
        "./my news", "./a=b", "./a,b", "./a:b", "/data/1:2/x",
    ],
)  # fmt: skip
def test_a_text_with_a_path_separator_or_a_leading_dot_is_a_path(path):
    assert parse_stream_entry(path) == Entry(path, {}, None, is_path=True)


@pytest.mark.parametrize(
    "text",
    ["digits", "digits:tasks=3", "mine=digits", "mine=digits:tasks=3", "webkb4-sim", "a.b", "x:path=a/b", "x:p=./y",
     "m=x:p=/y", 'x:p="~/y"', "x:p=c:\\y"],
)  # fmt: skip
def test_any_other_text_is_read_as_a_name(text):
    entry = parse_stream_entry(text)
    assert entry == parse_entry(text)
    assert not entry.is_path


@pytest.mark.parametrize(
    ("text", "path", "params", "alias"),
    [
        ("./news:label=y", "./news", {"label": "y"}, None),
        ("/data/news:label=y,clusters=4", "/data/news", {"label": "y", "clusters": "4"}, None),
        ("./news: label = y ", "./news", {"label": "y"}, None),
        ("mine=./news:label=y", "./news", {"label": "y"}, "mine"),
        ("mine=~/news", "~/news", {}, "mine"),
        ("  ./news  ", "./news", {}, None),
        ("C:\\news:label=y", "C:\\news", {"label": "y"}, None),
        ("./a:b:label=y", "./a:b", {"label": "y"}, None),
        ("./a:x=1:label=y", "./a:x=1", {"label": "y"}, None),  # the last colon with key= behind it
        ("./a=b/c:label=y", "./a=b/c", {"label": "y"}, None),
        ("./news:", "./news:", {}, None),
        ("./news:3=4", "./news:3=4", {}, None),
        ('./news:label="a,b"', "./news", {"label": "a,b"}, None),
        ('./news:label="a:b=c",clusters=4', "./news", {"label": "a:b=c", "clusters": "4"}, None),
        ('./news:a="x:b=1",c="y:d=2"', "./news", {"a": "x:b=1", "c": "y:d=2"}, None),
    ],
)
def test_a_path_is_read_with_its_parameters_and_alias(text, path, params, alias):
    assert parse_stream_entry(text) == Entry(path, params, alias, is_path=True)


@settings(max_examples=50, deadline=None)
@given(alias=st.none() | NAMES, path=FOLDERS, params=QUOTED)
def test_a_path_with_an_alias_and_quoted_parameters_is_read_back_as_it_was_written(alias, path, params):
    text = written(path, params) if alias is None else f"{alias}={written(path, params)}"
    assert parse_stream_entry(text) == Entry(path, params, alias, True)


def test_numbers_in_names_sort_by_their_value():
    names = ["task-10", "task-2", "Task-1", "10", "9", "b", "a", "a1b3", "a1b20", "task"]
    assert sorted(names, key=natural_key) == [
        "9", "10", "a", "a1b3", "a1b20", "b", "task", "Task-1", "task-2", "task-10",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet=string.ascii_letters + string.digits + "-²٣é", max_size=6), unique=True))
def test_natural_order_is_the_same_whatever_the_order_of_the_files(names):
    backwards = list(reversed(names))
    assert sorted(names, key=natural_key) == sorted(backwards, key=natural_key)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [("l2sc", True), ("9news", True), ("a_b.c-1", True), ("", False), ("-a", False), (".a", False), ("a b", False),
     ("a:b", False), ("a=b", False), ("a\n", False), ("ä", False)],
)  # fmt: skip
def test_a_name_starts_with_a_letter_or_digit_and_holds_no_sign_of_the_grammar(text, allowed):
    assert is_name(text) == allowed
