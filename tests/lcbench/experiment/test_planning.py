from __future__ import annotations

import pickle
import subprocess
import sys
import tracemalloc

import pytest
from making import make_stream
from plans import plan_runs
from small_methods import ByTurns

import lcbench
from lcbench.contract.hashing import content_id
from lcbench.errors import LcbenchError

NOT_TUNED = {"protocol": "none", "grid": None}


def labels(plan) -> list[str]:
    return [planned.record.label for planned in plan]


def test_a_plan_is_a_sequence_of_its_runs():
    plan = plan_runs(["l2sc", "usc"], "digits", repeats=2)
    assert len(plan) == 6
    assert list(plan) == [plan[i] for i in range(6)] == list(plan[:])
    assert (plan.tuned, plan.tune_metric, plan.tuning_metrics, plan.searched) == ([], None, (), frozenset())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "random", "repeats": 3, "seed": 5, "evaluate": "every:2", "future": True, "threads": 2},
        {"order": ["task-3", "task-1"], "evaluate": "every:1"},
        {"grid": {"l2sc": {"lam": [0.1, 1], "n_neighbors": [5, 10]}, "mbc": {"divergence": ["kl"]}}},
        {"grid": ["l2sc.lam=paper"], "tune": "oracle", "repeats": 2},
    ],
)
def test_the_id_of_a_planned_run_is_that_of_its_record(options):
    streams = ["digits", 'odd=digits:classes="1,3,5"', "topics:tasks=4"] if "order" not in options else ["digits"]
    plan = plan_runs(["l2sc", "mbc", "usc"], streams, **options)
    assert [planned.run_id for planned in plan] == [planned.record.run_id for planned in plan]
    assert len({planned.run_id for planned in plan}) == len(plan)
    assert all(planned.record.tune == NOT_TUNED for planned in plan)
    assert [tuned.run_id for tuned in plan.tuned] == [tuned.record.run_id for tuned in plan.tuned]


def test_a_record_knows_the_streams_own_order_of_tasks():
    (planned,) = plan_runs("stsc", "digits:tasks=3", order="task-3,task-1")
    assert planned.record.order == ("task-3", "task-1")
    assert planned.record.stream_tasks == ("task-1", "task-2", "task-3")


def test_only_runs_of_registered_methods_can_be_reused():
    named, given = plan_runs(["one-cluster", ByTurns()], "digits")
    assert named.method.cacheable
    assert not given.method.cacheable


def test_the_points_of_a_grid_take_the_place_of_the_entry_it_is_for():
    plan = plan_runs(["l2sc", "mine=l2sc:mu=1", "usc"], "digits", grid={"l2sc": {"lam": [0.1, 2]}})
    assert labels(plan) == ["stsc", "l2sc:lam=0.1", "l2sc:lam=2", "mine:lam=0.1", "mine:lam=2", "usc"]
    assert [planned.record.params["lam"] for planned in plan[1:5]] == [0.1, 2.0, 0.1, 2.0]
    assert [planned.record.params["mu"] for planned in plan[1:5]] == [0.01, 0.01, 1.0, 1.0]


def test_a_point_is_the_same_run_as_the_entry_that_says_so():
    written = plan_runs("l2sc:lam=0.1", "digits")[1]
    from_grid = plan_runs("l2sc", "digits", grid="l2sc.lam=0.1,5")[1]
    assert written.run_id == from_grid.run_id


def test_every_point_has_the_baseline_that_shares_its_parameters():
    plan = plan_runs("l2sc", "digits", grid={"l2sc": {"n_neighbors": [5, 10], "lam": [1, 2]}})
    ids = {planned.run_id: planned.record for planned in plan}
    assert labels(plan) == [
        "stsc:n_neighbors=5", "l2sc:n_neighbors=5,lam=1", "l2sc:n_neighbors=5,lam=2",
        "stsc", "l2sc:n_neighbors=10,lam=1", "l2sc:n_neighbors=10,lam=2",
    ]  # fmt: skip
    for record in ids.values():
        if record.method == "l2sc":
            assert ids[record.baseline].params["n_neighbors"] == record.params["n_neighbors"]


def test_a_users_own_name_comes_before_that_of_a_point(caplog):
    plan = plan_runs(["l2sc", "strong=l2sc:lam=10"], "digits", grid="l2sc.lam=1,10", baselines=False)
    assert labels(plan) == ["l2sc:lam=1", "strong"]
    assert "'l2sc:lam=10' is the same method as 'strong': it is run once, as that." in caplog.text


def test_a_tuned_run_is_planned_for_every_stream_order_and_repeat():
    plan = plan_runs(
        ["l2sc", "usc"], ["digits", "topics"], grid={"l2sc": {"lam": [0.1, 1, 10]}}, order="random", repeats=2,
        tune="first-task",
    )  # fmt: skip
    ids = {planned.run_id: planned.record for planned in plan}
    assert len(plan) == 2 * 2 * (1 + 3 + 1)
    assert len(plan.tuned) == 2 * 2
    for tuned in plan.tuned:
        record = tuned.record
        assert (record.label, record.method, record.params["lam"]) == ("l2sc (first-task)", "l2sc", 1.0)
        assert record.tune == {
            "protocol": "first-task",
            "grid": [{"lam": 0.1}, {"lam": 1.0}, {"lam": 10.0}],
            "metric": "purity",
            "over": None,
        }
        candidates = [ids[run_id] for run_id in tuned.candidates]
        assert [c.params["lam"] for c in candidates] == [0.1, 1.0, 10.0]
        assert {(c.stream, c.order, c.repeat) for c in candidates} == {(record.stream, record.order, record.repeat)}
        assert [ids[run_id].label for run_id in tuned.baselines] == ["stsc"] * 3
        assert tuned.untuned == tuned.candidates[1]
    assert plan.tuning_metrics == ("purity", "silhouette")
    assert {ids[run_id].label for run_id in plan.searched} == {"l2sc:lam=0.1", "l2sc:lam=1", "l2sc:lam=10"}


def test_a_run_that_is_asked_for_or_a_baseline_is_not_counted_as_searched():
    plan = plan_runs(
        ["l2sc", "strong=l2sc:lam=10", "stsc"], "digits", tune="oracle",
        grid={"l2sc": {"lam": [1, 10]}, "stsc": {"n_neighbors": [5, 10]}},
    )  # fmt: skip
    searched = {planned.record.label for planned in plan if planned.run_id in plan.searched}
    # stsc:n_neighbors=10 is the baseline of l2sc
    assert searched == {"l2sc:lam=1", "stsc:n_neighbors=5"}


def test_the_untuned_run_of_an_entry_need_not_be_planned():
    plan = plan_runs("l2sc", "digits", grid="l2sc.lam=0.1,10", tune="silhouette")
    (tuned,) = plan.tuned
    assert tuned.untuned not in [planned.run_id for planned in plan]
    assert tuned.untuned == plan_runs("l2sc", "digits", baselines=False)[0].run_id


def test_an_oracle_run_says_what_it_was_chosen_over_and_the_others_do_not():
    def over(repeats: int, tune: str) -> list[str | None]:
        plan = plan_runs("l2sc", "digits", grid="l2sc.lam=0.1,1", tune=tune, order="random", repeats=repeats)
        pairs = [[list(tuned.record.order), tuned.record.repeat] for tuned in plan.tuned]
        expected = content_id(pairs) if tune == "oracle" else None
        assert {tuned.record.tune["over"] for tuned in plan.tuned} == {expected}
        return [tuned.run_id for tuned in plan.tuned]

    assert over(2, "oracle")[:1] != over(3, "oracle")[:1]
    assert over(2, "silhouette") == over(3, "silhouette")[:2]


def test_the_protocol_the_grid_and_the_metric_are_part_of_the_id():
    def run_id(grid: str = "l2sc.lam=0.1,1", **options) -> str:
        return plan_runs("l2sc", "digits", grid=grid, **({"tune": "oracle"} | options)).tuned[0].run_id

    ids = [
        run_id(), run_id(tune="first-task"), run_id(tune="silhouette"), run_id("l2sc.lam=1,0.1"),
        run_id("l2sc.lam=0.1,1,10"), run_id("l2sc.mu=0.1,1"), run_id(tune_metric="nmi"),
        run_id(tune_metric="nmi:average=geometric"), plan_runs("l2sc", "digits")[1].run_id,
    ]  # fmt: skip
    assert len(set(ids)) == len(ids)
    assert run_id(tune_metric="purity") == ids[0]
    assert run_id(tune="silhouette", tune_metric="nmi") == ids[2]


def test_a_metric_with_parameters_is_among_those_to_compute():
    plan = plan_runs("l2sc", "digits", grid="l2sc.lam=1", tune="oracle", tune_metric="nmi:average=geometric")
    assert plan.tuning_metrics == ("nmi:average=geometric", "silhouette")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tune": "oracle"}, "tune=oracle chooses among the points of a grid, and there is none: give a grid."),
        (
            {"tune": "oracle", "grid": "l2sc.lam=1", "tune_metric": "nim"},
            "There is no metric 'nim'. Did you mean 'nmi'?",
        ),
        (
            {"tune": "oracle", "grid": "l2sc.lam=1", "tune_metric": "silhouette"},
            "tune_metric takes a metric that compares with labels, and 'silhouette' does not: tune=silhouette chooses "
            "without labels.",
        ),
        (
            {"tune": "first-task", "grid": "l2sc.lam=1", "evaluate": "last"},
            "tune=first-task looks at the first task right after it was learned, and evaluate=last does not score it "
            "then: use evaluate=all.",
        ),
    ],
)  # fmt: skip
def test_tuning_that_cannot_be_done_is_refused_in_one_sentence(options, message):
    with pytest.raises(LcbenchError) as caught:
        plan_runs("l2sc", "digits", **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("methods", "options", "message"),
    [
        ({"l2sc:lam=1": "usc", "l2sc": "l2sc"}, {"grid": "l2sc.lam=1"}, "Two entries are called 'l2sc:lam=1'"),
        (
            {"l2sc (oracle)": "usc", "l2sc": "l2sc"},
            {"grid": "l2sc.lam=1", "tune": "oracle"},
            "Two entries are called 'l2sc (oracle)'",
        ),
        (["stsc=kmeans", "l2sc"], {}, "'stsc' is the baseline of 'l2sc'"),
        (["stsc=kmeans", "l2sc"], {"grid": "l2sc.lam=1,2"}, "'stsc' is the baseline of 'l2sc"),
    ],
)
def test_two_methods_with_one_label_are_refused(methods, options, message):
    with pytest.raises(LcbenchError) as caught:
        plan_runs(methods, "digits", **options)
    assert str(caught.value).startswith(message)


def test_a_plan_with_tuning_can_be_pickled():
    plan = plan_runs("l2sc", "digits", grid="l2sc.lam=paper", tune="oracle", repeats=2)
    again = pickle.loads(pickle.dumps(plan))
    assert [planned.run_id for planned in again] == [planned.run_id for planned in plan]
    assert [tuned.record.run_id for tuned in again.tuned] == [tuned.run_id for tuned in plan.tuned]
    assert again.searched == plan.searched


def test_planning_imports_nothing_heavy():
    script = (
        "import sys; from lcbench.experiment.options import Experiment\n"
        "from lcbench.experiment.planning import plan_experiment\n"
        "how = dict(grid='l2sc.lam=paper', tune='oracle', order='random', repeats=2)\n"
        "plan = plan_experiment(Experiment(methods=['l2sc', 'usc'], streams='digits', **how))\n"
        "print(len(plan), *(name for name in ('numpy', 'scipy', 'sklearn') if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["128"]  # 8 of them learn a task of digits alone with usc


def test_every_task_is_also_learned_alone_by_methods_that_could_learn_from_others():
    plan = plan_runs(["l2sc", "pooled-kmeans", "kmeans"], "digits:tasks=3", solo=True)
    solos = [planned for planned in plan if planned.solo]
    assert [(p.record.label, *p.record.order) for p in solos] == [
        (label, f"task-{t}") for label in ("l2sc", "pooled-kmeans") for t in (1, 2, 3)
    ]
    assert labels(p for p in plan if not p.solo) == ["stsc", "l2sc", "kmeans", "pooled-kmeans"]
    by_label = {p.record.label: p.record for p in plan if not p.solo}
    assert [p.run_id for p in solos] == [*by_label["l2sc"].solo_ids, *by_label["pooled-kmeans"].solo_ids]
    assert [p.run_id for p in solos] == [p.record.run_id for p in solos]
    assert {p.record.baseline for p in solos} == {None}


@pytest.mark.parametrize(("tasks", "alone"), [(50, 50), (51, 0)])
def test_unless_the_user_says_so_tasks_are_learned_alone_where_there_are_up_to_fifty(tasks, alone):
    plan = plan_runs("l2sc", f"topics:tasks={tasks}", baselines=False, solo=None)
    assert sum(planned.solo for planned in plan) == alone


def test_the_id_of_a_solo_run_is_that_of_an_ordinary_run_whose_order_is_that_task():
    how = {"seed": 4, "threads": 2, "repeats": 2, "baselines": False}
    solos = [p for p in plan_runs("l2sc:lam=2", "digits:tasks=3", order="random", solo=True, **how) if p.solo]
    assert len(solos) == 6
    for solo in solos:
        plain = plan_runs("l2sc:lam=2", "digits:tasks=3", order=list(solo.record.order), **how)
        assert solo.run_id == plain[solo.record.repeat].run_id


def test_all_orders_of_one_seed_and_repeat_share_their_solo_runs():
    plan = plan_runs("l2sc", "digits:tasks=3", order="all", solo=True, baselines=False)
    assert [len(p.record.order) for p in plan].count(3) == 6
    assert sum(p.solo for p in plan) == 3
    repeated = plan_runs("l2sc", "digits:tasks=3", order="random", repeats=4, solo=True, baselines=False)
    assert sum(p.solo for p in repeated) == 4 * 3
    once, other = (
        {p.run_id for p in plan_runs("l2sc", "digits:tasks=3", order=order, evaluate=evaluate, solo=True) if p.solo}
        for order, evaluate in (("fixed", "all"), ("task-3,task-1,task-2", "last"))
    )
    assert once == other


def test_a_run_of_one_task_that_is_asked_for_is_no_solo_run_whichever_comes_first():
    plan = plan_runs("l2sc", ["digits:tasks=1"], solo=True)
    assert [(p.record.label, p.solo) for p in plan] == [("stsc", False), ("l2sc", False)]
    assert plan[1].record.baseline == plan[0].run_id


def test_a_stream_of_up_to_fifty_tasks_has_solo_runs_unless_the_user_decides_otherwise():
    def alone(tasks: int, **options) -> int:
        return sum(p.solo for p in plan_runs("l2sc", make_stream(tasks=tasks, n=6), **options))

    assert (alone(50, solo=None), alone(51, solo=None)) == (50, 0)
    assert (alone(51, solo=True), alone(3, solo=False)) == (51, 0)


def test_of_a_grid_that_is_tuned_only_the_chosen_point_will_learn_tasks_alone():
    plan = plan_runs("l2sc", "digits", grid="l2sc.lam=0.1,1,10", tune="oracle", solo=True)
    assert not any(p.solo for p in plan)
    assert [tuned.solo for tuned in plan.tuned] == [True]
    assert not plan_runs("l2sc", "digits", grid="l2sc.lam=0.1,1", tune="oracle").tuned[0].solo
    points = plan_runs("l2sc", "digits:tasks=2", grid="l2sc.lam=0.1,1", solo=True)
    assert sum(p.solo for p in points) == 4, "without tuning every point is shown"


def test_a_turn_is_an_order_with_its_baselines_and_solo_runs():
    plan = plan_runs(["l2sc", "kmeans"], "digits:tasks=3", order="random", repeats=2, solo=True)
    assert [(p.record.label, p.record.repeat, p.turn) for p in plan if not p.solo] == [
        ("stsc", 0, 0), ("l2sc", 0, 0), ("stsc", 1, 1), ("l2sc", 1, 1), ("kmeans", 0, 0), ("kmeans", 1, 1),
    ]  # fmt: skip
    assert all(p.turn == p.record.repeat for p in plan if p.solo)


@pytest.mark.parametrize(
    ("order", "kind"),
    [("fixed", "fixed"), ("random", "random"), ("all", "all"), ("leave-one-out", "leave-one-out"),
     ("task-2,task-1", "listed"), (["task-3"], "listed")],
    ids=str,
)  # fmt: skip
def test_a_record_has_the_kind_of_its_order_and_the_name_of_its_experiment(order, kind):
    plan = plan_runs("l2sc", "digits:tasks=3", order=order, name="mine", solo=True)
    assert {p.record.order_kinds for p in plan if not p.solo} == {(kind,)}
    assert {p.record.order_kinds for p in plan if p.solo} <= {("solo",)}
    assert {p.record.experiments for p in plan} == {("mine",)}
    assert {p.record.experiments for p in plan_runs("l2sc", "digits:tasks=3")} == {()}
    assert [p.run_id for p in plan] == [p.run_id for p in plan_runs("l2sc", "digits:tasks=3", order=order, solo=True)]


def test_a_baseline_is_run_once_and_before_the_methods_it_is_for(blob_stream):
    plan = plan_runs(["l2sc", "l2sc:lam=2", "stsc", "usc"], blob_stream)
    assert labels(plan) == ["stsc", "l2sc", "l2sc:lam=2", "usc"]
    assert [planned.record.baseline for planned in plan] == [None, *[plan[0].run_id] * 3]


def test_the_run_id_depends_on_the_data_and_not_on_what_else_is_run(blob_stream):
    (alone,) = (planned.run_id for planned in plan_runs("stsc", blob_stream))
    together = plan_runs(["kmeans", "l2sc"], ["digits:tasks=1", blob_stream])
    assert alone in [planned.run_id for planned in together]
    changed = lcbench.TaskStream.from_arrays("blobs", {t.name: (t.task.X + 1e-9, t.y) for t in blob_stream.tasks()})
    assert [planned.run_id for planned in plan_runs("stsc", changed)] != [alone]


def test_every_1_and_all_are_the_same_run():
    (a,), (b,) = (plan_runs("stsc", "digits", evaluate=text) for text in ("all", "every:1"))
    assert a.record.run_id == b.record.run_id


@pytest.mark.parametrize(
    "options",
    [
        {"repeats": 3},
        {"streams": "digits:tasks=1", "solo": True, "repeats": 4},
        {"order": "task-2,task-1", "solo": True, "repeats": 2},
        {"repeats": 2, "order": "all", "solo": True},
        {"order": "leave-one-out"},
        {"methods": ["l2sc", "stsc"], "solo": True, "grid": ["l2sc.lam=1,2,3"]},
        {"grid": ["l2sc.lam=1,2,3"], "tune": "oracle", "solo": True},
        {"streams": ["digits:tasks=3", "topics:tasks=2"], "solo": None},
    ],
    ids=str,
)
def test_an_experiment_of_too_many_runs_is_refused_before_it_is_planned(monkeypatch, options):
    wanted = {"methods": "l2sc", "streams": "digits:tasks=3", "baselines": False} | options
    count = len(plan_runs(**wanted))
    assert count > 2
    monkeypatch.setattr("lcbench.experiment.planning.MOST_RUNS", count)
    assert len(plan_runs(**wanted)) == count
    monkeypatch.setattr("lcbench.experiment.planning.MOST_RUNS", count - 1)
    monkeypatch.setattr("lcbench.experiment.planning._Planner._add", None)
    with pytest.raises(LcbenchError, match=f"These are at least {count} runs, and {count - 1} are the most"):
        plan_runs(**wanted)


def test_a_planned_run_takes_little_memory_so_that_a_million_fit():
    points = ",".join(str(number) for number in range(1, 51))
    plan_runs("l2sc", "digits")  # what is loaded once does not count
    tracemalloc.start()
    try:
        plan = plan_runs("l2sc", "digits", order="random", repeats=30, grid=[f"l2sc.lam={points}"], solo=True)
        used, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(plan) == 50 * 30 * 5 + 30, "every point with four solo runs, and its baseline"
    assert used / len(plan) < 600, "a record of its own would take twice as much"


def test_names_in_another_case_make_the_same_runs():
    from lcbench.experiment.options import Experiment
    from lcbench.experiment.pipeline import prepare

    asked = [
        Experiment(methods="l2sc:lam=2", streams="digits:tasks=2", order="random", grid="l2sc.mu=1,2"),
        Experiment(methods="L2SC:lam=2", streams="Digits:tasks=2", order="Random", grid="L2sc.mu=1,2"),
    ]
    ids = [[planned.run_id for planned in prepare(each).plan] for each in asked]
    assert ids[0] == ids[1]
