from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest
from making import make_record, make_stream

import lcbench
from lcbench.contract.hashing import canonical_json
from lcbench.errors import ParameterError
from lcbench.records.record import FAILED, RunRecord, is_scored, not_tuned, parse_evaluate

BASE = make_record(
    "l2sc", scores={}, params={"lam": 1.0}, stream="digits", stream_params={"classes": (3, 5)}, stream_digest="digits-1"
)


def labelled(*steps):
    """The base record with the labels of each step."""
    labels = [{task: np.array(values, dtype=np.int64) for task, values in step.items()} for step in steps]
    return replace(BASE, labels=labels)


@pytest.fixture(scope="module")
def finished():
    """A real run of a lifelong method on three small tasks."""
    return lcbench.run("l2sc:n_neighbors=5", make_stream(tasks="abc", n=30), baselines=False)[0]


def test_the_run_id_is_the_hash_of_the_canonical_json_of_all_that_decides_the_labels():
    text = (
        '{"evaluate":{"cells":"all","future":false},'
        '"method":{"name":"l2sc","params":{"lam":1.0},"revision":1},'
        '"order":["a","b"],"repeat":0,"seed":0,'
        '"stream":{"digest":"digits-1","name":"digits","params":{"classes":[3,5]}},'
        '"threads":1,"tune":{"grid":null,"protocol":"none"}}'
    )
    assert canonical_json(BASE.identity) == text
    assert BASE.run_id == hashlib.sha256(text.encode()).hexdigest()
    given, turned = {"lam": 1.0, "mu": 2.0}, {"mu": 2.0, "lam": 1.0}
    assert replace(BASE, params=given).run_id == replace(BASE, params=turned).run_id
    assert replace(BASE, stream_params={"classes": [3, 5]}).run_id == BASE.run_id


@pytest.mark.parametrize(
    "change",
    [
        {"method": "stsc"}, {"revision": 2}, {"params": {"lam": 2.0}}, {"stream": "topics"},
        {"stream_params": {"classes": (5, 3)}}, {"stream_digest": "digits-2"}, {"order": ("b", "a")},
        {"order": ("a",)}, {"seed": 1}, {"repeat": 1}, {"evaluate": "last"}, {"future": True}, {"threads": 2},
    ],
    ids=str,
)  # fmt: skip
def test_the_run_id_changes_with_everything_that_decides_the_labels(change):
    assert replace(BASE, **change).run_id != BASE.run_id


@pytest.mark.parametrize(
    "change",
    [
        {"label": "mine"}, {"stream_label": "mine"}, {"environment": {"python": "3.11"}}, {"note": "said"},
        {"baseline": "0" * 64}, {"status": FAILED, "error": "boom"}, {"learn_seconds": [1.0]},
        {"experiments": ("mine",)}, {"order_kinds": ("random",)},
    ],
    ids=str,
)  # fmt: skip
def test_the_run_id_does_not_change_with_anything_else(change):
    assert replace(BASE, **change).run_id == BASE.run_id


def test_the_labels_digest_changes_when_any_one_label_changes():
    steps = [{"a": [0, 1, 0]}, {"a": [0, 1, 1], "b": [1, 0]}]
    digests = {labelled(*steps).labels_digest}
    for step, labels in enumerate(steps):
        for task, values in labels.items():
            for i in range(len(values)):
                changed = json.loads(json.dumps(steps))
                changed[step][task][i] += 1
                digests.add(labelled(*changed).labels_digest)
    assert len(digests) == 1 + 8


def test_the_same_labels_in_other_steps_or_tasks_have_another_digest():
    records = [
        labelled({"a": [0, 1], "b": [2]}), labelled({"a": [0], "b": [1, 2]}), labelled({"a": [0, 1]}, {"b": [2]}),
        labelled({"b": [0, 1, 2]}), labelled({"a": [0, 1, 2]}),
    ]  # fmt: skip
    assert len({record.labels_digest for record in records}) == 5


def test_the_labels_digest_does_not_depend_on_types_strides_and_order_of_tasks():
    kept = replace(
        BASE, labels=[{"b": np.array([1], dtype=np.int32), "a": np.array([0, 5, 1, 5], dtype=np.uint8)[::2]}]
    )
    assert kept.labels_digest == labelled({"a": [0, 1], "b": [1]}).labels_digest
    assert BASE.labels_digest is None


def test_the_json_of_a_real_run_survives_a_strict_round_trip(finished):
    run = replace(finished, experiments=("one", "two"), order_kinds=("fixed", "random"))
    written = run.to_json()
    assert json.loads(json.dumps(written, allow_nan=False)) == written
    assert (written["run_id"], written["status"], written["order"]) == (finished.run_id, "ok", ["a", "b", "c"])
    assert [len(trace) > 0 for trace in written["objective_trace"]] == [True] * 3
    assert "labels" not in written
    again = RunRecord.from_json(json.loads(json.dumps(written)))
    assert again.to_json() == written
    assert (again.experiments, again.order_kinds) == (("one", "two"), ("fixed", "random"))


def test_one_row_per_step_is_recorded(finished):
    steps = [finished.learn_seconds, finished.predict_seconds, finished.state_bytes, finished.objective_trace]
    assert [len(column) for column in (*steps, finished.labels, finished.agreement)] == [3] * 6
    assert [sorted(labels) for labels in finished.labels] == [["a"], ["a", "b"], ["a", "b", "c"]]
    largest = [np.bincount(finished.labels[-1][task]).max() / 30 for task in finished.order]
    assert finished.largest == pytest.approx(largest)
    assert [[cell is None for cell in row] for row in finished.scores["nmi"]] == [
        [False, True, True],
        [False, False, True],
        [False, False, False],
    ]


def test_the_solo_ids_are_those_of_ordinary_runs_whose_order_is_one_task():
    run = replace(BASE, seed=3, repeat=2, threads=2)
    alone = [replace(run, order=(task,)).run_id for task in run.order]
    assert run.solo_ids == tuple(alone)
    assert [run.solo(task).run_id for task in run.order] == alone
    assert replace(run, order=("b", "a")).solo_ids == tuple(reversed(alone))
    assert replace(run, evaluate="last", future=True).solo_ids == run.solo_ids, "one task is scored once"
    assert set(replace(run, repeat=3).solo_ids).isdisjoint(alone)
    assert set(replace(run, seed=4).solo_ids).isdisjoint(alone)
    assert replace(run, setting="single-task").solo_ids == (), "it always learns tasks alone"
    assert len(replace(run, setting="multi-task").solo_ids) == 2


def test_the_solo_runs_of_a_tuned_run_have_the_parameters_that_were_chosen():
    tune = {"protocol": "oracle", "grid": [{"lam": 1.0}, {"lam": 5.0}], "metric": "nmi", "over": "x"}
    choice = {"params": {"lam": 5.0}, "run_id": "0" * 64, "points": []}
    tuned = replace(BASE, params={"lam": 1.0, "mu": 2.0}, tune=tune, choice=choice)
    chosen = replace(BASE, params={"lam": 5.0, "mu": 2.0})
    assert (chosen.tune, tuned.solo_ids) == (not_tuned(), chosen.solo_ids)
    nothing = replace(tuned, choice={**choice, "params": None})
    assert nothing.solo_ids == replace(BASE, params={"lam": 1.0, "mu": 2.0}).solo_ids


def test_a_blank_or_solo_record_has_the_names_of_the_run_and_no_results(finished):
    run = replace(finished, baseline="0" * 64, experiments=("mine",), order_kinds=("random",), evaluate="last")
    blank, alone = run.blank(), run.solo("b")
    assert (blank.run_id, blank.code, blank.baseline, blank.order_kinds) == (
        run.run_id,
        run.code,
        "0" * 64,
        ("random",),
    )
    assert (alone.order, alone.order_kinds, alone.baseline, alone.evaluate) == (("b",), ("solo",), None, "all")
    for each in (blank, alone):
        assert (each.label, each.stream_label, each.stream_tasks) == (run.label, run.stream_label, run.stream_tasks)
        assert (each.experiments, each.scores, each.labels) == (("mine",), {}, [])
        assert (each.learn_seconds, each.finished) == ([], None)


@pytest.mark.parametrize(
    ("kinds", "joined"), [(("fixed",), ("fixed", "random")), ((), ())], ids=["now", "version 0.1, which goes with all"]
)
def test_a_run_joins_experiments_and_kinds_of_orders_once(kinds, joined):
    run = replace(BASE, experiments=("one",), order_kinds=kinds)
    assert not run.join(replace(BASE, experiments=("one",), order_kinds=("fixed",)))
    assert not run.join(replace(BASE, order_kinds=("fixed",)))
    assert run.join(replace(BASE, experiments=("two",), order_kinds=("random",)))
    assert (run.experiments, run.order_kinds) == (("one", "two"), joined)
    assert run.run_id == BASE.run_id


def test_a_stored_run_takes_the_names_of_the_experiment_that_asks_for_it(finished):
    planned = replace(BASE, label="mine", stream_label="ours", note="for table 2", baseline="0" * 64)
    named = replace(finished).called_as(planned)
    changed = {key for key, value in finished.to_json().items() if named.to_json()[key] != value}
    assert changed == {"label", "stream_label", "note", "baseline_run_id"}
    assert (named.label, named.stream_label, named.note, named.baseline) == ("mine", "ours", "for table 2", "0" * 64)


def test_the_summary_is_computed_from_the_scores_of_a_finished_run_only():
    run = replace(BASE, scores={"nmi": [[0.5, None], [0.75, 0.25]]}, agreement=[[1.0, None], [0.625, 1.0]])
    assert {name: figure["value"] for name, figure in run.summary["nmi"].items()} == {
        "average_at_arrival": 0.375, "average_after_all": 0.5, "backward_transfer": 0.25, "backward": 0.125,
        "forgetting": -0.25, "partition_agreement": 0.625, "area_under_curve": 0.5, "average_before_learning": None,
        "solo_average": None, "forward": None, "total_transfer": None, "first_task_noise": None, "own_gain": None,
        "learning_gain": None, "gain_over_single_task": None,
    }  # fmt: skip
    assert replace(run, status=FAILED).summary == {}


@pytest.mark.parametrize(
    ("evaluate", "total", "scored_after"),
    [
        ("all", 4, [1, 2, 3, 4]),
        ("last", 4, [4]),
        ("every:2", 5, [2, 4, 5]),
        ("every:10", 4, [4]),
    ],
)
def test_tasks_are_scored_as_asked_and_always_after_the_last(evaluate, total, scored_after):
    every = parse_evaluate(evaluate)
    assert [learned for learned in range(1, total + 1) if is_scored(learned, total, every)] == scored_after


@pytest.mark.parametrize("text", ["", "ALL", "every:", "every:0", "every:1.5", "every:2 "])
def test_an_unknown_schedule_is_refused_with_a_list_of_the_valid_ones(text):
    with pytest.raises(ParameterError, match="takes all, last or every:N with N of at least 1, not") as caught:
        parse_evaluate(text)
    assert f"'{text}'" in str(caught.value)
