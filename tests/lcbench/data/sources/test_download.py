from __future__ import annotations

import gzip
import threading

import pytest

from lcbench.data.sources.download import CHUNK, Download
from lcbench.data.sources.transfers import TransferListener, transfers_reported_to
from lcbench.errors import DataUnavailableError

CONTENT = bytes(range(256)) * 1200  # four chunks and a bit; received bytes are kept in whole chunks
ONE, TWO, THREE = CHUNK, 2 * CHUNK, 3 * CHUNK


@pytest.fixture(autouse=True)
def content(site, cache):
    site.content = CONTENT


@pytest.fixture
def waits():
    return []


@pytest.fixture
def download(site, tmp_path, waits):
    def make(url: str | None = None, **options) -> Download:
        return Download(url or site.url, tmp_path / "downloads" / "file.bin", **{"sleep": waits.append, **options})

    return make


def left(download: Download) -> set[str]:
    return {path.name for path in download.target.parent.iterdir()}


class Diary(TransferListener):
    def __init__(self):
        self.said, self.begun, self.come, self.ended = [], [], 0, 0

    def say(self, text):
        self.said.append(text)

    def begin(self, what, done, total):
        self.begun.append((what, done, total))

    def advance(self, count):
        self.come += count

    def end(self):
        self.ended += 1


def test_a_file_is_downloaded_whole_and_no_temporary_file_is_left(site, download, waits):
    one = download()
    assert one.fetch() == one.target
    assert one.target.read_bytes() == CONTENT
    assert left(one) == {"file.bin"}
    assert (len(site.asked), waits) == (1, [])
    assert "range" not in site.asked[0]
    assert site.asked[0]["accept-encoding"] == "identity"


def test_a_download_that_broke_off_is_resumed_with_the_rest_only(site, download, waits):
    site.answers = [site.part(ONE)]
    one = download()
    assert one.fetch().read_bytes() == CONTENT
    assert [asked.get("range") for asked in site.asked] == [None, f"bytes={ONE}-"]
    assert site.asked[1]["if-range"] == '"1"'
    assert waits == [1]


def test_a_later_download_resumes_as_well(site, download):
    site.answers = [site.part(TWO)]
    with pytest.raises(DataUnavailableError):
        download(attempts=1).fetch()
    assert download().fetch().read_bytes() == CONTENT
    assert site.asked[1]["range"] == f"bytes={TWO}-"


def test_a_download_may_break_off_several_times(site, download, waits):
    site.answers = [site.part(ONE), site.part(TWO), site.part(THREE)]
    assert download().fetch().read_bytes() == CONTENT
    assert [asked.get("range") for asked in site.asked] == [None, *(f"bytes={size}-" for size in (ONE, TWO, THREE))]
    assert waits == [1, 2, 4]


def test_a_file_that_changed_on_the_server_is_downloaded_from_the_start(site, download):
    def changed(handler):
        site.version, site.content = {"ETag": '"2"'}, CONTENT[::-1]
        site.whole(handler)

    site.answers = [site.part(ONE), changed]
    assert download().fetch().read_bytes() == CONTENT[::-1]
    assert site.asked[1]["if-range"] == '"1"'


def test_without_a_strong_etag_the_date_of_the_file_is_used(site, download):
    site.version = {"ETag": 'W/"1"', "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
    site.answers = [site.part(ONE)]
    assert download().fetch().read_bytes() == CONTENT
    assert site.asked[1]["if-range"] == "Wed, 21 Oct 2015 07:28:00 GMT"


def test_without_etag_and_date_the_download_starts_over(site, download):
    site.version = {}
    site.answers = [site.part(ONE)]
    assert download().fetch().read_bytes() == CONTENT
    assert "range" not in site.asked[1]


def test_a_server_that_cannot_send_the_rest_may_send_the_whole_file(site, download):
    def all_again(handler):
        site.send(handler, 200, CONTENT, Content_Length=str(len(CONTENT)))

    site.answers = [site.part(ONE), all_again]
    assert download().fetch().read_bytes() == CONTENT
    assert site.asked[1]["range"] == f"bytes={ONE}-"


def test_a_wrong_range_from_the_server_is_not_used(site, download):
    def other_part(handler):
        where = f"bytes 5-{len(CONTENT) - 1}/{len(CONTENT)}"
        site.send(handler, 206, CONTENT[5:], Content_Length=str(len(CONTENT) - 5), Content_Range=where)

    site.answers = [site.part(ONE), other_part]
    assert download().fetch().read_bytes() == CONTENT
    assert "range" not in site.asked[2]


def test_a_part_from_another_address_is_not_resumed(site, download):
    site.answers = [site.part(ONE)]
    with pytest.raises(DataUnavailableError):
        download(attempts=1).fetch()
    assert download(f"{site.root}/other.bin").fetch().read_bytes() == CONTENT
    assert "range" not in site.asked[1]


@pytest.mark.parametrize("known", [b"{", b'{"url": 3}', b"[]", b"null"])
def test_with_a_damaged_note_beside_the_part_the_download_starts_over(site, download, known):
    one = download()
    one.part.parent.mkdir()
    one.part.write_bytes(b"something else")
    one.part.with_name("file.bin.part.json").write_bytes(known)
    assert one.fetch().read_bytes() == CONTENT


def test_if_the_server_has_no_such_range_the_part_is_thrown_away(site, download, waits):
    site.answers = [site.part(THREE), site.status(416)]
    assert download().fetch().read_bytes() == CONTENT
    assert [asked.get("range") for asked in site.asked] == [None, f"bytes={THREE}-", None]
    assert waits == [1, 2]


def test_after_four_broken_attempts_the_download_fails_and_its_part_stays(site, download, waits):
    site.answers = [site.part(size) for size in (ONE, ONE, TWO, THREE, THREE)]
    one = download()
    with pytest.raises(DataUnavailableError, match=f"{site.url} broke off"):
        one.fetch()
    assert (len(site.asked), waits) == (4, [1, 2, 4])
    assert left(one) == {"file.bin.part", "file.bin.part.json"}
    assert one.part.read_bytes() == CONTENT[:THREE]


def test_a_404_is_not_retried(site, download, waits):
    site.answers = [site.status(404)]
    one = download()
    with pytest.raises(DataUnavailableError, match="answered 404 Not Found"):
        one.fetch()
    assert (len(site.asked), waits) == (1, [])
    assert not one.target.exists()


@pytest.mark.parametrize("code", [500, 502, 503, 429, 408])
def test_a_temporary_error_of_the_server_is_retried_with_growing_waits(site, download, waits, code):
    site.answers = [site.status(code)] * 3
    assert download().fetch().read_bytes() == CONTENT
    assert waits == [1, 2, 4]


def test_after_four_errors_of_the_server_the_download_fails(site, download, waits):
    site.answers = [site.status(503)] * 9
    with pytest.raises(DataUnavailableError, match="answered 503 Service Unavailable"):
        download().fetch()
    assert (len(site.asked), waits) == (4, [1, 2, 4])


def test_an_error_page_is_not_written_to_the_file(site, download):
    site.answers = [site.part(ONE), site.status(500)]
    assert download().fetch().read_bytes() == CONTENT


def test_a_server_that_is_slow_but_not_silent_is_waited_for(site, download, waits):
    def slow(handler):
        site.send(handler, 200, b"", Content_Length=str(len(CONTENT)))
        for at in range(0, len(CONTENT), 80_000):
            handler.wfile.write(CONTENT[at : at + 80_000])
            handler.wfile.flush()
            site.closing.wait(0.1)

    site.answers = [slow]
    assert download(timeout=5).fetch().read_bytes() == CONTENT
    assert waits == []


@pytest.mark.parametrize("after", [None, 1000])
def test_a_server_that_sends_nothing_is_given_up_after_the_timeout(site, download, waits, after):
    def silent(handler):
        if after:
            site.send(handler, 200, CONTENT[:after], Content_Length=str(len(CONTENT)))
        site.closing.wait(10)

    site.answers = [silent] * 2
    with pytest.raises(DataUnavailableError, match=r"sent nothing for 0\.2 s"):
        download(timeout=0.2, attempts=2).fetch()
    assert (len(site.asked), waits) == (2, [1])


def test_a_file_with_an_announced_size_above_the_limit_is_not_fetched(site, download, waits):
    one = download(most_bytes=len(CONTENT) - 1)
    with pytest.raises(DataUnavailableError, match=f"is {len(CONTENT):,} bytes large, more than is ever taken"):
        one.fetch()
    assert (len(site.asked), waits) == (1, [])
    assert left(one) == set()


def test_the_size_limit_holds_for_the_whole_file_when_only_the_rest_is_sent(site, download):
    site.answers = [site.part(ONE)]
    with pytest.raises(DataUnavailableError, match="more than is ever taken"):
        download(most_bytes=len(CONTENT) - 1, attempts=2).fetch()
    site.content = CONTENT[:-1]
    assert download(most_bytes=len(CONTENT) - 1).fetch().read_bytes() == CONTENT[:-1]


def test_a_file_of_unknown_size_is_fetched_up_to_the_limit(site, download, waits):
    def unmeasured(handler):
        site.send(handler, 200, CONTENT)

    site.answers = [unmeasured]
    assert download().fetch().read_bytes() == CONTENT
    site.answers = [unmeasured]
    one = download(most_bytes=100_000)
    with pytest.raises(DataUnavailableError, match="sends more than 100,000 bytes"):
        one.fetch()
    assert waits == []
    assert one.part.stat().st_size <= 100_000


@pytest.mark.parametrize("length", ["many", "-5", "\xb2", f"{len(CONTENT)}, {len(CONTENT)}"])
def test_a_content_length_that_is_no_number_is_ignored(site, download, length):
    def odd(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", length)
        handler.end_headers()
        handler.wfile.write(CONTENT)

    site.answers = [odd]
    assert download(attempts=1).fetch().read_bytes() == CONTENT


@pytest.mark.parametrize("coding", ["gzip", "x-gzip"])
def test_an_archive_sent_with_a_content_encoding_is_not_damaged(site, download, coding):
    """Apache says so of .gz files where it is set up with AddEncoding, whatever the client accepts."""
    site.content = gzip.compress(CONTENT)
    site.version["Content-Encoding"] = coding
    assert download().fetch().read_bytes() in (site.content, CONTENT)


def test_a_redirect_is_followed(site, download):
    def moved(handler):
        site.send(handler, 302, b"elsewhere", Location="/there.bin", Content_Length="9")

    site.answers = [moved]
    assert download().fetch().read_bytes() == CONTENT
    assert [asked["path"] for asked in site.asked] == ["/tiny.tar.gz", "/there.bin"]


def test_endless_redirects_are_given_up(site, download):
    def around(handler):
        site.send(handler, 302, b"", Location="/again", Content_Length="0")

    site.answers = [around] * 200
    with pytest.raises(DataUnavailableError):
        download(attempts=1).fetch()


@pytest.mark.parametrize("elsewhere", ["file:///etc/passwd", "ftp://127.0.0.1/x"])
def test_a_redirect_to_another_kind_of_address_is_refused(site, download, elsewhere):
    def moved(handler):
        site.send(handler, 302, b"", Location=elsewhere, Content_Length="0")

    site.answers = [moved]
    one = download()
    with pytest.raises(DataUnavailableError):
        one.fetch()
    assert not one.target.exists()


def test_an_unknown_host_is_not_retried(download, waits):
    with pytest.raises(DataUnavailableError, match=r"nowhere\.invalid/x could not be reached: its host is not known"):
        download("http://nowhere.invalid/x").fetch()
    assert waits == []


def test_a_host_that_does_not_answer_is_retried(site, download, waits):
    site.close()
    with pytest.raises(DataUnavailableError, match="could not be reached"):
        download().fetch()
    assert waits == [1, 2, 4]


@pytest.mark.parametrize("url", ["nonsense", "http://", "gopher://127.0.0.1/x", "http://[::1", "/etc/passwd"])
def test_an_invalid_address_is_named_and_not_retried(download, waits, url):
    with pytest.raises(DataUnavailableError, match="is no address that can be fetched"):
        download(url).fetch()
    assert waits == []


def test_the_listener_receives_progress_and_the_message_about_the_retry(site, download):
    site.answers = [site.part(ONE)]
    diary = Diary()
    with transfers_reported_to(diary):
        download().fetch()
    assert diary.begun == [("tiny.tar.gz", 0, len(CONTENT)), ("tiny.tar.gz", ONE, len(CONTENT))]
    assert (diary.come, diary.ended) == (len(CONTENT), 2)
    assert diary.said == [f"{site.url} broke off; trying again in 1 s"]


def test_what_was_fetched_can_be_discarded(download):
    one = download()
    one.fetch()
    one.discard()
    assert left(one) == set()
    one.discard()


def test_a_download_leaves_no_thread_behind(download):
    before = {thread.name for thread in threading.enumerate() if "serve" not in thread.name}
    download().fetch()
    after = {thread.name for thread in threading.enumerate() if "serve" not in thread.name}
    assert {name for name in after - before if "process_request" not in name} == set()


def test_a_server_that_sends_the_rest_in_pieces_is_asked_for_each(site, download, waits):
    site.piece_size = CHUNK
    site.answers = [site.part(ONE), site.piece(ONE), site.piece(TWO)]
    assert download().fetch().read_bytes() == CONTENT
    assert [asked.get("range") for asked in site.asked] == [
        None, f"bytes={ONE}-", f"bytes={TWO}-", f"bytes={THREE}-",
    ]  # fmt: skip
    assert waits == [1]
