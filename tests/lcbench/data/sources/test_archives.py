from __future__ import annotations

import gzip
import io
import os
import random
import stat
import subprocess
import sys
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from lcbench.data.sources.archives import members
from lcbench.data.sources.documents import published_documents
from lcbench.errors import DataRefusedError, DataUnavailableError

FILES = {"a/one.txt": b"1", "a/b/two.txt": b"22\r\n", "three": b"", "a/ü\uf03a^^x": b"\x00\xff"}


def read(path: Path) -> dict[str, bytes]:
    return {"/".join(member.parts): member.read() for member in members(path)}


@pytest.fixture
def limit(monkeypatch):
    """Sets the most bytes that an archive may unpack to."""
    return lambda size: monkeypatch.setattr("lcbench.data.sources.archives.MOST_BYTES", size)


def archive_of(tiny, path: Path, kind: str, files: dict[str, bytes]) -> Path:
    """A folder, a zip, or a tar in a mode such as `w:gz`."""
    if kind == "folder":
        return tiny.folder(path, files)
    path.write_bytes(tiny.zip(files) if kind == "zip" else tiny.tar(kind, files))
    return path


def tar(path: Path, *infos: tarfile.TarInfo, mode: str = "w", size: int = 0) -> Path:
    with tarfile.open(path, mode) as archive:
        for info in infos:
            info.size = size if info.isreg() else 0
            archive.addfile(info, io.BytesIO(b"x" * info.size))
    return path


def info(name: str, kind: bytes = tarfile.REGTYPE, linkname: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, linkname
    return made


def zipped(path: Path, *entries: tuple[str, int]) -> Path:
    """A zip whose entries have these names and Unix modes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, b"/etc/passwd")
    return path


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:bz2", "w:xz", "zip", "folder"])
def test_every_kind_of_archive_gives_the_same_files(tiny, tmp_path, kind):
    assert read(archive_of(tiny, tmp_path / "archive", kind, FILES)) == FILES


def test_empty_parts_and_dots_are_no_part_of_a_path(tmp_path):
    archive = tar(tmp_path / "a.tar", info("./webkb//course/./page"), info("webkb", tarfile.DIRTYPE))
    assert [member.parts for member in members(archive)] == [("webkb", "course", "page")]


def test_nothing_is_written_under_a_path_that_leads_out_of_the_archive(tmp_path):
    assert read(tar(tmp_path / "a.tar", info("/up"), info("../up"), info("a/../../up"))) == {"up": b""}
    assert read(zipped(tmp_path / "a.zip", ("../up", stat.S_IFREG), ("/up", stat.S_IFREG))) == {"up": b"/etc/passwd"}
    assert not (tmp_path.parent / "up").exists()


def test_links_devices_and_sparse_files_in_a_tar_are_not_read(tmp_path):
    kinds = (
        tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.GNUTYPE_SPARSE,
    )  # fmt: skip
    odd = [info(f"odd-{i}", kind, "/etc/passwd") for i, kind in enumerate(kinds)]
    assert read(tar(tmp_path / "a.tar", info("fine"), *odd)) == {"fine": b""}


def test_a_sparse_file_in_the_pax_format_is_not_read(tmp_path):
    odd = info("odd")
    odd.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.map": "0,1", "GNU.sparse.size": "99999999999"}
    with tarfile.open(tmp_path / "a.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(odd)
    assert read(tmp_path / "a.tar") == {}


def test_links_and_devices_in_a_zip_are_not_read(tmp_path):
    modes = (stat.S_IFREG, stat.S_IFLNK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK)
    archive = zipped(tmp_path / "a.zip", *((f"file-{i}", mode | 0o644) for i, mode in enumerate(modes)))
    assert list(read(archive)) == ["file-0"]


def test_an_encrypted_zip_is_refused(tmp_path):
    content = bytearray(zipped(tmp_path / "a.zip", ("secret", stat.S_IFREG)).read_bytes())
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(DataRefusedError, match=r"'secret'.* is encrypted"):
        read(tmp_path / "a.zip")


def test_links_in_a_folder_are_not_followed(tmp_path):
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "folder"
    (folder / "real").mkdir(parents=True)
    (folder / "real" / "file").write_bytes(b"mine")
    (folder / "to-file").symlink_to(tmp_path / "secret")
    (folder / "to-folder").symlink_to(tmp_path)
    os.mkfifo(folder / "fifo")
    assert read(folder) == {"real/file": b"mine"}


@pytest.mark.parametrize(("kind", "size"), [("w", 10240), ("zip", 7), ("folder", 7)])
def test_more_bytes_than_allowed_are_refused_and_as_many_as_allowed_are_not(tiny, tmp_path, limit, kind, size):
    path = archive_of(tiny, tmp_path / "archive", kind, FILES)  # a tar counts with its headers and padding
    limit(size)
    assert read(path) == FILES
    limit(size - 1)
    with pytest.raises(DataRefusedError, match=f"unpacks to more than {size - 1:,} bytes: it is not safe to read"):
        read(path)


def peak_of_refusal(path: Path) -> int:
    """The most memory that was in use until the archive was refused."""
    tracemalloc.start()
    try:
        with pytest.raises(DataRefusedError):
            read(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


BOMB = 24_000_000


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", b"\0" * BOMB)


def zip_bomb_with_a_forged_size(path: Path) -> None:
    zip_bomb(path)
    content = bytearray(path.read_bytes())
    for signature, size in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(signature) + size
        content[at : at + 4] = (10).to_bytes(4, "little")
    path.write_bytes(content)


def tar_bomb(path: Path) -> None:
    tar(path, info("bomb"), mode="w:gz", size=BOMB)


def tar_bomb_in_the_name_of_a_member(path: Path) -> None:
    long_name = tarfile.TarInfo("././@LongLink")
    long_name.type, long_name.size = tarfile.GNUTYPE_LONGNAME, BOMB
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(long_name.tobuf(tarfile.GNU_FORMAT) + b"a" * BOMB)
        file.write(tarfile.TarInfo("a").tobuf() + b"\0" * 10240)


@pytest.mark.parametrize("make", [zip_bomb, zip_bomb_with_a_forged_size, tar_bomb, tar_bomb_in_the_name_of_a_member])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, limit, make):
    limit(10_000)
    make(tmp_path / "bomb")
    assert peak_of_refusal(tmp_path / "bomb") < BOMB / 4


def test_bytes_after_the_end_of_a_compressed_tar_are_counted_as_well(tmp_path, limit):
    limit(100_000)
    content = tar(tmp_path / "a.tar", info("a")).read_bytes()
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(content + b"\0" * 4_000_000))
    with pytest.raises(DataRefusedError, match="unpacks to more than"):
        read(tmp_path / "a.tar.gz")


def test_a_negative_size_is_refused(tmp_path):
    header = bytearray(tarfile.TarInfo("negative").tobuf(tarfile.GNU_FORMAT))
    header[124:136] = (-(2**80)).to_bytes(12, "big", signed=True)
    header[148:156] = b" " * 8
    header[148:156] = f"{sum(header):06o}\0 ".encode()
    (tmp_path / "a.tar").write_bytes(bytes(header) + b"\0" * 10240)
    with pytest.raises(DataRefusedError):
        read(tmp_path / "a.tar")


def outcome(path: Path, tiny) -> str:
    try:
        return "same" if set(published_documents(path, tiny.raw())) == tiny.documents else "other"
    except DataRefusedError:
        return "refused"


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:bz2", "w:xz", "zip"])
def test_an_archive_cut_off_anywhere_is_refused_unless_only_padding_is_missing(tiny, tmp_path, kind):
    path = archive_of(tiny, tmp_path / "archive", kind, tiny.pages)
    content = path.read_bytes()
    cuts = [*range(0, len(content), max(len(content) // 40, 1)), len(content) - 1]
    seen = set()
    for cut in cuts:
        path.write_bytes(content[:cut])
        seen.add(outcome(path, tiny))
    assert "refused" in seen
    assert seen <= ({"refused", "same"} if kind == "w" else {"refused"})  # a plain tar ends in zeros that do not matter


@pytest.mark.parametrize("kind", ["w", "w:gz", "w:bz2", "w:xz", "zip"])
def test_one_byte_flipped_anywhere_gives_a_refusal_or_the_very_same_documents(tiny, tmp_path, kind):
    names = {name.replace("http_", "http\uf03a"): page for name, page in tiny.pages.items()}
    path = archive_of(tiny, tmp_path / "archive", kind, names)
    content = path.read_bytes()
    generator = random.Random(kind)
    seen = set()
    for _ in range(60):
        damaged = bytearray(content)
        damaged[generator.randrange(len(content))] ^= generator.choice((1, 2, 8, 16, 128, 255))
        path.write_bytes(damaged)
        seen.add(outcome(path, tiny))
    assert "refused" in seen
    assert seen <= {"refused", "same"}


def test_a_zip_with_a_file_name_that_is_not_utf_8_is_refused(tiny, tmp_path):
    content = tiny.zip({"ü": b"text"})
    at = content.rindex("ü".encode())
    (tmp_path / "a.zip").write_bytes(content[:at] + b"\xff\xfe" + content[at + 2 :])
    with pytest.raises(DataRefusedError):
        read(tmp_path / "a.zip")


@pytest.mark.parametrize("content", [b"", b"<html>Not found</html>\n" * 100, b"\x1f\x8b", b"PK\x03\x04"])
def test_a_file_that_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "page.html").write_bytes(content)
    with pytest.raises(DataRefusedError, match=r"page\.html' is damaged, cut off, or no tar, zip or wheel"):
        read(tmp_path / "page.html")


def test_a_missing_file_is_named(tmp_path):
    for name in ("nowhere", "a" * 300):  # too long for the system
        with pytest.raises(DataUnavailableError, match=rf"There is no file or folder '.*{name}'"):
            read(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_named_pipe_is_refused_without_waiting_for_it(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    script = f"""
from pathlib import Path
from lcbench.errors import DataUnavailableError
from lcbench.data.sources.archives import members
try:
    next(members(Path({str(tmp_path / "pipe")!r})))
except DataUnavailableError:
    print("refused")
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=20)
    assert ended.stdout == "refused\n"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_an_archive_that_may_not_be_read_is_unavailable_not_refused(tiny, tmp_path):
    (tmp_path / "a.tar").write_bytes(tiny.tar("w"))
    (tmp_path / "a.tar").chmod(0)
    with pytest.raises(DataUnavailableError, match="may not be read") as caught:
        read(tmp_path / "a.tar")
    assert not isinstance(caught.value, DataRefusedError)


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_hidden_files_and_those_that_macos_adds_are_left_out(tiny, tmp_path, kind):
    files = {"a/one.txt": b"1"}
    more = {**files, "a/.DS_Store": b"x", "a/._one.txt": b"x", "__MACOSX/a/one.txt": b"x", ".git/config": b"x"}
    assert read(archive_of(tiny, tmp_path / "archive", kind, more)) == files
