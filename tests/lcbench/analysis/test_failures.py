from __future__ import annotations

from making import make_record

from lcbench.analysis.failures import MOST_LINES, ends_text, failure_lines
from lcbench.records.record import STATUSES, RunRecord


def ended(label: str = "l2sc", *, status: str = "failed", error: str = "it broke.", **changes) -> RunRecord:
    return make_record(label, order="abc", stream="digits", status=status, error=error, **changes)


def test_a_line_names_the_method_the_stream_the_tasks_learned_and_the_error():
    assert failure_lines([ended(learn_seconds=[1.0, 2.0])]) == [
        "lcbench: l2sc on digits failed after 2 of 3 tasks: it broke."
    ]


def test_every_status_of_a_failed_run_has_its_own_words():
    lines = failure_lines([ended(status=status) for status in STATUSES if status != "ok"])
    words = [line.removeprefix("lcbench: l2sc on digits ").partition(" after 0")[0] for line in lines]
    assert words == ["failed", "ran out of time", "ran out of memory", "crashed"]


def test_runs_that_failed_in_the_same_way_share_a_line_with_their_number():
    runs = [ended(learn_seconds=[1.0]), ended("stsc"), ended(), ended(error="otherwise."), ended()]
    assert failure_lines(runs) == [
        "lcbench: l2sc on digits failed in 3 runs, first after 1 of 3 tasks: it broke.",
        "lcbench: stsc on digits failed after 0 of 3 tasks: it broke.",
        "lcbench: l2sc on digits failed after 0 of 3 tasks: otherwise.",
    ]


def test_a_traceback_follows_its_line_only_if_it_is_asked_for():
    run = ended(traceback=["Traceback (most recent call last):", "ValueError: no"])
    assert failure_lines([run], tracebacks=True) == ["\n".join([*failure_lines([run]), *run.traceback])]


def test_up_to_twenty_ways_of_failing_are_shown_and_the_runs_of_the_rest_are_counted():
    ways = [ended(error=f"way {i}.") for i in range(MOST_LINES)]
    assert len(failure_lines(ways)) == MOST_LINES
    lines = failure_lines([*ways, *[ended(error="one more.")] * 3])
    assert len(lines) == MOST_LINES
    assert lines[:-1] == failure_lines(ways)[:-1]
    assert lines[-1] == "lcbench: 4 runs more did not end well: 'lcbench results list' names them."


def test_without_failed_runs_there_are_no_lines():
    assert failure_lines([]) == []


def test_solo_runs_that_differ_in_the_name_of_their_task_alone_share_a_line():
    words = "the features of task '{}' are negative."
    solos = [
        make_record(
            "l2sc", order=task, stream="digits", status="failed", error=words.format(task), order_kinds=("solo",)
        )
        for task in "abc"
    ]
    assert failure_lines(solos) == [
        f"lcbench: l2sc (solo) on digits failed in 3 runs, first after 0 of 1 tasks: {words.format('a')}"
    ]


def test_runs_in_several_orders_that_differ_in_the_task_at_which_they_failed_share_a_line():
    words = "the features of task '{}' are negative."
    runs = [
        make_record(
            "l2sc", order=order, stream="digits", status="failed", error=words.format(order[1]), learn_seconds=[1.0]
        )
        for order in ("abc", "bca", "cab")
    ]
    other = make_record("l2sc", order="abc", stream="digits", status="failed", error=words.format("b"))
    assert failure_lines([*runs, other]) == [
        f"lcbench: l2sc on digits failed in 3 runs, first after 1 of 3 tasks: {words.format('b')}",
        f"lcbench: l2sc on digits failed after 0 of 3 tasks: {words.format('b')}",
    ]


def test_a_run_without_tasks_or_with_all_of_them_learned_has_a_line_too():
    nothing = make_record("l2sc", order="", stream="digits", status="failed", error="'a' broke.")
    late = make_record("l2sc", order="a", stream="digits", status="failed", error="'a' broke.", learn_seconds=[1.0])
    assert failure_lines([nothing]) == ["lcbench: l2sc on digits failed after 0 of 0 tasks: 'a' broke."]
    assert failure_lines([late]) == ["lcbench: l2sc on digits failed after 1 of 1 tasks: 'a' broke."]


def test_a_count_says_how_each_run_ended():
    assert ends_text({"timeout": 2, "ok": 2, "crashed": 1}) == "2 + 2 timeout + 1 crashed"
    assert ends_text({"ok": 1}) == "1"
    assert ends_text({}) == "0"
