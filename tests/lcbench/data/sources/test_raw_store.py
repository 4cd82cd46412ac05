from __future__ import annotations

import gzip
import json
import random
from dataclasses import replace

import pytest

from lcbench.data.sources.documents import Document, text_digest
from lcbench.data.sources.raw_store import RawStore, check_content, published_documents
from lcbench.errors import DataRefusedError, OutputError


@pytest.fixture
def documents(tiny, tmp_path) -> list[Document]:
    (tmp_path / "tiny.tar").write_bytes(tiny.tar("w"))
    return published_documents(tmp_path / "tiny.tar", tiny.raw())


@pytest.fixture
def store(tiny, documents, tmp_path) -> RawStore:
    """A store that holds `tiny`."""
    made = RawStore(tmp_path / "here")
    made.keep("tiny", tiny.raw(), documents, origin="a stick", stamp=["file", 3])
    return made


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


def test_the_order_of_documents_does_not_show_their_class(documents):
    assert [text_digest(document.text) for document in documents] == sorted(text_digest(d.text) for d in documents)
    assert [document.key for document in documents] != sorted(document.key for document in documents)


def test_documents_that_were_kept_are_read_back_with_their_origin(tiny, store, documents):
    assert store.documents("tiny", tiny.raw()) == documents
    kept = store.kept("tiny", tiny.raw())
    assert (kept.digest, kept.documents, kept.origin, kept.stamp) == (tiny.digest, 24, "a stick", ["file", 3])
    assert store.size("tiny") == (store.folder / "tiny.jsonl.gz").stat().st_size > 0


def test_documents_of_another_digest_than_is_asked_for_count_as_not_kept(tiny, store):
    assert store.kept("tiny", replace(tiny.raw(), digest="0" * 64)) is None
    assert store.kept("other", tiny.raw()) is None


def test_the_store_is_in_the_cache_unless_a_folder_is_named(cache, tmp_path):
    assert RawStore().path("tiny") == cache / "data" / "tiny.jsonl.gz"
    assert RawStore(tmp_path).path("tiny") == tmp_path / "data" / "tiny.jsonl.gz"


def test_removing_deletes_both_files_and_tells_if_there_was_anything(tiny, store):
    assert store.is_there("tiny")
    assert store.remove("tiny") is True
    assert list(store.folder.iterdir()) == []
    assert store.remove("tiny") is False
    assert not store.is_there("tiny")


def test_a_name_with_a_path_in_it_is_never_there(tiny, store):
    (store.folder.parent / "outside.jsonl.gz").write_bytes(b"")
    assert not store.is_there("../outside")


def test_verifying_updates_the_time_and_keeps_the_origin(tiny, store):
    facts = store.folder / "tiny.json"
    facts.write_text(json.dumps({**json.loads(facts.read_text()), "verified": "2001-01-01T00:00:00+00:00"}))
    assert store.verify("tiny", tiny.raw()) == 24
    kept = store.kept("tiny", tiny.raw())
    assert kept.verified > "2001-01-02"
    assert (kept.origin, kept.documents, kept.stamp) == ("a stick", 24, ["file", 3])


def test_documents_that_are_damaged_are_not_used_after_they_were_verified(tiny, store):
    store.path("tiny").write_bytes(gzip.compress(b'["course/texas", "another page"]\n'))
    assert store.kept("tiny", tiny.raw()) is not None
    with pytest.raises(DataRefusedError, match=r"tiny\.jsonl\.gz' is not the published data"):
        store.verify("tiny", tiny.raw())
    assert store.kept("tiny", tiny.raw()) is None


def test_a_cache_that_cannot_be_written_is_verified_all_the_same(tiny, store, monkeypatch):
    def read_only(path, content):
        raise OutputError("read-only")

    monkeypatch.setattr("lcbench.data.sources.raw_store.write_whole", read_only)
    assert store.verify("tiny", tiny.raw()) == 24


def test_a_wrong_count_is_named_with_the_number_of_other_wrong_counts(tiny, documents):
    raw = tiny.raw()
    few = [document for document in documents if document.key != "course/texas"]
    with pytest.raises(
        DataRefusedError, match=r"^It is .*: it holds 0 documents of 'course/texas' instead of 6\. It was"
    ):
        check_content("It", few, raw)
    with pytest.raises(DataRefusedError, match=r"instead of 6, and 3 other counts are off too\. It was refused"):
        check_content("It", [], raw)


def test_an_altered_text_is_refused_though_all_counts_are_right(tiny, documents):
    first, *others = documents
    with pytest.raises(DataRefusedError, match="It was altered: it holds as many documents as it should"):
        check_content("It", [Document(first.key, first.text + "!"), *others], tiny.raw())
    check_content("It", documents[::-1], tiny.raw())
