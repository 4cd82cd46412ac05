from __future__ import annotations

import gzip
import hashlib
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.data.sources.documents import (
    Document,
    content_digest,
    count_keys,
    read_documents,
    text_digest,
    unify_line_ends,
    write_documents,
)
from lcbench.errors import DataRefusedError

DOCUMENTS = st.lists(st.builds(Document, st.text(max_size=8), st.text(max_size=40)), max_size=6)
THREE = [Document("gnp", "growth of 2 percent"), Document("cpi", "prices rose"), Document("gnp", "")]


def test_the_digest_is_the_hash_of_sorted_lines_of_key_tab_and_hash_of_the_text():
    lines = sorted(f"{key}\t{hashlib.sha256(text.encode()).hexdigest()}\n" for key, text in THREE)
    assert content_digest(THREE) == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert text_digest("prices rose") == hashlib.sha256(b"prices rose").hexdigest()


@settings(max_examples=50, deadline=None)
@given(documents=DOCUMENTS, seed=st.integers(0, 99))
def test_the_digest_does_not_depend_on_the_order(documents, seed):
    shuffled = documents.copy()
    random.Random(seed).shuffle(shuffled)
    assert content_digest(shuffled) == content_digest(documents)


@settings(max_examples=50, deadline=None)
@given(documents=DOCUMENTS.filter(len), data=st.data())
def test_the_digest_changes_with_any_letter_and_any_key(documents, data):
    at = data.draw(st.integers(0, len(documents) - 1))
    key, text = documents[at]
    where = data.draw(st.integers(0, len(text)))
    for changed in (Document(key, text[:where] + "x" + text[where:]), Document(key + "x", text)):
        assert content_digest([*documents[:at], changed, *documents[at + 1 :]]) != content_digest(documents)


def test_the_digest_changes_when_a_document_is_missing_or_doubled():
    assert len({content_digest(some) for some in (THREE, THREE[:2], [*THREE, THREE[0]], [])}) == 4


def test_the_digest_changes_when_two_documents_swap_their_keys():
    swapped = [Document("cpi", THREE[0].text), Document("gnp", THREE[1].text), THREE[2]]
    assert content_digest(swapped) != content_digest(THREE)


@settings(max_examples=50, deadline=None)
@given(lines=st.lists(st.text(max_size=10).filter(lambda line: not {"\n", "\r"} & set(line)), max_size=5))
def test_every_kind_of_line_end_becomes_a_newline(lines):
    assert {unify_line_ends(end.join(lines)) for end in ("\n", "\r\n", "\r")} == {"\n".join(lines)}


def test_keys_are_counted():
    assert count_keys(THREE) == {"cpi": 1, "gnp": 2}


@settings(max_examples=60, deadline=None)
@given(documents=DOCUMENTS)
def test_any_documents_survive_being_written_and_read(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("documents") / "d.jsonl.gz"
    write_documents(path, documents)
    assert read_documents(path) == documents


def test_line_separators_of_unicode_do_not_split_a_document(tmp_path):
    documents = [Document("k", "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\ud800h")]
    write_documents(tmp_path / "d.gz", documents)
    assert read_documents(tmp_path / "d.gz") == documents


def test_the_same_documents_are_written_as_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_documents(tmp_path / name, THREE)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"\xff\xfe"),
        gzip.compress(b"{not json\n"),
        gzip.compress(b'["key"]\n'),
        gzip.compress(b'["key", "text", "more"]\n'),
        gzip.compress(b"7\n"),
        gzip.compress(b'["key", "text"]\n')[:-9],
        gzip.compress(b'["key", "text"]\n') + b"more",
    ],
    ids=["no gzip", "no UTF-8", "no JSON", "one field", "three fields", "a number", "cut off", "with more behind it"],
)
def test_a_damaged_file_is_refused(tmp_path, content):
    (tmp_path / "d.gz").write_bytes(content)
    with pytest.raises(DataRefusedError, match=r"d\.gz' is damaged"):
        read_documents(tmp_path / "d.gz")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(DataRefusedError):
        read_documents(tmp_path / "d.gz")


def test_a_flipped_byte_is_refused_or_changes_nothing(tmp_path):
    write_documents(tmp_path / "d.gz", THREE)
    content = (tmp_path / "d.gz").read_bytes()
    refused = 0
    for at in range(len(content)):
        for bit in (1, 128):
            (tmp_path / "d.gz").write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
            try:
                assert read_documents(tmp_path / "d.gz") == THREE
            except DataRefusedError:
                refused += 1
    assert refused > len(content)  # most of them; a few bytes in the header of gzip do not matter


def test_the_file_is_gzipped_json_lines_that_other_tools_can_read(tmp_path):
    write_documents(tmp_path / "d.gz", THREE)
    lines = gzip.decompress((tmp_path / "d.gz").read_bytes()).decode("ascii").splitlines()
    assert [json.loads(line) for line in lines] == [list(document) for document in THREE]
