"""Importing a user's own archive: any honest copy is accepted, any altered one refused."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from lcbench.data.sources.obtaining import import_archive, obtain
from lcbench.data.sources.raw_store import RawStore
from lcbench.errors import DataRefusedError, PluginError

ALTERED = "webkb/course/texas/http_^^www.edu^3"


def altered(tiny) -> dict[str, bytes]:
    return {**tiny.files, ALTERED: tiny.files[ALTERED].replace(b"</b>", b"!</b>")}


def renamed(tiny) -> dict[str, bytes]:
    return {name.replace("http_", "http\uf03a"): page for name, page in tiny.files.items()}


HONEST = {
    "tar.gz": lambda tiny, path: path.write_bytes(tiny.tar()),
    "plain tar": lambda tiny, path: path.write_bytes(tiny.tar("w")),
    "zip": lambda tiny, path: path.write_bytes(tiny.zip()),
    "folder": lambda tiny, path: tiny.folder(path),
    "folder of folders": lambda tiny, path: tiny.folder(path / "backup" / "2001"),
    "without webkb/": lambda tiny, path: path.write_bytes(
        tiny.tar(files={name.removeprefix("webkb/"): page for name, page in tiny.files.items()})
    ),
    "U+F03A in names": lambda tiny, path: path.write_bytes(tiny.tar(files=renamed(tiny))),
    "U+F03A in names of a zip": lambda tiny, path: path.write_bytes(tiny.zip(renamed(tiny))),
    "CRLF": lambda tiny, path: path.write_bytes(
        tiny.tar(files={name: page.replace(b"\n", b"\r\n") for name, page in tiny.files.items()})
    ),
    "without unused classes": lambda tiny, path: path.write_bytes(tiny.tar(files=tiny.pages)),
    "in another order": lambda tiny, path: path.write_bytes(
        tiny.tar(files=dict(random.Random(5).sample(list(tiny.files.items()), len(tiny.files))))
    ),
}


@pytest.mark.parametrize("copy", HONEST)
def test_every_honest_copy_is_accepted_and_gives_the_same_documents(tiny, raw, cache, tmp_path, no_network, copy):
    HONEST[copy](tiny, tmp_path / "copy")
    assert import_archive("tiny", raw, tmp_path / "copy") == 24
    assert set(RawStore().documents("tiny", raw)) == tiny.documents
    assert obtain("tiny", raw, {}) == RawStore().documents("tiny", raw)
    assert RawStore().kept("tiny", raw).origin == str(tmp_path / "copy")


@pytest.mark.parametrize("before", ["empty", "full"])
def test_an_altered_copy_is_refused_and_the_cache_does_not_change(tiny, raw, cache, snapshot, tmp_path, before):
    if before == "full":
        obtain("tiny", raw, {})
    state = snapshot()
    (tmp_path / "copy.zip").write_bytes(tiny.zip(altered(tiny)))
    with pytest.raises(DataRefusedError, match=r"copy\.zip' was altered: it holds as many documents as it should"):
        import_archive("tiny", raw, tmp_path / "copy.zip")
    assert snapshot() == state


def test_pages_that_swapped_their_classes_are_refused(tiny, raw, cache, tmp_path):
    one, other = "webkb/course/texas/http_^^www.edu^0", "webkb/faculty/texas/http_^^www.edu^0"
    files = {**tiny.files, one: tiny.files[other], other: tiny.files[one]}
    (tmp_path / "copy.tar").write_bytes(tiny.tar("w", files))
    with pytest.raises(DataRefusedError, match="was altered"):
        import_archive("tiny", raw, tmp_path / "copy.tar")


def test_a_copy_with_pages_missing_is_refused_with_their_class_and_number(tiny, raw, cache, tmp_path):
    files = {name: page for name, page in tiny.files.items() if "/texas/" not in name}
    (tmp_path / "copy.tar").write_bytes(tiny.tar("w", files))
    with pytest.raises(DataRefusedError, match=r"holds 0 documents of '.*/texas' instead of 6, and 1 other"):
        import_archive("tiny", raw, tmp_path / "copy.tar")


def test_hidden_files_of_macos_beside_the_pages_are_ignored(tiny, raw, cache, tmp_path):
    folder = tmp_path / "brought"
    tiny.folder(folder, {**tiny.files, "webkb/course/cornell/.DS_Store": b"x", "webkb/course/cornell/._http": b"x"})
    assert import_archive("tiny", raw, folder) == len(tiny.documents)


def test_a_folder_that_holds_the_archive_can_be_imported(tiny, raw, cache, tmp_path):
    stick = tmp_path / "stick"
    stick.mkdir()
    (stick / "tiny.tar.gz").write_bytes(tiny.tar())
    assert import_archive("tiny", raw, stick) == len(tiny.documents)
    assert RawStore().kept("tiny", raw).origin == str(stick / "tiny.tar.gz")


def test_a_reader_that_fails_is_named(tiny, raw, cache, tmp_path):
    (tmp_path / "tiny.tar.gz").write_bytes(tiny.tar())
    for reader in ("lcbench_streams.webkb:misspelt", "no_such_module:read", "json:loads"):
        with pytest.raises(PluginError, match=f"The reader '{reader}' failed: "):
            import_archive("tiny", replace(raw, reader=reader), tmp_path / "tiny.tar.gz")
