from __future__ import annotations

import io
import os
import tarfile
import time
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lcbench.data.folders.folder_spec import folder_spec
from lcbench.data.folders.imported_facts import read_facts
from lcbench.data.folders.importing import copy_files, now, prepare, staging, unpack
from lcbench.data.folders.layout import read_layout
from lcbench.errors import DataRefusedError, OutputError


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


def test_a_single_folder_that_holds_everything_is_the_stream():
    assert unpacked({"news/a/x/1.txt": "1", "news/b/y/2.txt": "2"}) == {"a/x/1.txt": "1", "b/y/2.txt": "2"}


def test_a_folder_with_a_file_beside_it_is_a_task_and_not_the_stream():
    assert unpacked({"task/x/1.txt": "1", "README.md": "read me"}) == {"task/x/1.txt": "1"}


def test_files_that_belong_to_no_stream_are_left_out():
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
def test_a_path_that_leads_out_of_the_archive_is_refused(name, form):
    with pytest.raises(DataRefusedError, match="evil"):
        unpacked({"a.csv": "x", name: "evil"}, form)
    assert not list(Path.cwd().parent.rglob("evil.csv"))


def test_a_link_in_an_archive_is_refused():
    with tarfile.open("data.tar", "w") as file:
        info = tarfile.TarInfo("a.csv")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(info)
    with pytest.raises(DataRefusedError, match="a link"):
        unpack(Path("data.tar"), Path("target"))


@pytest.mark.parametrize("second", ["a.csv", "a.csv/1.txt"])
def test_two_files_with_the_same_path_are_refused(second):
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


def test_a_link_is_copied_as_the_file_it_points_to(write):
    folder = write({"a.csv": "123"})
    Path("elsewhere.csv").write_text("456")
    (folder / "b.csv").symlink_to(Path("elsewhere.csv").absolute())
    copy_files(read_layout(folder, "./mine"), Path("copy"))
    assert not Path("copy/b.csv").is_symlink()
    assert Path("copy/b.csv").read_text() == "456"


def test_files_of_an_archive_that_are_left_out_are_counted_in_a_warning(caplog):
    unpacked({"a.csv": "x", "run.sh": "", "plot.png": ""})
    assert "'data.zip' holds 2 files that can be no part of a stream: they are left out." in caplog.text


def test_a_prepared_import_is_a_copy_with_its_description(array_folder):
    Path("stage").mkdir()
    facts = prepare("own", "./mine", {"clusters": "2"}, Path("stage"))
    assert read_facts(Path("stage/own")) == facts
    assert facts.params == {"clusters": 2}
    assert [(task.name, task.samples, task.clusters) for task in facts.tasks] == [
        ("task-1", 60, 2), ("task-2", 60, 2), ("task-10", 60, 2),
    ]  # fmt: skip
    assert f"folder-1-{facts.content}" == folder_spec("./mine").digest
    for file in array_folder.iterdir():
        assert Path("stage/own/stream", file.name).read_bytes() == file.read_bytes()


def test_the_temporary_folder_is_removed_and_its_parent_too_if_that_is_empty():
    with staging(Path("a/root")) as stage:
        (stage / "file").touch()
    assert not Path("a/root").exists()
    with staging(Path("a/root")) as stage:
        Path("a/root/own").mkdir()
    assert [path.name for path in Path("a/root").iterdir()] == ["own"]


def test_the_temporary_folder_is_removed_after_an_interruption():
    def interrupt(stage: Path) -> None:
        (stage / "file").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), staging(Path("root")) as stage:
        interrupt(stage)
    assert not Path("root").exists()


def test_temporary_folders_are_swept_a_day_after_they_were_left():
    yesterday = time.time() - 24 * 3600
    for name, age in (("old", -60), ("young", +60)):
        Path(f"root/.staging-{name}").mkdir(parents=True)
        os.utime(f"root/.staging-{name}", (yesterday + age, yesterday + age))
    with staging(Path("root")):
        pass
    assert [path.name for path in Path("root").iterdir()] == [".staging-young"]


def test_a_failure_to_write_is_one_error_that_names_the_file():
    with (
        pytest.raises(OutputError, match=r"^'.*/gone/file' could not be written \(No such file or directory\)\.$"),
        staging(Path("root")) as stage,
    ):
        (stage / "gone" / "file").write_text("")


def test_the_time_of_an_import_is_in_utc():
    assert datetime.fromisoformat(now()).utcoffset() == timedelta(0)
