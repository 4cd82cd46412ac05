"""`lcbench info` of a stream that needs data, before and after they are here."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

NUMPY_FREE = """
import sys
from lcbench.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print("numpy" in sys.modules, "scipy" in sys.modules, "requests" in sys.modules, file=sys.stderr)
"""


@pytest.fixture
def here(cache, tiny_stream, command):
    assert command("data", "fetch", "tiny").code == 0


def folder_of(tmp_path, *names: str):
    folder = tmp_path / "own"
    folder.mkdir()
    for name in names:
        rows = "\n".join(f"{i % 2},{i},{'ab'[i % 2]}" for i in range(4))
        (folder / f"{name}.csv").write_text(f"u,v,y\n{rows}\n")
    return folder


def row(text: str, name: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.split()[:1] == [name])


def test_without_the_data_the_card_has_sizes_classes_terms_and_how_to_get_them(command, cache):
    called = command("info", "webkb4")
    assert called.code == 0
    assert " ".join(row(called.out, "cornell")) == "cornell 226 2,500 4 course 44, faculty 34, project 20, student 128"
    assert row(called.out, "wisconsin")[1] == "308"
    flat = " ".join(called.out.split())
    assert "None is stated; CMU offers it for research" in flat
    assert "header names the university and is cut" in flat
    assert "The data are not here: 'lcbench data fetch webkb4' fetches them." in flat
    assert not cache.exists()


@pytest.mark.parametrize(
    "arguments", [("info", "webkb4"), ("info", "20newsgroups"), ("data", "list"), ("data", "path")]
)
def test_without_the_data_nothing_heavy_is_imported(tmp_path, arguments):
    environment = {**os.environ, "LCBENCH_CACHE": str(tmp_path / "cache"), "LCBENCH_OFFLINE": "1"}
    environment.pop("LCBENCH_DATA", None)
    command = [sys.executable, "-c", NUMPY_FREE, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert ended.stderr.split() == ["False", "False", "False"]


def test_with_other_parameters_than_the_recipe_sizes_are_unknown(command, cache):
    out = command("info", "webkb4:max_features=100").out
    assert row(out, "cornell")[:4] == ["cornell", "?", "?", "4"]


def test_with_the_data_the_card_shows_class_balance_and_how_alike_the_tasks_are(command, here):
    out = command("info", "tiny").out
    assert row(out, "cornell") == ["cornell", "12", "11", "2", "course", "6,", "faculty", "6"]
    assert "How alike the tasks are: cosine of their mean samples" in out
    (first, second) = [line.split() for line in out.splitlines() if re.match(r" *(cornell|texas) +[01]\.\d\d", line)]
    assert (first[1], second[2]) == ("1.00", "1.00")
    assert first[2] == second[1]
    same, other = re.search(
        r"one name in two tasks: (\d\.\d\d) on average; of different names: (\d\.\d\d)", out
    ).groups()
    assert float(same) > float(other)
    assert "not here" not in out


def test_the_card_follows_the_parameters_when_the_data_are_here(command, here):
    assert row(command("info", "tiny:max_features=5").out, "texas")[2] == "5"


def test_a_damaged_cache_does_not_make_the_card_fetch(command, here, cache, site):
    site.asked.clear()
    path = cache / "data" / "tiny.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-20])
    command("info", "tiny")
    assert site.asked == []


@pytest.mark.parametrize("count", [2, 11])
def test_the_similarity_of_more_than_ten_tasks_is_summed_up(command, cache, tmp_path, count):
    folder = folder_of(tmp_path, *(f"task-{i}" for i in range(count)))
    out = command("info", f"{folder}:label=y").out
    assert ("over all pairs" in out) == (count > 10)
    assert "Classes of one name in two tasks: 1.00 on average" in out


def test_a_single_task_is_compared_with_nothing(command, cache, tmp_path):
    called = command("info", f"{folder_of(tmp_path, 'alone')}:label=y")
    assert called.code == 0
    assert "How alike" not in called.out


@pytest.mark.parametrize("name", ["[red]a[/red]", "\x1b[31mb", "[/x]", "[link=http://x]c"])
def test_a_task_cannot_colour_the_card_by_its_name(command, cache, tmp_path, name):
    folder = tmp_path / "own"
    folder.mkdir()
    for i in range(2):
        (folder / f"{i}.csv").write_text("u,v,y\n1,2,a\n3,1,b\n2,2,a\n")
    quoted = name.replace("\x1b", "\\u001b")
    (folder / "stream.toml").write_text(
        f'[[tasks]]\nfile = "0.csv"\nname = "{quoted}"\n[[tasks]]\nfile = "1.csv"\nname = "other"\n'
    )
    called = command("info", f"{folder}:label=y")
    assert "\x1b" not in called.out + called.err
    assert called.code == 0
    assert called.out.count(name.replace("\x1b", "\N{REPLACEMENT CHARACTER}")) == 3  # in sizes, and twice in similarity


def test_a_class_cannot_colour_the_card_by_its_name(command, cache, tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.csv").write_text("u,v,y\n1,2,\x1b[31mred\n3,1,[/bold]\n2,2,[/bold]\n")
    called = command("info", f"{folder}:label=y")
    assert called.code == 0
    assert "\x1b" not in called.out
    assert "[/bold] 2" in called.out
