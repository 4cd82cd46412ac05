"""Each rule of `select`: what compares is kept, nothing counts twice, and what is left out is said."""

from __future__ import annotations

import pytest
from making import make_record, make_solos

from lcbench.analysis.selection import damage_notes, select, select_outcome
from lcbench.experiment.pipeline import Outcome
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


def test_a_stream_or_method_whose_runs_all_failed_is_not_done():
    found = select([run(), run("n", status=FAILED), run(stream="t", status=FAILED)])
    assert [(stream.label, [method.label for method in stream.done]) for stream in found.done] == [("s", ["m"])]


@pytest.mark.parametrize("setting", ["single-task", "multi-task", "lifelong"])
def test_a_single_task_method_is_told_by_the_setting_of_its_runs(setting):
    assert select([run(setting=setting)]).streams[0].methods[0].is_single_task is (setting == "single-task")


def test_older_revisions_are_left_out_and_that_is_noted():
    found = select([run(revision=1), run(revision=2, repeat=1), run("n")])
    assert [len(method.runs) for method in found.streams[0].methods] == [1, 1]
    assert found.notes == ("Left out 1 run of older revisions of m.",)


def test_runs_by_other_code_of_the_same_revision_than_the_newest_are_counted_in_a_note():
    def run(repeat, sha256, version="1", **fields):
        code = {"distribution": "d", "version": version, "sha256": sha256}
        return make_record("m", repeat=repeat, code=code, finished=f"2024-01-0{repeat + 1}T00:00:00", **fields)

    said = "m: 2 of its 3 runs are by other code of the same revision than the newest: 'lcbench run --fresh' makes"
    assert any(note.startswith(said) for note in select([run(0, "a"), run(1, "a"), run(2, "b")]).notes)
    for runs in ([run(0, "a"), run(1, "a")], [run(0, "a"), run(1, "b", version="2")], [run(0, None), run(1, "b")]):
        assert not any("other code" in note for note in select(runs).notes)


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
    cut = [run(stream_label="s", stream_params={"words": words}) for words in (10, 20)]
    assert [stream.label for stream in select(cut).streams] == ["s (words=10)", "s (words=20)"]
    others = [run("mine", method="m"), run("mine", method="n")]
    assert labels(select(others)) == [("s", ["mine (method=m)", "mine (method=n)"])]


def test_of_a_stream_whose_data_changed_the_newest_data_are_shown_and_a_note_says_how_to_see_the_others():
    first, second = f"folder-1-{'ab' * 32}", f"folder-1-{'cd' * 32}"
    old = [run(label, stream_digest=first, finished="2026-01-01") for label in ("m", "l")]
    new = run(stream_digest=second, finished="2026-01-02")
    found = select([*old, new, run(stream="other")])
    assert labels(found) == [("other", ["m"]), ("s", ["m"])]
    assert found.streams[1].methods[0].runs == (new,)
    assert found.notes == (
        "s: left out 2 runs on other data of that name, before the newest: --stream s@ababab shows them.",
    )
    assert labels(select(old)) == [("s", ["l", "m"])]
    assert labels(select([*old, new], all_data=True)) == [("s@ababab", ["l", "m"]), ("s@cdcdcd", ["m"])]


def test_a_variant_of_a_folder_that_is_on_older_data_than_another_is_marked_by_their_id():
    first, second = f"folder-1-{'ab' * 32}", f"folder-1-{'cd' * 32}"
    old = run(stream_params={"x": 1}, stream_label="s:x=1", stream_digest=first, finished="2026-01-01")
    new = run(stream_digest=second, finished="2026-01-02")
    found = select([old, new])
    assert labels(found) == [("s", ["m"]), ("s:x=1@ababab", ["m"])]
    note = "s:x=1@ababab: on other data of 's' than the newest, s@cdcdcd: run it again to compare the two."
    assert found.notes == (note,)
    again = run(stream_params={"x": 1}, stream_label="s:x=1", stream_digest=second, finished="2026-01-03")
    assert labels(select([old, new, again])) == [("s", ["m"]), ("s:x=1", ["m"])]
    of_a_plugin = [run(stream_params={"x": x}, stream_label=f"s:x={x}", stream_digest=f"s-{x}") for x in (1, 2)]
    assert select(of_a_plugin).notes == ()


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


def test_runs_that_learned_one_task_alone_are_not_shown_but_are_known_by_their_ids():
    whole = run()
    solos = make_solos(whole, {"a": 0.5, "b": 0.5})
    found = select([whole, *solos])
    assert (found.runs, found.notes) == ([whole], ())
    assert {solo.run_id for solo in solos} <= set(found.by_id)
    assert select([whole, *solos], parts=True).runs == [whole]
    assert found.figures_of(whole, "purity")["first_task_noise"] == pytest.approx(whole.scores["purity"][0][0] - 0.5)


def test_a_solo_run_that_was_also_asked_for_by_its_order_is_a_run_like_any_other():
    whole = run()
    solo, *_ = make_solos(whole, {"a": 0.5}, order_kinds=("solo", "listed"))
    assert select([whole, solo], parts=True).runs == [solo, whole]
    assert select([solo]).runs == [solo]


def test_where_there_are_only_solo_runs_they_are_shown():
    solos = make_solos(run(), {"a": 0.5})
    assert select(solos).runs == solos


def kinds(*orders: tuple[str, str], start: int = 0, **changes) -> list[RunRecord]:
    """A run for each pair of order and kind."""
    return [
        run(order=tuple(order), order_kinds=(kind,), repeat=start + repeat, **changes)
        for repeat, (order, kind) in enumerate(orders)
    ]


RANDOM = [("abc", "random"), ("bac", "random"), ("cab", "random")]


def test_a_run_in_the_fixed_order_is_not_pooled_with_random_ones_unless_that_is_asked_for():
    runs = [*kinds(*RANDOM), *kinds(("abc", "fixed"), start=7)]
    found = select(runs)
    assert [r.order_kinds for r in found.runs] == [("random",)] * 3
    assert found.notes == ("s: left out 1 run of m in other orders than random: --order fixed shows them.",)
    assert len(select(runs, pooled=True).runs) == 4
    assert select(runs, pooled=True).notes == ()
    assert len(select(runs, parts=True).runs) == 4


def test_the_kind_with_most_orders_is_kept_and_then_that_with_most_runs_on_each_stream_by_itself():
    fixed = [("abc", "fixed")] * 5
    assert {r.order_kinds for r in select([*kinds(*RANDOM[:2]), *kinds(*fixed, start=7)]).runs} == {("random",)}
    assert {r.order_kinds for r in select([*kinds(RANDOM[0]), *kinds(*fixed, start=7)]).runs} == {("fixed",)}
    apart = [*kinds(*RANDOM), *kinds(*fixed, stream="t")]
    assert (len(select(apart).runs), select(apart).notes) == (8, ())


def test_a_run_of_several_kinds_goes_with_each_and_one_of_version_0_1_with_all():
    both = run(order_kinds=("fixed", "random"), repeat=8)
    older = run(order_kinds=(), repeat=9)
    found = select([*kinds(*RANDOM), both, older])
    assert ([r.repeat for r in found.runs], found.notes) == ([0, 1, 2, 8, 9], ())
    found = select([*kinds(*RANDOM), *kinds(("abc", "fixed"), start=7), both, older])
    assert [r.repeat for r in found.runs] == [0, 1, 2, 8, 9]


def test_runs_over_a_part_of_the_tasks_do_not_decide_which_kind_of_orders_is_kept():
    parts = kinds(("ab", "listed"), ("ba", "listed"), ("bc", "listed"), start=3)
    found = select([*kinds(("abc", "fixed")), *parts])
    assert [r.order_kinds for r in found.runs] == [("fixed",)]
    assert found.streams[0].tasks == TASKS
    assert found.notes == ("s: left out 3 runs over other tasks than a, b, c.",)


def test_an_outcome_is_grouped_whole_with_its_methods_in_its_order_and_its_solo_runs_beside():
    runs = [run("z"), run("a", repeat=1, order_kinds=("random",)), run("a", repeat=2, order_kinds=("fixed",))]
    solos = make_solos(runs[0], {"a": 0.5})
    searched = [run("point")]
    found = select_outcome(Outcome(runs, ["purity"], solos=solos, searched=searched))
    assert labels(found) == [("s", ["z", "a"])]
    assert found.runs == runs
    assert {solos[0].run_id, searched[0].run_id} <= set(found.by_id)


def test_damaged_runs_are_named_with_the_reason_and_many_are_counted():
    assert damage_notes({}) == []
    assert damage_notes({"a" * 64: "it is empty"}) == ["Left out 1 damaged run: aaaaaaaa (it is empty)."]
    (note,) = damage_notes({f"{n}" * 64: "it is empty" for n in range(7)})
    assert note.startswith("Left out 7 damaged runs: 00000000 (it is empty), 11111111 (")
    assert note.endswith("44444444 (it is empty) and 2 more.")
    assert select([run()], notes=["first."]).notes == ("first.",)
