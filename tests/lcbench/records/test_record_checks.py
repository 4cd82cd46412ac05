"""A record of an older schema, which no checksum protects, is refused if anything in it cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest
from edited_records import older
from making import make_audited, make_record

from lcbench.audit.verdict import verdict_of
from lcbench.errors import RecordError
from lcbench.records.record_checks import check_record
from lcbench.records.run_files import parse_run, run_content
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import metric_spec

MEASURE = make_audited().audit["measure"]
CHOICE = {"params": {}, "run_id": None, "points": [{"run_id": "a"}]}
WRONG = {
    "no order": ({"order": None}, "it is no record of a run"),
    "another seed": ({"seed": 1}, "what it says does not fit its id"),
    "status": ({"status": "fine"}, "its status is 'fine'"),
    "setting": ({"setting": "lifelog"}, "its setting is 'lifelog'"),
    "scores": ({"scores": 3}, "its 'scores' cannot be read"),
    "a matrix": ({"scores": {"nmi": "high"}}, "its scores of 'nmi' do not fit its 2 tasks"),
    "a row": ({"scores": {"nmi": [[0.5, None], 3]}}, "its scores of 'nmi' do not fit its 2 tasks"),
    "a cell": ({"scores": {"nmi": [[0.5, None], [0.5, "x"]]}}, "its scores of 'nmi' do not fit its 2 tasks"),
    "rows missing": ({"scores": {"nmi": [[0.5, None]]}}, "its scores of 'nmi' do not fit its 2 tasks"),
    "too good": ({"scores": {"nmi": [[0.5, None], [9.0, 0.1]]}}, "its nmi of 9 is outside of the range from 0 to 1"),
    "too bad": ({"scores": {"ari": [[0.5, None], [-0.6, 0.1]]}}, "its ari of -0.6 is outside of the range from -0.5 "),
    "seconds": ({"learn_seconds": ["long"]}, "its 'learn_seconds' cannot be read"),
    "no seconds": ({"learn_seconds": []}, "its 'learn_seconds' does not fit its 2 tasks"),
    "no states": ({"state_bytes": [1]}, "its 'state_bytes' does not fit its 2 tasks"),
    "a trace": ({"objective_trace": [3, None]}, "its 'objective_trace' cannot be read"),
    "audit": ({"audit": []}, "its 'audit' cannot be read"),
    "no measure": ({"audit": {"measure": None}}, "its 'audit' cannot be read"),
    "empty measure": ({"audit": {"measure": {}}}, "its 'audit' cannot be read"),
    "sizes": ({"audit": {"measure": {**MEASURE, "held_bytes": "much"}}}, "its 'audit' cannot be read"),
    "no data": ({"audit": {"measure": {**MEASURE, "task_bytes": [0, 0]}}}, "its 'audit' cannot be read"),
    "too few": ({"audit": {"measure": {**MEASURE, "task_bytes": [9]}}}, "its 'audit' cannot be read"),
    "reached": ({"audit": {"measure": {**MEASURE, "first_reachable": {}}}}, "its 'audit' cannot be read"),
    "replay": ({"audit": {"poison": {}}}, "its 'audit' cannot be read"),
    "where": ({"audit": {"isolate": {"passed": False}}}, "its 'audit' cannot be read"),
    "another audit": ({"audit": {"new": 3}}, "its 'audit' cannot be read"),
    "choice": ({"choice": {}}, "its 'choice' cannot be read"),
    "points": ({"choice": {**CHOICE, "points": [{}]}}, "its 'choice' cannot be read"),
    "label": ({"label": 7}, "its 'label' cannot be read"),
    "environment": ({"environment": []}, "its 'environment' cannot be read"),
    "agreement": ({"agreement": None}, "its 'agreement' cannot be read"),
    "rows of agreement": ({"agreement": [[1.0, None]]}, "its 'agreement' does not fit its 2 tasks"),
    "shares": ({"largest": [0.5, "x"]}, "its 'largest' cannot be read"),
    "too few shares": ({"largest": [0.5]}, "its 'largest' does not fit its 2 tasks"),
    "experiments": ({"experiments": [1]}, "its 'experiments' cannot be read"),
    "kinds of orders": ({"order_kinds": [None]}, "its 'order_kinds' cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize(("values", "why"), WRONG.values(), ids=WRONG)
def test_a_value_that_cannot_be_is_refused_and_named(values, why):
    record = make_record()
    content = run_content(record, "0")
    assert not parse_run(older(content), record.run_id)[0].verified
    with pytest.raises(RecordError) as refused:
        parse_run(older(content, **values), record.run_id)
    assert str(refused.value).startswith(why)


@pytest.mark.parametrize(
    "audit",
    [
        {"measure": MEASURE}, {"isolate": {"passed": None, "reason": "no"}}, {"later": {"any": 1}},
        {"poison": {"passed": False, "step": 1, "task": "a", "error": "E: x"}, "measure": MEASURE},
        {"measure": {**MEASURE, "first_reachable": {"step": 1, "task": "a"}}},
    ],
    ids=str,
)  # fmt: skip
def test_audits_that_can_be_are_read_and_judged(audit):
    record = make_record(audit=audit)
    check_record(record)
    assert verdict_of(record).kept


def test_a_failed_run_may_have_fewer_seconds_and_measures_than_tasks():
    check_record(make_record(status="failed", order="abc", audit={"measure": {**MEASURE, "task_bytes": [9]}}))


@pytest.mark.parametrize("score", [0, 1, 1 + 1e-12, -1e-12], ids=str)
def test_the_ends_of_a_range_belong_to_it_and_rounding_does_not_matter(score):
    check_record(make_record("m", [[0.5, None], [score, 0.5]], metric="nmi"))


def test_where_the_plugin_is_gone_or_declares_no_range_every_number_is_read(monkeypatch):
    check_record(make_record("m", [[0.5, None], [200.0, -7]], metric="gone"))
    metrics = plugin_host().registry.metrics
    monkeypatch.setitem(metrics._specs, "nmi", replace(metrics["nmi"], range=None))
    check_record(make_record("m", [[0.5, None], [200.0, -7]], metric="nmi"))


def test_a_metric_with_parameters_has_the_range_of_its_spec():
    assert metric_spec("nmi:average=geometric").range == (0, 1)
    with pytest.raises(RecordError, match="its nmi:average=geometric of 2 is outside"):
        check_record(make_record("m", [[0.5, None], [2, 0.5]], metric="nmi:average=geometric"))
