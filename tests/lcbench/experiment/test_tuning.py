"""Tuning on fabricated records: two tasks, three points of lam, two repeats; and on real runs with labels permuted."""

from __future__ import annotations

import json
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plans import plan_runs

from lcbench.contract.specs import MetricKind, MetricSpec
from lcbench.contract.stream import ArrayStream
from lcbench.contract.task import LabelledTask
from lcbench.experiment.options import Experiment
from lcbench.experiment.pipeline import carry_out, prepare
from lcbench.experiment.planning import Plan
from lcbench.experiment.tuning import RULES, gaps, tuned_records
from lcbench.records.record import CRASHED, FAILED, OK, TIMEOUT, RunRecord
from lcbench.registry.host import plugin_host
from lcbench.running.executor import InProcess

GRID = {"l2sc": {"lam": [0.1, 1, 10]}}
# point -> repeat -> R of purity: the first task at its arrival, then both tasks at the end
PURITY = {
    0.1: [[[0.9, None], [0.5, 0.5]], [[0.1, None], [0.9, 0.7]]],
    1.0: [[[0.6, None], [0.7, 0.7]], [[0.3, None], [0.7, 0.6]]],
    10.0: [[[0.5, None], [0.8, 0.6]], [[0.8, None], [0.2, 0.2]]],
}
SILHOUETTE = {
    0.1: [[[0.0, None], [0.1, 0.1]], [[0.0, None], [0.3, 0.3]]],
    1.0: [[[0.9, None], [0.1, 0.2]], [[0.9, None], [0.4, 0.3]]],
    10.0: [[[0.0, None], [0.2, 0.2]], [[0.9, None], [0.2, 0.1]]],
}
# Means of the last rows: lam=0.1 has .5 and .8, lam=1 has .7 and .65, lam=10 has .7 and .2.
# oracle: means .65, .675, .45, so 1 for both. first-task: .9 and .8, so 0.1 and then 10.
# silhouette: .1 .15 .2 and .3 .35 .15, so 10 and then 1.
CHOSEN = {"oracle": [1.0, 1.0], "first-task": [0.1, 10.0], "silhouette": [10.0, 1.0]}


def make_plan(tune: str, repeats: int = 2, **options) -> Plan:
    return plan_runs("l2sc", "digits:tasks=2", grid=GRID, tune=tune, repeats=repeats, **options)


def fabricated(plan: Plan, **changed) -> dict[str, RunRecord]:
    """Records of all runs of the plan. `changed` are attributes of a run as `lam_repeat={...}`."""
    records = {}
    for number, planned in enumerate(plan):
        record = planned.record.blank()
        lam = record.params.get("lam", 0.1)
        record.scores = {
            "purity": PURITY[lam][record.repeat],
            "nmi": [[None if cell is None else cell / 2 for cell in row] for row in PURITY[lam][record.repeat]],
            "silhouette": SILHOUETTE[lam][record.repeat],
        }
        record.learn_seconds, record.predict_seconds = [1.0 + number, 2.0], [0.25, 0.5]
        record.metric_seconds, record.state_bytes, record.peak_bytes = [0.0, 0.0], [number, 10 * number], 1000 + number
        record.objective_trace, record.audit = [[1.0 * number], None], {"number": number}
        record.agreement = [[1.0, None], [0.01 * number, 1.0]]
        record.largest = [0.5, 0.01 * number]
        record.environment, record.code = {"machine": "m"}, {"number": number}
        record.digest, record.finished = f"digest-{number}", f"2024-01-01T00:00:{number:02}"
        for name, value in changed.get(f"lam{lam:g}_{record.repeat}", {}).items():
            setattr(record, name, value)
        records[planned.run_id] = record
    return records


def chosen(records: list[RunRecord]) -> list[float | None]:
    return [None if run.choice["params"] is None else run.choice["params"]["lam"] for run in records]


@pytest.mark.parametrize("protocol", RULES)
def test_each_protocol_chooses_as_worked_by_hand(protocol):
    plan = make_plan(protocol)
    tuned = tuned_records(plan, fabricated(plan))
    assert chosen(tuned) == CHOSEN[protocol]
    assert [run.label for run in tuned] == [f"l2sc ({protocol})"] * 2
    assert [run.run_id for run in tuned] == [planned.run_id for planned in plan.tuned]


def test_the_figures_that_decided_are_in_the_record():
    plan = make_plan("oracle")
    for run in tuned_records(plan, fabricated(plan)):
        assert [point["value"] for point in run.choice["points"]] == pytest.approx([0.65, 0.675, 0.45])
        assert [point["params"] for point in run.choice["points"]] == [{"lam": 0.1}, {"lam": 1.0}, {"lam": 10.0}]
        assert (run.choice["metric"], run.tune["protocol"]) == ("purity", "oracle")
    plan = make_plan("silhouette")
    first = tuned_records(plan, fabricated(plan))[0]
    assert [point["value"] for point in first.choice["points"]] == pytest.approx([0.1, 0.15, 0.2])
    assert first.choice["metric"] == first.tune["metric"] == "silhouette"


@pytest.mark.parametrize("protocol", RULES)
def test_a_tuned_record_is_its_chosen_run_under_its_own_name(protocol):
    plan = make_plan(protocol)
    records = fabricated(plan)
    for planned, run in zip(plan.tuned, tuned_records(plan, records), strict=True):
        source = records[run.choice["run_id"]]
        assert source.params["lam"] == run.choice["params"]["lam"]
        assert run.params["lam"] == 1.0  # its own parameters are those of the entry
        for name in (
            "scores", "learn_seconds", "predict_seconds", "metric_seconds", "state_bytes", "peak_bytes",
            "objective_trace", "audit", "environment", "code", "labels_digest", "finished", "baseline", "summary",
            "agreement", "largest",
        ):  # fmt: skip
            assert getattr(run, name) == getattr(source, name), name
        assert run.status == OK
        assert records[run.baseline].label == "stsc"
        others = [records[run_id] for run_id in planned.candidates]
        seconds = sum(sum(o.learn_seconds) + sum(o.predict_seconds) for o in others)
        assert run.choice["search_seconds"] == pytest.approx(seconds)
        assert RunRecord.from_json(json.loads(json.dumps(run.to_json()))).to_json() == run.to_json()


def test_the_note_says_how_it_was_tuned_and_what_the_method_says():
    plan = make_plan("oracle", repeats=1)
    (run,) = tuned_records(plan, fabricated(plan))
    assert run.note == "old tasks re-encoded when asked; tuned by oracle (with labels) over 3 points of lam"
    plan = plan_runs("stsc", "digits", grid={"stsc": {"sigma": [1, 2], "n_neighbors": [5]}}, tune="first-task")
    said = "tuned by first-task (with labels of the first task) over 2 points of sigma and n_neighbors"
    assert plan.tuned[0].record.note == said


def test_the_baseline_is_that_of_the_chosen_point():
    plan = plan_runs("l2sc", "digits:tasks=2", grid={"l2sc": {"n_neighbors": [5, 20]}}, tune="silhouette")
    for best in (5, 20):
        records = {}
        for planned in plan:
            records[planned.run_id] = planned.record.blank()
            value = 0.5 if planned.record.params["n_neighbors"] == best else 0.1
            records[planned.run_id].scores = {"silhouette": [[value, None], [value, value]]}
        (run,) = tuned_records(plan, records)
        assert run.choice["params"] == {"n_neighbors": best}
        assert records[run.baseline].params["n_neighbors"] == best


@pytest.mark.parametrize("protocol", RULES)
def test_of_equal_points_the_earlier_one_is_taken(protocol):
    plan = make_plan(protocol, repeats=1)
    same = {"scores": {"purity": [[0.5, None], [0.5, 0.5]], "silhouette": [[0.5, None], [0.5, 0.5]]}}
    records = fabricated(plan, lam1_0=same, lam10_0=same, **{"lam0.1_0": {"status": FAILED}})
    assert chosen(tuned_records(plan, records)) == [1.0]


@pytest.mark.parametrize("protocol", RULES)
def test_a_run_that_did_not_end_well_is_never_chosen_and_is_listed(protocol):
    plan = make_plan(protocol, repeats=1)
    whole = fabricated(plan)
    best = chosen(tuned_records(plan, whole))[0]
    records = fabricated(plan, **{f"lam{best:g}_0": {"status": TIMEOUT}})
    (run,) = tuned_records(plan, records)
    points = {point["params"]["lam"]: point for point in run.choice["points"]}
    assert run.choice["params"]["lam"] != best
    assert (points[best]["status"], points[best]["value"]) == (TIMEOUT, None)
    assert {point["status"] for lam, point in points.items() if lam != best} == {OK}
    assert run.status == OK


def test_under_oracle_a_point_needs_all_its_runs():
    plan = make_plan("oracle")
    tuned = tuned_records(plan, fabricated(plan, lam1_1={"status": CRASHED}))
    assert chosen(tuned) == [0.1, 0.1]
    for run in tuned:
        assert [(p["status"], p["value"] is None) for p in run.choice["points"]] == [
            (OK, False), (CRASHED, True), (OK, False),
        ]  # fmt: skip


@pytest.mark.parametrize("protocol", RULES)
def test_a_run_that_lacks_the_figure_is_never_chosen(protocol):
    plan = make_plan(protocol, repeats=1)
    best = chosen(tuned_records(plan, fabricated(plan)))[0]
    hole = {"purity": [[None, None], [0.9, None]], "silhouette": [[0.9, None], [None, 0.9]]}
    for scores in (hole, {}):
        (run,) = tuned_records(plan, fabricated(plan, **{f"lam{best:g}_0": {"scores": scores}}))
        point = next(point for point in run.choice["points"] if point["params"]["lam"] == best)
        assert run.choice["params"]["lam"] != best
        assert (point["status"], point["value"]) == (OK, None)


@pytest.mark.parametrize("protocol", RULES)
def test_if_nothing_can_be_chosen_the_tuned_run_failed_and_says_so(protocol):
    plan = make_plan(protocol, repeats=1)
    ends = {"lam0.1_0": {"status": TIMEOUT}, "lam1_0": {"status": FAILED}, "lam10_0": {"status": FAILED}}
    (run,) = tuned_records(plan, fabricated(plan, **ends))
    assert (run.status, run.scores, run.baseline) == (FAILED, {}, None)
    assert run.error == "No point of the grid ended well (1 timeout, 2 failed): there is nothing to choose."
    assert (run.choice["params"], run.choice["run_id"]) == (None, None)
    assert [point["status"] for point in run.choice["points"]] == [TIMEOUT, FAILED, FAILED]
    ends = {"lam0.1_0": {"status": TIMEOUT}, "lam1_0": {"scores": {}}, "lam10_0": {"scores": {}}}
    (run,) = tuned_records(plan, fabricated(plan, **ends))
    metric = "silhouette" if protocol == "silhouette" else "purity"
    assert run.error == f"No point of the grid has the {metric} that tune={protocol} looks at (1 timeout besides)."


def test_nothing_is_chosen_before_all_candidates_are_there():
    for protocol, left in (("oracle", []), ("first-task", [0.1]), ("silhouette", [10.0])):
        plan = make_plan(protocol)
        records = fabricated(plan)
        del records[plan.tuned[1].candidates[2]]
        assert chosen(tuned_records(plan, records)) == left
        assert gaps(plan, records, ["purity"]) == []
    assert tuned_records(make_plan("oracle"), {}) == []


def test_a_metric_where_less_is_better_is_minimised(monkeypatch):
    less = MetricSpec("loss", "a:B", MetricKind.EXTERNAL, greater_is_better=False)
    monkeypatch.setitem(plugin_host().registry.metrics._specs, "loss", less)
    for protocol, lams in (("oracle", [10.0, 10.0]), ("first-task", [10.0, 0.1]), ("silhouette", [10.0, 1.0])):
        plan = make_plan(protocol, tune_metric="loss")
        records = fabricated(plan)
        for record in records.values():
            record.scores["loss"] = record.scores.pop("purity")
        assert chosen(tuned_records(plan, records)) == lams


def test_the_tuning_metric_is_the_one_that_is_asked_for():
    plan = make_plan("oracle", tune_metric="nmi")
    records = fabricated(plan)
    for record in records.values():
        if record.params.get("lam") == 10:
            record.scores["nmi"] = [[1, None], [1, 1]]
    assert chosen(tuned_records(plan, records)) == [10.0, 10.0]


@pytest.mark.parametrize("protocol", RULES)
def test_the_gap_is_the_same_whatever_protocol_was_asked_for(protocol):
    plan = make_plan(protocol)
    purity, nmi = gaps(plan, fabricated(plan), ["purity", "nmi"])
    # The choices as above; last rows of what was chosen: .7 .65; .5 .2; .7 .65. Untuned is lam=1.
    assert (purity.stream, purity.method, purity.metric) == ("digits:tasks=2", "l2sc", "purity")
    assert (purity.points, purity.runs) == (3, 2)
    assert purity.means == pytest.approx({"oracle": 0.675, "first-task": 0.35, "silhouette": 0.675})
    assert purity.untuned == pytest.approx(0.675)
    assert [purity.lost(rule) for rule in RULES] == pytest.approx([0, 0.325, 0])
    # nmi is half of it everywhere, and the choice is by purity still.
    assert nmi.lost("first-task") == pytest.approx(0.1625)


def test_a_gap_is_missing_where_a_protocol_can_choose_nothing_or_nobody_ran_the_default():
    plan = plan_runs("l2sc", "digits:tasks=2", grid={"l2sc": {"lam": [0.1, 10]}}, tune="oracle")
    records = fabricated(plan)
    for record in records.values():
        del record.scores["silhouette"]
    (gap,) = gaps(plan, records, ["purity"])
    assert (gap.means["silhouette"], gap.lost("silhouette"), gap.untuned) == (None, None, None)
    assert gap.lost("first-task") == pytest.approx(0.7 - 0.5)
    own = plan_runs(["l2sc", "default=l2sc:lam=1"], "digits:tasks=2", grid={"l2sc": {"lam": [0.1, 10]}}, tune="oracle")
    (gap,) = gaps(own, fabricated(own), ["purity"])
    assert gap.untuned == pytest.approx(0.7)


cells = st.floats(0, 1)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(st.tuples(cells, cells, cells), min_size=3, max_size=3), min_size=1, max_size=4))
def test_the_oracle_is_at_least_as_good_as_every_point_and_every_other_protocol(runs):
    plan = make_plan("oracle", repeats=len(runs), baselines=False)
    records = {}
    for planned in plan:
        record = records[planned.run_id] = planned.record.blank()
        first, last, other = runs[record.repeat][(0.1, 1.0, 10.0).index(record.params["lam"])]
        record.scores = {
            "purity": [[first, None], [last, other]],
            "silhouette": [[last, None], [first, 1 - other]],
        }
    means = [fmean([fmean(run[point][1:]) for run in runs]) for point in range(3)]
    (gap,) = gaps(plan, records, ["purity"])
    assert gap.means["oracle"] == pytest.approx(max(means), abs=1e-12)
    assert {run.choice["params"]["lam"] for run in tuned_records(plan, records)} == {
        (0.1, 1.0, 10.0)[means.index(max(means))]
    }
    # A choice for every run by itself can be no better than the best of every run.
    ceiling = fmean([max(fmean(point[1:]) for point in run) for run in runs])
    assert max(gap.means.values()) <= ceiling + 1e-12


class Locked(list):
    """A row or matrix of which only the first element may be read."""

    def __getitem__(self, index):
        assert index == 0, "a score was read that the protocol must not see"
        return super().__getitem__(index)

    def __iter__(self):
        raise AssertionError("scores were read that the protocol must not see")


class Sealed(dict):
    """Scores of which only some metrics may be read."""

    def __init__(self, scores, *allowed):
        super().__init__(scores)
        self.allowed = allowed

    def get(self, key, default=None):
        assert key in self.allowed, f"{key} was read"
        return super().get(key, default)

    __getitem__ = get


def test_first_task_reads_one_score_and_silhouette_reads_no_labels():
    plan = make_plan("first-task")
    records = fabricated(plan)
    for record in records.values():
        rows = record.scores["purity"]
        record.scores = Sealed({"purity": Locked([Locked(rows[0]), Locked(rows[1])])}, "purity")
    assert chosen(tuned_records(plan, records)) == CHOSEN["first-task"]
    plan = make_plan("silhouette")
    records = fabricated(plan)
    for record in records.values():
        record.scores = Sealed(record.scores, "silhouette")
    assert chosen(tuned_records(plan, records)) == CHOSEN["silhouette"]


def stream_told(told: dict[str, np.ndarray]) -> ArrayStream:
    """Three tasks of overlapping groups; those in `told` have these labels instead of the true ones."""
    tasks = []
    for name in ("task-1", "task-2", "task-3"):
        generator = np.random.default_rng(list(name.encode()))
        y = generator.permutation(np.arange(60) % 3)
        X = np.kron(np.eye(3), np.ones(4))[y] + 4.0 * generator.random((60, 12))
        tasks.append(LabelledTask.from_arrays(name, X, told.get(name, y)))
    return ArrayStream("noisy", tasks)


def chosen_by_all(stream: ArrayStream) -> tuple[dict[str, str], list[RunRecord]]:
    """The labels_digest that each protocol chooses, all among the same runs; and these runs."""
    grid = {"kmeans": {"n_init": [1], "max_iter": [1, 2, 300], "unit_rows": [True, False]}}
    plans = {protocol: plan_runs("kmeans", stream, grid=grid, tune=protocol) for protocol in RULES}
    asked = Experiment(methods="kmeans", streams=stream, grid=grid, metrics=["purity", "silhouette"])
    runs = carry_out(prepare(asked), executor=InProcess()).runs
    records = {run.run_id: run for run in runs}
    return {protocol: tuned_records(plan, records)[0].labels_digest for protocol, plan in plans.items()}, runs


def test_labels_that_a_protocol_must_not_see_change_nothing():
    true, runs = chosen_by_all(stream_told({}))
    worst = min(runs, key=lambda run: fmean(run.scores["purity"][-1]))
    worst_first = min(runs, key=lambda run: run.scores["purity"][0][0])
    later = {name: worst.labels[-1][name] for name in ("task-2", "task-3")}
    others, _ = chosen_by_all(stream_told(later))
    everything, _ = chosen_by_all(stream_told({"task-1": worst_first.labels[0]["task-1"], **later}))
    assert others["first-task"] == true["first-task"]
    assert everything["silhouette"] == others["silhouette"] == true["silhouette"]
    # Labels that say the worst run is right do count for those who may see them.
    assert everything["oracle"] != true["oracle"]
    assert everything["first-task"] != true["first-task"]
