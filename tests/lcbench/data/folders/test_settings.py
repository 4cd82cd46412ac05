from __future__ import annotations

from pathlib import Path

import pytest

from lcbench.data.folders.settings import Settings, read_settings
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


def read(content: str) -> Settings:
    Path("stream.toml").write_text(content)
    return read_settings(Path(), "./mine")


def test_without_the_file_the_settings_are_the_defaults():
    assert read_settings(Path(), "./mine") == Settings()


def test_every_setting_is_read():
    assert read(WHOLE).model_dump() == {
        "name": "news",
        "what": "Two newspapers",
        "source": "https://example.org",
        "licence": "CC0",
        "label": "topic",
        "clusters": 4,
        "drop": ["id", "date"],
        "tasks": [
            {"file": "b.csv", "name": "second", "clusters": 3},
            {"file": "a.csv", "name": None, "clusters": None},
        ],
        "text": {
            "weighting": "counts", "max_features": None, "idf": "task", "min_df": 1, "stop_words": "none",
            "pattern": "[a-z]+", "encoding": "latin-1",
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("clusters == 4", r", line 1: "),
        ('lable = "topic"', r": there is no setting 'lable'\. Did you mean 'label'\?"),
        ("[text]\nmin_fd = 2", r": there is no setting 'text\.min_fd'\. Did you mean 'min_df'\?"),
        ('[[tasks]]\nname = "a"', r": 'tasks\.1\.file' is missing\."),
        ("label = 3", r": label should be a valid string, not 3\."),
        ("clusters = 0", r": clusters must be a whole number of at least 1, not 0\."),
        ('drop = "id"', r": drop must be a list of columns, not 'id'\."),
        ('[[tasks]]\nfile = "a.csv"\nclusters = 0', r": tasks\.1\.clusters must be .*, not 0\."),
        ('[[tasks]]\nfile = "a.csv"\nname = " "', r": tasks\.1\.name must be a text, not ' '\."),
        ('name = "../evil"', r": name: '\.\./evil' cannot be used: a name starts with a letter or digit"),
        ('label = "a"\ndrop = ["a"]', r": label and drop both name the column 'a'\."),
        ('[text]\nweighting = "tf"', r": text\.weighting: weighting takes one of tfidf, counts, .*, not 'tf'\."),
        ("[text]\nmax_features = 0", r": text\.max_features: .* takes a whole number of at least 1 or none, not 0\."),
        ('[text]\nidf = "all"', r": text\.idf: idf takes one of pool, task, not 'all'\."),
        ("[text]\nmin_df = 0", r": text\.min_df must be .*, not 0\."),
        ('[text]\nstop_words = "german"', r": text\.stop_words should be 'english' or 'none', not 'german'\."),
        ("[text]\npattern = '(a'", r": text\.pattern: '\(a' is no regular expression: missing \)"),
        ("[text]\npattern = '(a)(b)'", r": text\.pattern: '\(a\)\(b\)' has 2 groups: write \(\?:\.\.\.\) for"),
        ("[text]\npattern = 'a*'", r": text\.pattern: 'a\*' matches where there is no text"),
        ('[text]\nencoding = "latin-one"', r": text\.encoding: 'latin-one' is not known: write 'utf-8' or"),
        ('[text]\nencoding = "hex"', r": text\.encoding: 'hex' is not known"),
    ],
)  # fmt: skip
def test_a_bad_setting_is_refused_in_one_sentence_with_file_and_field(content, message):
    with pytest.raises(ParameterError, match=r"^\./mine/stream\.toml" + message):
        read(content)


def test_an_encoding_that_cannot_decode_a_single_byte_is_known():
    assert read('[text]\nencoding = "utf-16"').text.encoding == "utf-16"


def test_a_stream_toml_that_is_a_folder_is_refused():
    Path("stream.toml").mkdir()
    with pytest.raises(ParameterError, match=r"^\./mine/stream\.toml: this is a folder"):
        read_settings(Path(), "./mine")
