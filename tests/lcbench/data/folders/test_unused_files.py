from __future__ import annotations

import pytest

import lcbench
from lcbench.data.folders.unused_files import unused, what_is_there

TABLE = "a,b\n1,0\n0,1\n2,0\n0,2\n"


def make(folder, *files: str) -> None:
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TABLE)


@pytest.mark.parametrize(
    ("files", "used", "left"),
    [
        (["t1.csv", "more/t2.csv"], ["t1.csv"], ["more/"]),
        (["t1.csv.gz", "t2.csv"], ["t2.csv"], ["t1.csv.gz"]),
        (["2020/cook/1.txt", "2020/sport/extra/1.txt"], ["2020/cook/1.txt"], ["2020/sport/extra/1.txt"]),
        (["t1.csv", "README.md", "readme.txt", "LICENSE.txt", "plot.png", ".hidden/x.csv"], ["t1.csv"], []),
    ],
)
def test_what_looks_like_data_and_is_not_used_is_found(tmp_path, files, used, left):
    make(tmp_path / "mine", *files)
    assert unused(tmp_path / "mine", used) == left


def test_an_empty_folder_of_a_task_is_found(tmp_path):
    make(tmp_path / "mine", "2020/x/1.txt", "plots/one.png")
    (tmp_path / "mine" / "2021").mkdir()
    assert unused(tmp_path / "mine", ["2020/x/1.txt"]) == ["2021/"]


def test_a_run_names_what_it_does_not_use(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "mine/t1.csv", "mine/more/t2.csv")
    lcbench.run("kmeans", "./mine:clusters=2")
    assert "Stream './mine': not used: more/." in caplog.text


def test_what_is_listed_in_stream_toml_costs_no_warning(tmp_path, monkeypatch, caplog):
    monkeypatch.chdir(tmp_path)
    make(tmp_path, "mine/t1.csv", "mine/t2.csv")
    (tmp_path / "mine" / "stream.toml").write_text('clusters = 2\n[[tasks]]\nfile = "t1.csv"\n')
    lcbench.run("kmeans", "./mine")
    assert "not used" not in caplog.text


def test_the_endings_of_files_are_counted(tmp_path):
    make(tmp_path / "mine", "a.html", "b/c.HTML", "d.pkl", "e")
    assert what_is_there(tmp_path / "mine") == "2 .html, 1 .pkl, 1 without an ending"
