from __future__ import annotations

import csv
import io
import json

import pytest
from board_entries import make_entry

from lcbench.report.board.files import COLUMNS, board_csv, board_json
from lcbench.submission.standings import make_boards

HOSTILE = 'a "b", <c>\\'


@pytest.fixture
def boards(small_suite):
    scores = {"digits": [0.9, 0.7], "words": [0.0]}
    return make_boards(
        [
            make_entry(small_suite, HOSTILE, scores, failed="words"),
            make_entry(small_suite, "m", scores, setting="lifelong", solo=0.5),
        ]
    )


def test_the_rows_hold_the_unrounded_figures_of_every_stream_and_of_all(boards):
    rows = list(csv.DictReader(io.StringIO(board_csv(boards))))
    assert tuple(rows[0]) == COLUMNS
    found = {(row["method"], row["stream"], row["metric"], row["figure"]): row for row in rows}
    assert len(found) == len(rows) == 2 * (3 + 2 * 3) + 3 * 4
    assert (
        float(found[HOSTILE, "digits", "nmi", "score"]["mean"]) == boards[0].standings[0].scores["digits", "nmi"].mean
    )
    assert found[HOSTILE, "digits", "nmi", "score"]["failed"] == "0"
    assert (found[HOSTILE, "words", "ari", "rank"]["failed"], found[HOSTILE, "", "ari", "rank"]["failed"]) == ("1", "1")
    assert float(found["m", "digits", "ari", "total_transfer"]["mean"]) == pytest.approx(0.3)


def test_the_json_has_the_same_figures_beside_what_was_declared(boards):
    (board,) = json.loads(board_json(boards))["boards"]
    assert board["budget"] == {"time": "5min", "memory": "2GB"}
    rows = [{"method": entry["method"], **figure} for entry in board["entries"] for figure in entry["figures"]]
    read = list(csv.DictReader(io.StringIO(board_csv(boards))))
    assert [(row["method"], row["stream"], row["figure"], str(row["mean"])) for row in rows] == [
        (row["method"], row["stream"], row["figure"], row["mean"]) for row in read
    ]
    named = {entry["method"]: entry for entry in board["entries"]}
    assert named[HOSTILE]["about"]["labels"] == "Nobody looked."
    assert [failed["stream"] for failed in named[HOSTILE]["failed"]] == ["words"]
