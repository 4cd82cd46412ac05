from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from lcbench.data.folders.importing import copy_files, unpack
from lcbench.data.folders.layout import read_layout
from lcbench.errors import DataRefusedError


def archive(files: dict[str, str], form: str = "zip") -> Path:
    """An archive of these files, in this order."""
    path = Path(f"data.{form}")
    if form == "zip":
        with zipfile.ZipFile(path, "w") as file:
            for name, content in files.items():
                file.writestr(name, content)
    else:
        with tarfile.open(path, f"w:{form.removeprefix('tar').removeprefix('.')}") as file:
            for name, content in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(content.encode())
                file.addfile(info, io.BytesIO(content.encode()))
    return path


def unpacked(files: dict[str, str], form: str = "zip") -> dict[str, str]:
    root = unpack(archive(files, form), Path("target"))
    return {file.relative_to(root).as_posix(): file.read_text() for file in root.rglob("*") if file.is_file()}


@pytest.mark.parametrize("form", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_every_kind_of_archive_is_unpacked(form):
    files = {"a.csv": "x", "stream.toml": "y", "b/c/1.txt": "z"}
    assert unpacked(files, form) == files


def test_one_folder_around_everything_is_taken_off():
    assert unpacked({"news/a/x/1.txt": "1", "news/b/y/2.txt": "2"}) == {"a/x/1.txt": "1", "b/y/2.txt": "2"}


def test_a_folder_is_not_around_everything_if_a_file_stands_beside_it():
    assert unpacked({"task/x/1.txt": "1", "README.md": "read me"}) == {"task/x/1.txt": "1"}


def test_what_belongs_to_no_stream_is_left_out():
    files = {
        "news/a.csv": "x",
        "news/.git/config": "",
        "news/run.sh": "",
        "__MACOSX/news/._a.csv": "",
        "news/._a.csv": "",
    }
    assert unpacked(files) == {"a.csv": "x"}


@pytest.mark.parametrize("name", ["../evil.csv", "/evil.csv", "a/../../evil.csv", "C:/evil.csv"])
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_a_name_that_leads_elsewhere_is_refused(name, form):
    with pytest.raises(DataRefusedError, match="evil"):
        unpacked({"a.csv": "x", name: "evil"}, form)
    assert not list(Path.cwd().parent.rglob("evil.csv"))


def test_a_link_is_refused():
    with tarfile.open("data.tar", "w") as file:
        info = tarfile.TarInfo("a.csv")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(info)
    with pytest.raises(DataRefusedError, match="a link"):
        unpack(Path("data.tar"), Path("target"))


@pytest.mark.parametrize("second", ["a.csv", "a.csv/1.txt"])
def test_two_files_in_one_place_are_refused(second):
    with tarfile.open("data.tar", "w") as file:
        for name in ("a.csv", second):
            file.addfile(tarfile.TarInfo(name))
    with pytest.raises(DataRefusedError, match=rf"^'data\.tar' holds '{second}' twice: it was refused\.$"):
        unpack(Path("data.tar"), Path("target"))


def test_exactly_the_files_of_the_stream_are_copied(write):
    folder = write({"a.csv": "123", "b.csv": "4567", "stream.toml": '[[tasks]]\nfile = "a.csv"', "README.md": ""})
    size = copy_files(read_layout(folder, "./mine"), Path("copy"))
    assert sorted(file.name for file in Path("copy").iterdir()) == ["a.csv", "stream.toml"]
    assert size == sum(file.stat().st_size for file in Path("copy").iterdir())


def test_a_link_is_copied_as_what_it_leads_to(write):
    folder = write({"a.csv": "123"})
    Path("elsewhere.csv").write_text("456")
    (folder / "b.csv").symlink_to(Path("elsewhere.csv").absolute())
    copy_files(read_layout(folder, "./mine"), Path("copy"))
    assert not Path("copy/b.csv").is_symlink()
    assert Path("copy/b.csv").read_text() == "456"
