from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from board_entries import make_entry

from lcbench.report.board.page import render_board
from lcbench.submission.standings import make_boards

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture
def page(small_suite):
    entry = make_entry(small_suite, HOSTILE, {"digits": [0.9, 0.7], "words": [0.0]}, failed="words", seconds=70)
    description = entry.submission.description
    about = description.about.model_copy(
        update={"code": "javascript:alert(2)", "labels": "<b onclick=alert(3)>seen</b>"}
    )
    submission = replace(entry.submission, description=description.model_copy(update={"about": about}))
    return render_board(make_boards([replace(entry, submission=submission)]))


def test_text_of_a_submission_stays_text(page):
    assert "<img" not in page
    assert "onclick=alert(3)>" not in page
    assert "&lt;b onclick=alert(3)&gt;" in page
    assert not re.search(r"href=\"(?!#|board\.(?:csv|json)\")", page)


def test_nothing_of_our_own_is_taken_for_a_control_character(page):
    assert "\N{REPLACEMENT CHARACTER}" not in page
    assert "○ scored" in page


def test_the_page_says_that_only_a_rerun_can_detect_forgery(page):
    assert "public: only a rerun can detect forgery" in page


def test_a_method_with_a_failed_run_is_within_no_budget(page):
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])
    (entry,) = data["entries"]
    assert (entry["name"], entry["setting"], entry["seconds"], entry["bytes"]) == (HOSTILE, "single-task", None, None)


def test_choices_of_time_and_memory_end_with_what_the_suite_allows(page):
    options = re.findall(r'<option value="([^"]*)">([^<]*)</option>', page)
    assert ("10", "10 s") in options
    assert ("300.0", "whole budget") in options
    assert "600" not in dict(options)
