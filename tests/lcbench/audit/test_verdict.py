from __future__ import annotations

import subprocess
import sys

import pytest

from lcbench.audit.verdict import DATA, LIBRARY, MODES, NOTHING, UNKNOWN, checked_modes, growth_per_task, verdict
from lcbench.errors import ParameterError

MB = 1_000_000


def measured(held, *, clusters=None, before=100, **more):
    n = len(held)
    return {
        "measure": {
            "task_bytes": [MB] * n, "clusters": clusters or [4] * n, "state_bytes_before": before, "held_bytes": held,
            "reachable": [0] * n, "first_reachable": None, "complete": True, "seconds": 0.0, **more,
        }
    }  # fmt: skip


def judge(sizes, setting="lifelong", audit=None, **more):
    """The verdict on a method whose state and holdings have these sizes."""
    found = {**measured(list(sizes), **more), **(audit or {})}
    return verdict(setting, [100 + size for size in sizes], found)


COPIES = [m * MB for m in (1, 2, 3, 4)]
WIDENING = [8 * (1000 * k + k * k) for k in (3, 3, 5, 5, 5)]  # d x k and k x k: for 3, 3, 5, 5 and 4 clusters


@pytest.mark.parametrize(
    ("sizes", "clusters", "kept"),
    [
        ([0, 0, 0], None, NOTHING),
        ([256, 200, 256], None, NOTHING),
        ([257, 257, 257], None, LIBRARY),
        ([0, 300, 0], None, LIBRARY),
        ([50_000] * 4, None, LIBRARY),
        ([50_000, 50_512, 51_024, 51_536], None, LIBRARY),
        ([50_000, 50_513, 51_026, 51_539], None, DATA),
        (WIDENING, [3, 3, 5, 5, 4], LIBRARY),
        (WIDENING, [3, 3, 3, 3, 3], DATA),
        (COPIES, [4, 5, 5, 5], DATA),
    ],
)
def test_up_to_256_bytes_are_nothing_and_a_library_grows_with_clusters_and_512_bytes_per_task(sizes, clusters, kept):
    assert judge(sizes, clusters=clusters).kept == kept


def test_of_the_pickled_state_and_the_held_memory_the_larger_is_judged():
    grows, stays = [100_000, 200_000, 300_000], [1000, 1000, 1000]
    for held, state in ((grows, stays), (stays, grows)):
        found = verdict("lifelong", [100 + size for size in state], measured(held))
        assert (found.kept, found.size) == (DATA, 300_000)
        assert found.reasons == ("it grows by 100.0 kB per task, 10% of a task's data",)


def test_growth_is_measured_from_the_first_size_to_the_largest():
    assert growth_per_task([10, 10, 1010, 10], [2, 2, 2, 2]) == pytest.approx(1000 / 3)
    assert growth_per_task([10], [2]) == 0
    assert growth_per_task([100, 400, 400], [2, 4, 4]) == 0


def test_one_task_cannot_tell_a_library_from_data():
    found = judge([50_000])
    assert (found.kept, found.within_promise) == (UNKNOWN, None)
    assert found.reasons == ("one task cannot tell a library from data",)
    assert judge([0]).kept == NOTHING
    assert judge([50_000], "multi-task").within_promise is True


@pytest.mark.parametrize(
    ("sizes", "single", "lifelong", "multi"),
    [([0, 0], True, True, True), ([9000, 9000], False, True, True), ([9000, 18_000], False, False, True)],
)
def test_each_setting_allows_what_it_promises(sizes, single, lifelong, multi):
    found = [judge(sizes, setting).within_promise for setting in ("single-task", "lifelong", "multi-task")]
    assert found == [single, lifelong, multi]


def test_arrays_that_can_still_be_reached_are_data_whatever_the_size():
    found = judge([0, 0], first_reachable={"step": 2, "task": "b"})
    assert found.kept == DATA
    assert found.reasons == ("the arrays of task 'b' could still be reached after step 2",)


@pytest.mark.parametrize("mode", ["isolate", "poison"])
def test_labels_that_change_are_data_unless_the_method_does_not_repeat_itself(mode):
    failed = {"passed": False, "step": 3, "task": "c", "samples": 4, "seconds": 1.0}
    for more in ({}, {"repeats": None}, {"repeats": True}):
        found = judge([0, 0, 0], audit={mode: {**failed, **more}})
        assert (found.kept, found.within_promise) == (DATA, False)
        assert "(step 3, task 'c')" in found.reasons[0]
    found = judge([0, 0, 0], audit={mode: {**failed, "repeats": False}})
    assert (found.kept, found.within_promise) == (NOTHING, None)


def test_an_error_in_an_audited_run_is_named():
    failed = {"passed": False, "step": 2, "task": "b", "error": "ValueError: NaN\nand more", "seconds": 1.0}
    assert judge([0, 0], audit={"poison": failed}).reasons[0].endswith("(step 2, task 'b': ValueError: NaN)")


def test_a_method_that_was_searched_incompletely_is_not_said_to_keep_its_promise():
    assert judge([0, 0], complete=False).within_promise is None
    assert judge([0, 0], "multi-task", complete=False).within_promise is True
    assert judge([9000, 18_000], complete=False).within_promise is False


@pytest.mark.parametrize(("before", "task", "within"), [(65_536, 100, True), (65_537, 100, None), (65_537, MB, True)])
def test_a_method_that_had_room_for_data_before_its_first_task_is_not_said_to_keep_its_promise(before, task, within):
    found = verdict("single-task", [before] * 2, measured([0, 0], before=before, task_bytes=[task] * 2))
    assert (found.kept, found.within_promise) == (NOTHING, within)
    assert any("before its first task" in reason for reason in found.reasons) is (within is None)


def test_a_record_without_an_audit_gets_no_verdict():
    found = verdict("lifelong", [100, 200], {})
    assert (found.kept, found.within_promise) == (UNKNOWN, None)


def test_a_verdict_in_words():
    assert str(judge([0, 0])) == "keeps nothing"
    assert str(judge([160_380, 160_380])) == "keeps a library of 160,380 bytes"
    assert str(judge([9000, 18_000])) == "keeps its data"
    assert str(judge([50_000])) == "cannot be told"


def test_a_verdict_needs_no_numpy():
    script = "import lcbench.audit.verdict, lcbench.report.audit_table, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize(
    ("asked", "done"),
    [
        ((), ("measure",)),
        ("poison", ("measure", "poison")),
        (("poison", "isolate", "poison"), ("measure", "isolate", "poison")),
        (MODES, MODES),
    ],
)
def test_measure_is_always_done_and_every_audit_once(asked, done):
    assert checked_modes(asked) == done


def test_an_unknown_audit_is_refused_with_the_one_that_was_meant():
    with pytest.raises(ParameterError, match=r"no audit 'poisson'\. Did you mean 'poison'"):
        checked_modes(["poisson"])
