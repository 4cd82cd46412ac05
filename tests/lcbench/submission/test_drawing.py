from __future__ import annotations

from collections import Counter

import pytest
from making import make_record

from lcbench.errors import SubmissionError
from lcbench.submission.drawing import draw

WHOLE = [make_record(label, order="abc", repeat=repeat) for label in ("one", "two") for repeat in range(10)]
SOLOS = [run.solo(task) for run in WHOLE if run.label == "one" for task in "abc"]
RUNS = {run.run_id: run for run in (*WHOLE, *SOLOS)}


def test_a_nonce_always_draws_the_same_runs_and_another_nonce_or_submission_others():
    first = draw(RUNS, "s", "nonce", 6)
    assert first == draw(dict(reversed(RUNS.items())), "s", "nonce", 6), "whatever order the runs come in"
    assert set(first) != set(draw(RUNS, "s", "other", 6))
    assert set(first) != set(draw(RUNS, "t", "nonce", 6))
    assert draw(RUNS, "s", "nonce", 9)[:6] == first


def test_every_method_is_drawn_and_runs_over_one_task_do_not_crowd_out_the_others():
    drawn = [RUNS[run_id] for run_id in draw(RUNS, "s", "nonce", 9)]
    assert Counter((run.label, len(run.order)) for run in drawn) == {("one", 3): 3, ("two", 3): 3, ("one", 1): 3}
    assert {RUNS[run_id].label for run_id in draw(RUNS, "s", "nonce", 2)} == {"one", "two"}


def test_each_run_is_drawn_about_as_often_as_the_others_of_its_kind():
    counts = Counter(run_id for nonce in range(600) for run_id in draw(RUNS, "s", str(nonce), 2))
    assert set(counts) == {run.run_id for run in WHOLE}
    assert min(counts.values()) > 30
    assert max(counts.values()) < 100


def test_a_large_sample_is_all_runs_and_one_too_small_for_every_method_is_refused():
    assert set(draw(RUNS, "s", "n", 1000)) == set(RUNS)
    with pytest.raises(SubmissionError, match="draw at least 2 runs, not 1"):
        draw(RUNS, "s", "n", 1)
