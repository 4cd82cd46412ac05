from __future__ import annotations

import pytest

from lcbench.data.folders import unused_files as module
from lcbench.data.folders.unused_files import count_endings, unused


def make(folder, *files: str) -> None:
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


@pytest.mark.parametrize(
    ("files", "used", "left"),
    [
        (["t1.csv", "more/t2.csv"], ["t1.csv"], ["more/"]),
        (["t1.csv.gz", "t2.csv"], ["t2.csv"], ["t1.csv.gz"]),
        (["2020/cook/1.txt", "2020/sport/extra/1.txt"], ["2020/cook/1.txt"], ["2020/sport/extra/1.txt"]),
        (["t1.csv", "README.md", "readme.txt", "LICENSE.txt", "plot.png", ".hidden/x.csv"], ["t1.csv"], []),
    ],
)
def test_files_that_look_like_data_and_are_not_used_are_found(tmp_path, files, used, left):
    make(tmp_path / "mine", *files)
    assert unused(tmp_path / "mine", used) == left


def test_an_empty_folder_beside_the_tasks_is_found(tmp_path):
    make(tmp_path / "mine", "2020/x/1.txt", "plots/one.png")
    (tmp_path / "mine" / "2021").mkdir()
    assert unused(tmp_path / "mine", ["2020/x/1.txt"]) == ["2021/"]


def test_the_endings_of_files_are_counted(tmp_path):
    make(tmp_path / "mine", "a.html", "b/c.HTML", "d.pkl", "e")
    assert count_endings(tmp_path / "mine") == "2 .html, 1 .pkl, 1 without an ending"


def test_only_the_three_most_frequent_endings_are_counted(tmp_path):
    make(tmp_path / "mine", *(f"{i}.{ending}" for i in range(4) for ending in "abcd"[: 4 - i]))
    assert count_endings(tmp_path / "mine") == "4 .a, 3 .b, 2 .c"


def test_the_search_ends_after_a_limited_number_of_files(tmp_path, monkeypatch):
    make(tmp_path / "mine", *(f"{i}.csv" for i in range(9)))
    monkeypatch.setattr(module, "MOST_LOOKED_AT", 4)
    assert unused(tmp_path / "mine", []) == ["0.csv", "1.csv", "2.csv", "3.csv"]


def test_files_more_than_three_folders_deep_are_not_looked_for(tmp_path):
    make(tmp_path / "mine", "a/b/c/d/deep.csv")
    assert count_endings(tmp_path / "mine") == ""
    make(tmp_path / "mine", "a/b/c/high.csv")
    assert count_endings(tmp_path / "mine") == "1 .csv"
