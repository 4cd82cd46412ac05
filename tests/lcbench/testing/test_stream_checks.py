"""Sentences of checks of streams; broken streams are in `test_kit.py`."""

from __future__ import annotations

import re

import pytest
from lcbench_broken.streams import FAILS, Sound, StreamSpec

from lcbench.contract.stream import content_digest
from lcbench.testing.checks import SkippedError
from lcbench.testing.stream_checks import check_digest, check_look_ahead, check_shapes, content_pin
from lcbench.testing.subjects import StreamSubject, subjects_of

BROKEN = {spec.factory.partition(":")[2]: spec for spec in FAILS}


def subject(spec: StreamSpec, made: type = Sound, **params: int) -> StreamSubject:
    params = {"tasks": 3, **params}
    return StreamSubject("a-stream", lambda: made(**params), spec, params)


def test_the_digest_to_write_is_named():
    pin = content_pin(Sound().tasks())
    assert pin == f"content:{content_digest(Sound().tasks())}"
    with pytest.raises(AssertionError, match=rf"is empty.*Write digest='{pin}'$"):
        check_digest(subject(BROKEN["HasNoDigest"]))
    with pytest.raises(AssertionError, match=rf"not those of its digest\. Write digest='{pin}'$"):
        check_digest(subject(BROKEN["HasOtherDataThanItsDigest"]))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (subject(BROKEN["MakesMoreSamples"]), "'broken-1' is no hash of tasks"),
        (subject(BROKEN["HasOtherDataThanItsDigest"], tasks=2), "data under default parameters"),
        (subjects_of(Sound)[0], "an instance is identified by its content"),
    ],
)
def test_a_digest_that_cannot_be_compared_is_skipped_with_the_reason(given, reason):
    with pytest.raises(SkippedError, match=reason):
        check_digest(given)


def test_look_ahead_is_tried_where_it_can_be():
    with pytest.raises(SkippedError, match="no parameter `tasks` that could be made smaller"):
        check_look_ahead(subjects_of("webkb4-sim")[0])
    with pytest.raises(SkippedError, match="does not declare looks_ahead=False"):
        check_look_ahead(subjects_of("webkb4")[0])
    check_look_ahead(subjects_of("topics:documents=12,words=30")[0])


def test_a_shape_that_differs_is_named():
    (sim,) = subjects_of("webkb4-sim")
    check_shapes(sim)
    wrong = subject(BROKEN["MakesMoreSamples"])
    wrong.tasks = sim.tasks
    with pytest.raises(AssertionError, match=re.escape("declares the tasks task-1, task-2, task-3, but makes cornell")):
        check_shapes(wrong)
