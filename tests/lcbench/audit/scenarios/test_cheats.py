"""Every known way of hiding old tasks, with the audits that see it and those that do not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from making import make_stream, make_task

from lcbench.audit.verdict import DATA, LIBRARY, NOTHING, verdict, verdict_of

IN_ATTRIBUTE = [
    "list", "bytes", "bytearray", "array.array", "memoryview", "text", "numbers", "one number", "BytesIO",
    "object array", "closure", "generator", "slots", "rude list", "ctypes", "sparse", "class made on the way",
]  # fmt: skip
ELSEWHERE = ["class attribute", "module global", "function default", "cache"]
FLOAT32_COPY = 60 * 24 * 4


@pytest.fixture(params=["dense", "sparse"])
def stream(request):
    return make_stream(d=24, thin=request.param == "sparse")


@pytest.fixture
def dense():
    """A dense stream, for copies that are the same whatever was copied."""
    return make_stream(d=24)


def passed(record):
    return record.audit["isolate"]["passed"], record.audit["poison"]["passed"]


def test_every_hiding_place_of_the_plugin_is_tested(cheats):
    from lcbench_cheats import hiding

    assert {*IN_ATTRIBUTE, "own view", "weak reference"} == set(hiding.IN_ATTRIBUTE)
    assert set(ELSEWHERE) == set(hiding.ELSEWHERE)


def test_an_honest_method_passes_every_audit(cheats, audited, stream):
    record = audited(cheats.Lifelong(), stream, "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise, found.reasons) == (LIBRARY, True, ())
    assert passed(record) == (True, True)


@pytest.mark.parametrize("place", IN_ATTRIBUTE)
def test_a_copy_that_the_pickle_leaves_out_is_seen_by_measure(cheats, audited, dense, place):
    record = audited(cheats.HidesInAttribute(place=place), dense)
    assert len(set(record.state_bytes)) == 1, "the pickle shows nothing"
    held = np.diff([0, *record.audit["measure"]["held_bytes"]])
    assert min(held) >= FLOAT32_COPY
    assert max(held) - min(held) <= 700, "every task costs the same"
    assert verdict_of(record).kept == DATA
    assert verdict_of(record).within_promise is False


@pytest.mark.parametrize("place", ["list", "closure", "one number"])
def test_a_copy_that_the_pickle_leaves_out_is_seen_by_isolate_and_not_by_poison(cheats, audited, dense, place):
    record = audited(cheats.HidesInAttribute(place=place), dense, "isolate", "poison")
    assert passed(record) == (False, True)
    isolate = record.audit["isolate"]
    assert (isolate["step"], isolate["task"], isolate["repeats"]) == (2, "task-2", True)


@pytest.mark.parametrize("place", ELSEWHERE)
def test_a_copy_outside_of_the_method_is_seen_by_measure_and_isolate_and_not_by_poison(cheats, audited, dense, place):
    record = audited(cheats.HidesElsewhere(place=place), dense, "isolate", "poison")
    assert record.audit["measure"]["held_bytes"] == [FLOAT32_COPY, 2 * FLOAT32_COPY, 3 * FLOAT32_COPY]
    assert verdict_of(record).within_promise is False
    assert passed(record) == (False, True), "poison spoils what was lent, not copies; the replay has a fresh process"
    assert record.audit["isolate"]["repeats"] is True, "so that nothing is left over from the ordinary run"


def test_a_float32_copy_in_the_pickled_state_is_seen_by_measure_and_by_nothing_else(cheats, audited, stream):
    record = audited(cheats.Keeps(what="copy"), stream, "isolate", "poison")
    found = verdict_of(record)
    assert (found.kept, found.within_promise) == (DATA, False)
    assert "it grows by 5.8 kB per task" in found.reasons[0]
    assert passed(record) == (True, True)


@pytest.mark.parametrize("what", ["task", "last"])
def test_the_arrays_themselves_are_seen_by_measure_and_by_poison_also_in_a_stored_record(cheats, audited, stream, what):
    record = audited(cheats.Keeps(what=what), stream, "isolate", "poison")
    assert record.audit["measure"]["reachable"] == ([1, 2, 3] if what == "task" else [1, 1, 1])
    assert record.audit["measure"]["first_reachable"] == {"step": 1, "task": "task-1"}
    assert passed(record) == (True, False), "they are in the state"
    assert record.audit["poison"]["step"] == 2
    assert verdict_of(record).within_promise is False
    stored = json.loads(json.dumps(record.to_json(), allow_nan=False))
    assert verdict(stored["setting"], stored["state_bytes"], stored["audit"]) == verdict_of(record)


@pytest.mark.parametrize(("place", "thin"), [("weak reference", False), ("weak reference", True), ("own view", False)])
def test_what_leads_to_the_arrays_of_the_harness_is_seen_by_all_three(cheats, audited, place, thin):
    record = audited(cheats.HidesInAttribute(place=place), make_stream(thin=thin), "isolate", "poison")
    assert record.audit["measure"]["reachable"] == [1, 2, 3]
    assert passed(record) == (False, False)


@pytest.mark.parametrize("place", ["another library", "environment", "everything there is"])
def test_a_copy_that_cannot_be_reached_from_the_method_is_seen_by_isolate_alone(cheats, audited, dense, place):
    beside = make_task("another", seed=7).task  # which this process has, and those of the run have not
    record = audited(cheats.HidesElsewhere(place=place), dense, "isolate", "poison")
    assert beside.name == "another", "it was held until here"
    measured = {"measure": record.audit["measure"]}
    assert verdict(record.setting, record.state_bytes, measured).kept == NOTHING, "measure does not see it"
    assert passed(record) == (False, True), "poison spoils what was lent, not copies; the replay has a fresh process"
    assert record.audit["isolate"]["repeats"] is True, "so that nothing is left over from the ordinary run"
    assert verdict_of(record).within_promise is False


def test_a_file_is_seen_by_isolate_alone_and_goes_with_its_process(cheats, audited, dense, tmp_path):
    """In a folder for temporary files; tests of other places are in test_hiding_places.py."""
    record = audited(cheats.HidesOnDisk(folder=str(tmp_path)), dense, "isolate", "poison")
    if not record.audit["isolate"]["private_folders"]:
        pytest.skip("the kernel gives processes no private folders here")
    assert passed(record) == (False, True)
    assert record.audit["isolate"]["repeats"] is True, "nothing is left over from the ordinary run"
    assert verdict_of(record).within_promise is False
    assert list(tmp_path.iterdir()) == []


def test_a_method_whose_labels_come_from_the_clock_gets_no_verdict(cheats, audited, dense):
    record = audited(cheats.NeverTheSame(), dense, "isolate", "poison")
    for mode in ("isolate", "poison"):
        assert (record.audit[mode]["passed"], record.audit[mode]["repeats"]) == (False, False)
    found = verdict_of(record)
    assert (found.kept, found.within_promise, found.repeats) == (LIBRARY, None, False)
    assert any("does not repeat itself" in reason for reason in found.reasons)
