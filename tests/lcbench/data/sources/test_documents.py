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
from lcbench.data.sources.raw_store import published_documents
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


def test_the_digest_changes_when_a_document_is_there_twice_or_not_at_all():
    assert len({content_digest(some) for some in (THREE, THREE[:2], [*THREE, THREE[0]], [])}) == 4


def test_the_digest_changes_when_two_documents_swap_their_keys():
    swapped = [Document("cpi", THREE[0].text), Document("gnp", THREE[1].text), THREE[2]]
    assert content_digest(swapped) != content_digest(THREE)


@settings(max_examples=50, deadline=None)
@given(lines=st.lists(st.text(max_size=10).filter(lambda line: not {"\n", "\r"} & set(line)), max_size=5))
def test_one_text_with_three_kinds_of_line_ends_is_one_text(lines):
    assert {unify_line_ends(end.join(lines)) for end in ("\n", "\r\n", "\r")} == {"\n".join(lines)}


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_documents_are_the_same_whatever_their_line_ends_file_names_and_order(tiny, tmp_path, end):
    items = list(tiny.pages.items())
    random.Random(1).shuffle(items)
    copy = {f"{name.rsplit('/', 1)[0]}/{i}.html": page.replace(b"\n", end) for i, (name, page) in enumerate(items)}
    (tmp_path / "copy.tar").write_bytes(tiny.tar("w", copy))
    (tmp_path / "original.tar").write_bytes(tiny.tar("w"))
    found = published_documents(tmp_path / "copy.tar", tiny.raw())
    assert found == published_documents(tmp_path / "original.tar", tiny.raw())
    assert set(found) == tiny.documents


def test_documents_come_in_an_order_that_does_not_tell_their_class(tiny, tmp_path):
    (tmp_path / "a.tar").write_bytes(tiny.tar("w"))
    found = published_documents(tmp_path / "a.tar", tiny.raw())
    assert [text_digest(document.text) for document in found] == sorted(text_digest(d.text) for d in found)
    assert [document.key for document in found] != sorted(document.key for document in found)


def test_keys_are_counted():
    assert count_keys(THREE) == {"cpi": 1, "gnp": 2}


@settings(max_examples=60, deadline=None)
@given(documents=DOCUMENTS)
def test_any_documents_survive_being_written_and_read(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("documents") / "d.jsonl.gz"
    write_documents(path, documents)
    assert read_documents(path) == documents


def test_line_separators_of_unicode_do_not_tear_a_document(tmp_path):
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
)
def test_a_damaged_file_is_refused(tmp_path, content):
    (tmp_path / "d.gz").write_bytes(content)
    with pytest.raises(DataRefusedError, match=r"d\.gz' is damaged"):
        read_documents(tmp_path / "d.gz")


def test_a_file_that_is_not_there_is_refused(tmp_path):
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
    assert refused > len(content)  # most of them; the header of gzip has a few bytes that say nothing


def test_what_is_written_is_json_that_others_can_read(tmp_path):
    write_documents(tmp_path / "d.gz", THREE)
    lines = gzip.decompress((tmp_path / "d.gz").read_bytes()).decode("ascii").splitlines()
    assert [json.loads(line) for line in lines] == [list(document) for document in THREE]
