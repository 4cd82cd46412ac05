from __future__ import annotations

from pathlib import Path

import pytest
from making import make_record, make_results


def test_without_runs_lcbench_itself_is_cited(command):
    done = command("cite")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("@misc{lcbench,")
    assert done.out.count("@") == 1


@pytest.fixture
def stored():
    make_results(make_record("l2sc", stream="digits"), make_record("stsc", stream="webkb4"), make_record("gone"))


def test_what_runs_used_is_cited_and_a_method_that_is_gone_is_named(command, stored):
    done = command("cite")
    for key in ("sun2020lifelong", "ng2001spectral", "alpaydin1998optical", "craven1998learning"):
        assert done.out.count(f"{{{key},") == 1
    assert "the method 'gone' is not installed here" in done.err
    assert "the stream 's' is your own, or not installed here: cite what it comes from." in done.err
    chosen = command("cite", "--method", "l2sc", "--results", "lcbench-results")
    assert "% method l2sc: sun2020lifelong" in chosen.out
    assert "ng2001spectral" not in chosen.out


def test_names_are_cited_whatever_was_run_and_a_file_is_written(command, stored):
    assert command("cite", "nmi", "kmeans", "--out", "refs.bib").out == ""
    text = Path("refs.bib").read_text()
    assert "% metric nmi: strehl2002cluster" in text
    assert "lloyd1982least" in text
    assert "sun2020lifelong" not in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("cite --results elsewhere", "There is no folder 'elsewhere'"),
        ("cite l2cs", "There is no method, stream or metric 'l2cs'. Did you mean 'l2sc'?"),
        ("cite --method nobody", "nothing to show for method 'nobody'"),
    ],
)
def test_what_is_not_there_is_refused(refused, stored, arguments, sentence):
    assert sentence in refused(*arguments.split())
