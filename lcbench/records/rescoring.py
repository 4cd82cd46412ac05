"""Adds metrics and agreement to runs that are stored, from their saved labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from lcbench.errors import RecordError
from lcbench.records.record import OK, is_scored, parse_evaluate

if TYPE_CHECKING:
    from lcbench.contract.metric import Metric
    from lcbench.contract.task import LabelledTask
    from lcbench.records.record import RunRecord
    from lcbench.records.store import Store


def add_scores(record: RunRecord, tasks: Sequence[LabelledTask], metrics: Mapping[str, Metric]) -> None:
    """Add the scores of `metrics` to a record, from its labels; and its `agreement` if an older lcbench wrote none."""
    from lcbench.records.agreement import agreement_matrix
    from lcbench.records.scoring import score_row

    by_name = {labelled.name: labelled for labelled in tasks}
    ordered = [by_name[name] for name in record.order]
    every = parse_evaluate(record.evaluate)
    for name in metrics:
        record.scores[name] = []
    for i, found in enumerate(record.labels):
        scored = is_scored(i + 1, len(ordered), every)
        for name, row in score_row(metrics, ordered, found if scored else {}).items():
            record.scores[name].append(row)
    record.agreement = record.agreement or agreement_matrix(record.order, record.labels)


def add_agreement(record: RunRecord, store: Store) -> None:
    """Add `agreement` to a record of an older lcbench, from the stored labels; RecordError if these are missing."""
    if not record.agreement:
        from lcbench.records.agreement import agreement_matrix  # imports numpy

        record.agreement = agreement_matrix(record.order, record.labels or store.load_labels(record.run_id))


def complete(record: RunRecord, store: Store) -> None:
    """Add `agreement` to a finished record of an older lcbench; if its labels are missing it stays empty."""
    if record.status == OK and record.digest is not None:
        with suppress(RecordError):
            add_agreement(record, store)
