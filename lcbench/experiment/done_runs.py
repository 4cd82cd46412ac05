"""Loads runs that are done already: names code edited since, adds metrics they lack."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from lcbench.errors import RecordError
from lcbench.experiment.stream_data import UNUSABLE
from lcbench.printable import counted
from lcbench.registry.host import plugin_host
from lcbench.registry.metrics import metric_key
from lcbench.running.provenance import (
    changed_code,
    changed_packages,
    code_of,
    code_of_metrics,
    code_of_stream,
    merged,
    metric_files,
)

if TYPE_CHECKING:
    from lcbench.experiment.resuming import Backlog
    from lcbench.records.record import RunRecord
    from lcbench.records.store import Store
    from lcbench.running.scorers import Scorers

logger = logging.getLogger(__name__)


def load_done(backlog: Backlog, store: Store) -> dict[str, RunRecord]:
    """Loads the stored records of a backlog, and warns about methods and streams whose code was changed since.

    A run whose record cannot be read is moved to `backlog.left`.
    """
    records: dict[str, RunRecord] = {}
    changed: Counter[str] = Counter()
    changed_streams: Counter[str] = Counter()
    for known in (backlog.done, backlog.failed):
        for planned in list(known):
            record = store.load(planned.run_id)
            if record is None:
                known.remove(planned)
                backlog.left.append(planned)
                continue
            blank = planned.record
            if record.join(blank):
                _save_again(record, store)
            records[planned.run_id] = record.called_as(blank)
            changed[record.method] += changed_code(record.code, code_of(planned.method))
            changed_streams[record.stream] += changed_packages(record, code_of_stream(planned.stream))
    for method, count in (+changed).items():
        logger.warning(
            "The code of '%s' was changed since %s made, and its revision was not raised: --fresh runs it again.",
            method, "the run here was" if count == 1 else f"the {count} runs here were",
        )  # fmt: skip
    for stream, count in (+changed_streams).items():
        logger.warning(
            "The code of stream '%s' was changed since %s made, and its digest was not: --fresh runs %s again.",
            stream, *(("the run here was", "it") if count == 1 else (f"the {count} runs here were", "them")),
        )  # fmt: skip
    return records


def _save_again(record: RunRecord, store: Store) -> None:
    """Stores a run that belongs to another experiment now as well, with its labels."""
    with suppress(RecordError):  # who needs the labels says what is wrong with them
        record.labels = store.load_labels(record.run_id)
    store.save(record)


def complete_done(backlog: Backlog, records: dict[str, RunRecord], metrics: Sequence[str], store: Store) -> None:
    """Computes metrics that stored runs lack, from their labels; a run whose labels cannot be read is left to do.

    So it is with scores by a metric of a plugin file that was edited since; for one of a package there is a warning.
    """
    registry = plugin_host().registry
    keys = [metric_key(name, registry) for name in metrics]
    files, packages = metric_files(metrics), code_of_metrics(metrics)
    edited: Counter[str] = Counter()
    unscored: Counter[str] = Counter()
    scorers: Scorers | None = None
    _warn_about_metrics([records[planned.run_id] for planned in backlog.done], {key: packages[key] for key in keys})
    for planned in list(backlog.done):
        record = records[planned.run_id]
        by = record.code.get("metrics", {})
        old = [key for key, sha256 in files.items() if key in record.scores and by.get(key) != sha256]
        missing = [*(key for key in keys if key not in record.scores), *old]
        if not missing:
            continue
        from lcbench.records.scoring import add_scores
        from lcbench.running.launching import shared_server
        from lcbench.running.scorers import Scorers

        try:
            tasks = planned.stream.tasks()
        except UNUSABLE as error:
            unscored[str(error)] += 1
            continue
        try:
            record.labels = store.load_labels(planned.run_id)
        except RecordError as error:
            logger.warning("%s The run is made again.", error)
            backlog.done.remove(planned)
            backlog.left.append(planned)
            del records[planned.run_id]
            continue
        scorers = scorers or Scorers(metrics, shared_server(planned.like.threads))
        add_scores(record, missing, partial(scorers.rows, tasks, record.order))
        if scored_now := {key: files[key] for key in missing if key in files}:
            record.code = {**record.code, "metrics": {**by, **scored_now}}
        if by_now := merged(packages[key] for key in missing):
            record.code = {**record.code, "packages": {**by_now, **record.code.get("packages", {})}}
        edited.update(old)
        store.save(record)
    for why, count in unscored.items():
        logger.warning("%s cannot be scored by %s: %s", counted(count, "stored run"), ", ".join(keys), why)
    for key, count in edited.items():
        are = "is" if count == 1 else "are"
        logger.warning(
            "The file of metric '%s' was edited: %s %s scored again.", key, counted(count, "stored run"), are
        )
    if scorers is not None:
        scorers.close()


def _warn_about_metrics(records: Sequence[RunRecord], packages: Mapping[str, Mapping[str, dict[str, Any]]]) -> None:
    """Warns about metrics whose code was changed since the scores of records were computed."""
    changed = {
        key: sum(key in record.scores and changed_packages(record, code) for record in records)
        for key, code in packages.items()
    }
    names = [key for key, count in changed.items() if count]
    if names:
        most = max(changed.values())
        logger.warning(
            "The code of the metric%s %s was changed since %s scored: 'lcbench results check --rescore' says if scores "
            "differ, --fresh makes runs again.",
            "s" * (len(names) > 1), ", ".join(names), "a stored run was" if most == 1 else f"{most:,} stored runs were",
        )  # fmt: skip
