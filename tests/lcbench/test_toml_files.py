"""Every fault of a TOML file is one sentence with its place, the rule and the value; what is written can be read."""

from __future__ import annotations

import os
import tomllib
from typing import Annotated

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from lcbench.errors import ExperimentFileError, ParameterError
from lcbench.toml_files import Count, Table, Text, checked_by, read_toml, toml_text


def whole_word(value: object) -> str:
    if not isinstance(value, str) or " " in value:
        raise ParameterError("that is not one word.")
    return value.upper()


class Part(Table):
    file: Text
    clusters: Count | None = None


Values = Annotated[list[int] | Text, Field(description="a list of values or the name of a grid")]


class Whole(Table):
    name: Text | None = None
    repeats: Count = 1
    entries: Annotated[list[Text] | dict[str, Text], Field(description="a list or a table of texts")] = Field(
        default_factory=list
    )
    tasks: list[Part] = Field(default_factory=list)
    grid: dict[str, dict[str, Values]] = Field(default_factory=dict)
    word: Annotated[str, checked_by(whole_word)] = ""
    number: int = 0


@pytest.fixture
def read(tmp_path):
    def read(content: str | bytes, **how) -> Whole:
        file = tmp_path / "x.toml"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_toml(file, Whole, shown="x.toml", error=ExperimentFileError, **how)

    return read


def test_content_becomes_an_instance_of_the_model(read):
    found = read('\ufeffrepeats = 3\nword = "go"\n[grid.l2sc]\nlam = [1, 2]\nmu = "paper"\n[[tasks]]\nfile = "a"')
    assert (found.repeats, found.word, found.grid) == (3, "GO", {"l2sc": {"lam": [1, 2], "mu": "paper"}})
    assert found.tasks == [Part(file="a")]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("repeats = 0", "x.toml: repeats must be a whole number of at least 1, not 0."),
        ("repeats = true", "x.toml: repeats must be a whole number of at least 1, not true."),
        ("repeats = '3'", "x.toml: repeats must be a whole number of at least 1, not '3'."),
        ("name = ' '", "x.toml: name must be a text, not ' '."),
        ("entries = [1]", "x.toml: entries must be a list or a table of texts, not [1]."),
        ("[entries]\na = 1", 'x.toml: entries must be a list or a table of texts, not {"a": 1}.'),
        ("[grid.l2sc]\nlam = true", "x.toml: grid.l2sc.lam must be a list of values or the name of a grid, not true."),
        ("grid = 3", "x.toml: grid should be a valid dictionary, not 3."),
        ("[[tasks]]\nfile = 'a'\n[[tasks]]\nfile = 'b'\nclusters = 0",
         "x.toml: tasks.2.clusters must be a whole number of at least 1, not 0."),
        ("[[tasks]]\nclusters = 2", "x.toml: 'tasks.1.file' is missing."),
        ("repeat = 3", "x.toml: there is no setting 'repeat'. Did you mean 'repeats'?"),
        ("[[tasks]]\nfile = 'a'\nfiles = 'a'", "x.toml: there is no setting 'tasks.1.files'. Did you mean 'file'?"),
        ("word = 'two words'", "x.toml: word: that is not one word."),
        ("number = 'a'", "x.toml: number should be a valid integer, not 'a'."),
        (f"name = [{','.join('1' * 60)}]", f"x.toml: name must be a text, not [{', '.join('1' * 19)}..."),
        ("a = 1\nb =", "x.toml, line 2: Invalid value."),
        (b"name = '\xff'", "x.toml: it is not UTF-8 text; save it as UTF-8."),
        (f"a = {'[' * 2000}{']' * 2000}", "x.toml: its lists are nested too deeply."),
    ],
)  # fmt: skip
def test_a_fault_is_one_sentence(read, content, fault):
    with pytest.raises(ExperimentFileError) as error:
        read(content)
    assert str(error.value).startswith(fault.removesuffix("..."))


def test_all_faults_are_named_in_the_order_of_the_file(read):
    with pytest.raises(ExperimentFileError) as error:
        read("oops = 1\nrepeats = 0\nname = 3")
    assert [line.split(" ")[1] for line in str(error.value).splitlines()] == ["there", "repeats", "name"]


def test_a_misspelt_key_is_named_before_the_key_that_is_missing(tmp_path):
    (tmp_path / "x.toml").write_text("fil = 1\nclusters = 0")
    with pytest.raises(ParameterError) as error:
        read_toml(tmp_path / "x.toml", Part, shown="x", error=ParameterError)
    assert [line.split(" ")[1] for line in str(error.value).splitlines()] == ["there", "clusters", "'file'"]


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    for path, why in ((tmp_path / "none", "there is no such file"), (tmp_path, "this is a folder")):
        with pytest.raises(ParameterError, match=f"^{path}: {why}"):
            read_toml(path, Whole, error=ParameterError)


@pytest.mark.parametrize("link", [False, True])
def test_a_pipe_or_a_device_is_refused_and_not_waited_for(tmp_path, link):
    file = tmp_path / "x.toml"
    file.symlink_to("/dev/zero") if link else os.mkfifo(file)
    with pytest.raises(ExperimentFileError, match=r"x\.toml: it cannot be read \(it is no regular file\)\."):
        read_toml(file, Whole, error=ExperimentFileError)


def test_a_number_of_thousands_of_digits_is_a_fault_of_the_file(tmp_path):
    (tmp_path / "x.toml").write_text(f"number = {'9' * 5_000}")
    with pytest.raises(ExperimentFileError, match="it is not TOML: Exceeds the limit"):
        read_toml(tmp_path / "x.toml", Whole, error=ExperimentFileError)


characters = st.integers(0, 0x10FFFF - 0x800).map(lambda n: chr(n if n < 0xD800 else n + 0x800))  # but no surrogates
texts = st.lists(st.one_of(characters, st.sampled_from("\"\\'\n\r\t\x00\x1f\x7f")), max_size=8).map("".join)
numbers = st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False))
plain = st.one_of(texts, numbers, st.lists(st.one_of(texts, numbers), max_size=3))
keys = st.text("abcdefgh_", min_size=1, max_size=6)
tables = st.dictionaries(keys, plain, max_size=4)


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(keys, st.one_of(plain, tables, st.lists(tables, min_size=1, max_size=3)), max_size=5))
def test_what_is_written_is_what_tomllib_reads(content):
    assert tomllib.loads(toml_text(content)) == content
