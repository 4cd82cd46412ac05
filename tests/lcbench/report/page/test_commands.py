from __future__ import annotations

import pytest
from making import make_record
from plans import plan_runs

from lcbench.report.page.commands import run_commands

DIGITS = "lcbench run --method l2sc --stream digits"


def test_each_command_is_shown_once_in_the_order_of_the_runs():
    one = plan_runs(["l2sc", "kmeans"], "digits", order="random", repeats=3, solo=None)
    other = plan_runs("l2sc", "digits", grid='l2sc.k=none,"3"', seed=7, solo=None)
    assert run_commands([planned.record for planned in (*one, *other)]) == (
        (
            "lcbench run --method l2sc --method kmeans --stream digits --order random --repeats 3",
            f"{DIGITS} --seed 7 --grid l2sc.k=none,3",
        ),
        (),
    )


@pytest.mark.parametrize(
    ("stream", "shown"),
    [
        ("/home/x/news", ".../news"),
        ("/home/x/news/", ".../news"),
        ("~/news", ".../news"),
        ("~x/my/news", ".../news"),
        ("../../home/x/news", ".../news"),
        ("'/home/x y/the news:label=y'", "'.../the news:label=y'"),
        ("'C:\\x\\news'", ".../news"),
        ("'C:/x/news:label=y'", ".../news:label=y"),
        ("alias=/a/b:label=y", "alias=.../b:label=y"),
        ("alias=~/a/b", "alias=.../b"),
        ("'/a/b:label=y,sep=/'", ".../b:label=y,sep=/"),
        ("/home/x/news:label=a/b", ".../news:label=a/b"),
        ("./news:label=y", "./news:label=y"),
        ("digits:tasks=3", "digits:tasks=3"),
        ("mine=digits", "mine=digits"),
    ],
)
def test_a_folder_in_a_command_keeps_its_name_alone(stream, shown):
    (line,) = run_commands([make_record(command=f"lcbench run --method l2sc --stream {stream} --seed 1")]).lines
    assert line == f"lcbench run --method l2sc --stream {shown} --seed 1"


@pytest.mark.parametrize(("labels", "start"), [("a", "1 run of a has no"), ("aab", "3 runs of a, b have no")])
def test_a_note_counts_the_runs_without_a_command(labels, start):
    note = f"{start} command: made from Python with objects, or by lcbench 0.1."
    assert run_commands([make_record("with", command=DIGITS), *map(make_record, labels)]) == ((DIGITS,), (note,))
