from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lcbench.data.folders.settings import Settings, TaskSettings, TextSettings, read_settings
from lcbench.errors import ParameterError

WHOLE = """
name = "news"
what = "Two newspapers"
source = "https://example.org"
licence = "CC0"
label = "topic"
clusters = 4
drop = ["id", "date"]

[[tasks]]
file = "b.csv"
name = "second"
clusters = 3

[[tasks]]
file = "a.csv"

[text]
weighting = "counts"
max_features = "none"
idf = "task"
min_df = 1
stop_words = "none"
pattern = '[a-z]+'
encoding = "latin-1"
"""


def read(content: str | bytes) -> Settings:
    Path("stream.toml").write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_settings(Path(), "./mine")


def test_without_the_file_the_settings_are_the_defaults():
    assert read_settings(Path(), "./mine") == Settings()


def test_every_setting_is_read():
    assert read(WHOLE) == Settings(
        name="news",
        what="Two newspapers",
        source="https://example.org",
        licence="CC0",
        label="topic",
        clusters=4,
        drop=("id", "date"),
        tasks=(TaskSettings("b.csv", "second", 3), TaskSettings("a.csv")),
        text=TextSettings("counts", "none", "task", 1, "none", "[a-z]+", "latin-1"),
    )


def test_a_byte_order_mark_is_ignored():
    assert read(b"\xef\xbb\xbfclusters = 2\n").clusters == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("clusters == 4", r"is not valid TOML: .*\(at line 1, column 11\)\."),
        ("a = " + "[" * 10_000, "is not valid TOML: "),
        (b'what = "caf\xe9"', r"is not UTF-8 text: save it as UTF-8\."),
        ('lable = "topic"', r"has no setting 'lable'\. Did you mean 'label'\?"),
        ("[text]\nmin_fd = 2", r"has no setting 'text\.min_fd'\. Did you mean 'min_df'\?"),
        ('[[tasks]]\nfil = "a.csv"', r"has no setting 'tasks\.1\.fil'\. Did you mean 'file'\?"),
        ('[[tasks]]\nname = "a"', r"lacks 'tasks\.1\.file'\."),
        ("label = 3", r"cannot be used: 'label' should be a valid string, not 3\."),
        ('clusters = "4"', r"cannot be used: 'clusters' should be a valid integer, not '4'\."),
        ("clusters = true", r"cannot be used: 'clusters' should be a valid integer, not True\."),
        ("clusters = 0", r"cannot be used: clusters takes a whole number of at least 1, not 0\."),
        ('drop = "id"', r"cannot be used: 'drop' should be a valid array, not 'id'\."),
        ('[[tasks]]\nfile = "a.csv"\nclusters = 0', r"tasks\.1: clusters takes a whole number of at least 1, not 0\."),
        ('[[tasks]]\nfile = "a.csv"\nname = " "', r"tasks\.1: name is empty\."),
        ('name = "../evil"', r"name '\.\./evil' cannot be used: a name starts with a letter or digit"),
        ('label = "a"\ndrop = ["a"]', r"label and drop both name the column 'a'\."),
        ('[text]\nweighting = "tf"', r"text: weighting takes one of tfidf, counts, .*, not 'tf'\."),
        ("[text]\nmax_features = 0", r"text: max_features takes a whole number of at least 1 or none, not 0\."),
        ('[text]\nidf = "all"', r"text: idf takes one of pool, task, not 'all'\."),
        ("[text]\nmin_df = 0", r"text: min_df takes a whole number of at least 1, not 0\."),
        ('[text]\nstop_words = "german"', r"'text\.stop_words' should be 'english' or 'none', not 'german'\."),
        ("[text]\npattern = '(a'", r"text: pattern '\(a' is no regular expression: missing \)"),
        (
            "[text]\npattern = '(a)(b)'",
            r"text: pattern '\(a\)\(b\)' has 2 groups: write \(\?:\.\.\.\) for all but one\.",
        ),
        ("[text]\npattern = 'a*'", r"text: pattern 'a\*' matches where there is no text"),
        (
            '[text]\nencoding = "latin-one"',
            r"text: encoding 'latin-one' is not known: write 'utf-8' or 'latin-1', say\.",
        ),
        ('[text]\nencoding = "hex"', r"text: encoding 'hex' is not known"),
    ],
)
def test_a_bad_setting_is_refused_in_one_sentence_with_file_and_field(content, message):
    with pytest.raises(ParameterError, match=r"^'\./mine/stream\.toml' .*" + message):
        read(content)


def test_a_stream_toml_that_is_a_folder_is_refused():
    Path("stream.toml").mkdir()
    with pytest.raises(ParameterError, match=r"'\./mine/stream\.toml' cannot be read \(Is a directory\)\."):
        read_settings(Path(), "./mine")


def test_pydantic_is_imported_only_if_there_is_a_file(array_folder):
    code = (
        "import sys; from lcbench.data.folders.folder_spec import folder_spec; folder_spec('./mine');"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'pandas', 'pydantic') if m in sys.modules])"
    )

    def loaded() -> str:
        return subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=os.environ
        ).stdout.strip()

    assert loaded() == "[]"
    (array_folder / "stream.toml").write_text("clusters = 2")
    assert loaded() == "['pydantic']"
