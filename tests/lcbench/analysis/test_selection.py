"""Each rule of `select`: what compares is kept, nothing counts twice, and what is left out is said."""

from __future__ import annotations

from making import make_record

from lcbench.analysis.selection import select
from lcbench.records.record import FAILED, RunRecord

TASKS = ("a", "b", "c")
LAST = [[None] * 3, [None] * 3, [0.5, 0.6, 0.7]]


def run(label: str = "m", **changes) -> RunRecord:
    order = changes.pop("order", TASKS)
    return make_record(label, [0.5, 0.6, 0.7][: len(order)], order=order, **({"stream_tasks": TASKS} | changes))


def labels(selection) -> list[tuple[str, list[str]]]:
    return [(stream.label, [method.label for method in stream.methods]) for stream in selection.streams]


def tuned(point: RunRecord, **changes) -> RunRecord:
    tune = {"protocol": "oracle", "grid": [{"lam": 1}], "metric": "nmi", "over": "x"}
    choice = {"params": {"lam": 1}, "run_id": point.run_id, "points": [{"run_id": point.run_id}]}
    return run("m (oracle)", **({"method": "m", "tune": tune, "choice": choice} | changes))


def test_runs_are_grouped_by_stream_and_method_and_sorted_by_seed_repeat_and_order():
    runs = [run(seed=1), run(repeat=2), run(repeat=1, order=("b", "a", "c")), run(repeat=1)]
    runs += [run(stream="s10"), run("l"), run(stream="s2")]
    found = select(runs)
    assert labels(found) == [("s", ["l", "m"]), ("s2", ["m"]), ("s10", ["m"])]
    keys = [(r.seed, r.repeat, r.order[0]) for r in found.streams[0].methods[1].runs]
    assert keys == [(0, 1, "a"), (0, 1, "b"), (0, 2, "a"), (1, 0, "a")]
    assert found.notes == ()
    assert set(found.by_id) == {r.run_id for r in runs}


def test_methods_are_sorted_as_they_were_named_and_then_by_setting():
    runs = [run("x"), run("y", setting="single-task"), run("z", setting="multi-task"), run("w", setting="single-task")]
    assert labels(select(runs)) == [("s", ["w", "y", "z", "x"])]
    assert labels(select(runs, named=["x", "z"])) == [("s", ["x", "z", "w", "y"])]


def test_a_successful_run_is_kept_before_a_failed_one_and_more_scores_before_fewer():
    failed = run(status=FAILED, threads=1)
    few, many = run(evaluate="last", scores={"nmi": LAST}), run(threads=2)
    for runs in ([failed, few, many], [many, few, failed]):
        (method,) = select(runs).streams[0].methods
        assert method.runs == (many,)
    (method,) = select([failed, run(repeat=1)]).streams[0].methods
    assert (len(method.done), len(method.failed)) == (1, 1)


def test_older_revisions_are_left_out_and_that_is_noted():
    found = select([run(revision=1), run(revision=2, repeat=1), run("n")])
    assert [len(method.runs) for method in found.streams[0].methods] == [1, 1]
    assert found.notes == ("Left out 1 run of older revisions of m.",)


def test_parts_of_a_stream_are_left_out_unless_they_are_asked_for():
    runs = [run(), run(order=("c", "a"), repeat=1), run(order=("c", "b", "a"), repeat=2)]
    found = select(runs)
    assert found.streams[0].tasks == TASKS
    assert [r.repeat for r in found.runs] == [0, 2]
    assert found.notes == ("s: left out 1 run over other tasks than a, b, c.",)
    assert len(select(runs, parts=True).runs) == 3
    assert select(runs, parts=True).notes == ()


def test_where_no_run_has_all_tasks_those_of_the_longest_run_count_in_the_order_of_the_stream():
    found = select([run(order=("c", "a")), run(order=("b",), repeat=1)])
    assert found.streams[0].tasks == ("a", "c")
    assert [r.order for r in found.runs] == [("c", "a")]


def test_of_equally_large_sets_of_tasks_the_one_with_most_runs_is_kept_whichever_came_first():
    runs = [run(order=("a", "b")), run(order=("b", "c"), repeat=1), run(order=("c", "b"), repeat=2)]
    for given in (runs, runs[::-1]):
        assert select(given).streams[0].tasks == ("b", "c")
    tied = runs[:2]
    assert select(tied).streams[0].tasks == select(tied[::-1]).streams[0].tasks


def test_points_of_a_tuned_grid_are_left_out_unless_they_are_asked_for():
    point, default = run("m:lam=1", params={"lam": 1}), run("m")
    chosen = tuned(point, params={"lam": 0})
    found = select([point, default, chosen])
    assert labels(found) == [("s", ["m", "m (oracle)"])]
    assert found.notes[0].startswith("Left out 1 run of grids that were tuned over")
    assert point.run_id in found.by_id
    assert labels(select([point, chosen], named=["m:lam=1"])) == [("s", ["m:lam=1", "m (oracle)"])]
    assert labels(select([point, chosen], candidates=True)) == [("s", ["m (oracle)", "m:lam=1"])]


def test_a_method_with_several_labels_has_the_newest_one():
    runs = [run("old", method="m", finished="2026-01-01"), run("new", method="m", repeat=1, finished="2026-01-02")]
    assert labels(select(runs)) == [("s", ["new"])]


def test_methods_or_streams_of_one_label_get_the_facts_that_differ():
    same = [run("mine", params={"k": 3, "lam": 1.0}), run("mine", params={"k": 3, "lam": 10.0})]
    assert labels(select(same)) == [("s", ["mine (lam=1)", "mine (lam=10)"])]
    data = [run(stream_digest="0123456789abc"), run(stream_digest="fedcba987654")]
    assert [stream.label for stream in select(data).streams] == ["s (data=01234567)", "s (data=fedcba98)"]
    others = [run("mine", method="m"), run("mine", method="n")]
    assert labels(select(others)) == [("s", ["mine (method=m)", "mine (method=n)"])]


def test_tuned_methods_of_one_label_get_the_size_of_their_grid_or_number_of_runs():
    point = run("m:lam=1")
    first = tuned(point)
    wider = tuned(point, tune={**first.tune, "grid": [{"lam": 1}, {"lam": 2}]})
    later = [tuned(point, tune={**first.tune, "over": "y"}, repeat=repeat) for repeat in (0, 1)]
    assert labels(select([first, wider])) == [("s", ["m (oracle) (points=1)", "m (oracle) (points=2)"])]
    assert labels(select([first, *later])) == [("s", ["m (oracle) (runs=1)", "m (oracle) (runs=2)"])]


def test_the_baseline_of_a_run_counts_only_if_it_succeeded():
    alone, broken = run("alone"), run("alone", repeat=1, status=FAILED)
    runs = [run(baseline=alone.run_id), run(baseline=broken.run_id, repeat=1), run(repeat=2)]
    found = select(runs, beside=[alone, broken])
    assert [found.baseline_of(r) for r in found.runs] == [alone, None, None]
    assert labels(found) == [("s", ["m"])]
