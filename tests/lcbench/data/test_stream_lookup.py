"""How a stream is written: by name, or as the path of a folder, with parameters and an alias."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lcbench
from lcbench.api.loading import load_stream
from lcbench.errors import ParameterError, UnknownNameError
from lcbench.registry.names import Entry, parse_entry, parse_path_entry, parse_stream_entry

KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
VALUES = st.text(st.characters(codec="utf-8", exclude_characters='"'), max_size=12)
PARAMS = st.dictionaries(KEYS, VALUES, max_size=3)
FOLDERS = st.from_regex(r"(\./|/|~/|\.\./|[a-z]+/)[A-Za-z0-9_. \-]{0,10}[A-Za-z0-9]", fullmatch=True)
NAMES = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.\-]{0,8}", fullmatch=True)


def written(path: str, params: dict[str, str]) -> str:
    """A path with its parameters, every value in double quotes."""
    return path + ("" if not params else ":" + ",".join(f'{key}="{value}"' for key, value in params.items()))


@pytest.mark.parametrize(
    "path",
    [
        ".", "..", "./news", "../news", ".hidden", "/data/news", "/", "~/news", "~", "data/news", "a/b/c", "news/",
        "C:\\news", "c:/news", "a\\b", "\\\\host\\share", "./my news", "./a=b", "./a,b", "./a:b", "/data/1:2/x",
    ],
)  # fmt: skip
def test_a_text_that_looks_like_a_path_is_one(path):
    assert parse_stream_entry(path) == Entry(path, {}, None, is_path=True)


@pytest.mark.parametrize(
    "text",
    ["digits", "digits:tasks=3", "mine=digits", "mine=digits:tasks=3", "webkb4-sim", "a.b", "x:path=a/b", "x:p=./y",
     "m=x:p=/y", 'x:p="~/y"', "x:p=c:\\y"],
)  # fmt: skip
def test_a_text_that_does_not_look_like_a_path_is_read_as_a_name(text):
    entry = parse_stream_entry(text)
    assert entry == parse_entry(text)
    assert not entry.is_path


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("./news:label=y", Entry("./news", {"label": "y"}, None, True)),
        ("/data/news:label=y,clusters=4", Entry("/data/news", {"label": "y", "clusters": "4"}, None, True)),
        ("./news: label = y ", Entry("./news", {"label": "y"}, None, True)),
        ("mine=./news:label=y", Entry("./news", {"label": "y"}, "mine", True)),
        ("mine=~/news", Entry("~/news", {}, "mine", True)),
        ("mine=a/b", Entry("a/b", {}, "mine", True)),
        ("  ./news  ", Entry("./news", {}, None, True)),
        ("C:\\news:label=y", Entry("C:\\news", {"label": "y"}, None, True)),
        ("c:/news:label=y", Entry("c:/news", {"label": "y"}, None, True)),
        ("./a:b:label=y", Entry("./a:b", {"label": "y"}, None, True)),
        ("./a:x=1:label=y", Entry("./a:x=1", {"label": "y"}, None, True)),  # the last colon with key= behind it
        ("./a=b/c:label=y", Entry("./a=b/c", {"label": "y"}, None, True)),
        ("./news:", Entry("./news:", {}, None, True)),
        ("./news:label", Entry("./news:label", {}, None, True)),
        ("./news:3=4", Entry("./news:3=4", {}, None, True)),
        ('./news:label="a,b"', Entry("./news", {"label": "a,b"}, None, True)),
        ('./news:label="a:b"', Entry("./news", {"label": "a:b"}, None, True)),
        ('./news:label="a:b=c"', Entry("./news", {"label": "a:b=c"}, None, True)),
        ('./news:label="a:b=c",clusters=4', Entry("./news", {"label": "a:b=c", "clusters": "4"}, None, True)),
        ('./news:a="x:b=1",c="y:d=2"', Entry("./news", {"a": "x:b=1", "c": "y:d=2"}, None, True)),
    ],
)
def test_parameters_and_alias_of_a_path(text, entry):
    assert parse_stream_entry(text) == entry


@pytest.mark.parametrize("text", ["./news:label=y,", "./news:label=a,b", "./news:label=y,label=z", './news:label="y'])
def test_parameters_that_cannot_be_read_are_refused_and_quoted(text):
    with pytest.raises(ParameterError) as caught:
        parse_stream_entry(text)
    assert f"'{text}'" in str(caught.value)


def test_an_import_takes_any_text_as_a_path():
    assert parse_path_entry("news") == Entry("news", {}, None, True)
    assert parse_path_entry("news:label=y") == Entry("news", {"label": "y"}, None, True)
    assert parse_path_entry("mine=news") == Entry("mine=news", {}, None, True)


@settings(max_examples=100, deadline=None)
@given(path=FOLDERS, params=PARAMS)
def test_a_path_with_quoted_parameters_is_read_back_as_it_was_written(path, params):
    assert parse_stream_entry(written(path, params)) == Entry(path, params, None, True)


@settings(max_examples=60, deadline=None)
@given(alias=NAMES, path=FOLDERS, params=PARAMS)
def test_an_alias_before_a_path_changes_nothing_else(alias, path, params):
    assert parse_stream_entry(f"{alias}={written(path, params)}") == Entry(path, params, alias, True)


@settings(max_examples=60, deadline=None)
@given(path=st.text(st.characters(exclude_characters=":", codec="utf-8"), min_size=1, max_size=12), params=PARAMS)
def test_an_import_reads_back_any_path_without_a_colon(path, params):
    path = path.strip() or "x"
    assert parse_path_entry(written(path, params)) == Entry(path, params, None, True)


def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my:news"
    made.mkdir()
    for name in ("one", "two"):
        (made / f"{name}.csv").write_text("u,v,kind of: text\n1,2,a\n3,1,b\n2,2,a\n")
    return made


def test_a_folder_is_loaded_by_its_path_with_a_quoted_column_that_holds_a_colon(tmp_path):
    made = folder(tmp_path)
    tasks = load_stream(f'{made}:label="kind of: text"').tasks()
    assert [(t.name, t.classes) for t in tasks] == [("one", ("a", "b")), ("two", ("a", "b"))]
    same = load_stream(made, label="kind of: text").tasks()
    assert [t.y.tolist() for t in same] == [t.y.tolist() for t in tasks]


def test_a_path_object_is_never_taken_apart(tmp_path):
    odd = tmp_path / "x:label=y"
    with pytest.raises(UnknownNameError, match=r"There is no folder '.*x:label=y'"):
        load_stream(odd)


def test_a_folder_cannot_pass_for_a_registered_stream(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, toml in (("digits", ""), ("other", 'name = "digits"')):
        folder = tmp_path / name
        folder.mkdir()
        np.savez(folder / "one.npz", X=np.eye(12), y=np.arange(12) % 2)
        (folder / "stream.toml").write_text(toml)
        (run,) = lcbench.run("kmeans", f"./{name}")
        assert (run.stream, run.stream_label) == ("folder-digits", "folder-digits")


def test_arrays_cannot_pass_for_a_registered_stream():
    stream = lcbench.TaskStream.from_arrays("digits", {"one": (np.eye(12), np.arange(12) % 2)})
    with pytest.raises(ParameterError, match="'digits' is the name of a registered stream: call your arrays something"):
        lcbench.run("kmeans", stream)
    assert lcbench.run("one-cluster", lcbench.load_stream("digits")).runs[0].stream == "digits"


def test_parameters_with_colons_between_them_are_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "csv").mkdir()
    with pytest.raises(ParameterError, match=r"written key=value with commas between them, as in \./csv:clusters=4"):
        lcbench.load_stream("./csv:label=topic:clusters=2")
