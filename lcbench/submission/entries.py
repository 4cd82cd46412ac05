"""The entries of a board: methods of checked submissions. Failed runs count as one cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lcbench.experiment.rescoring import Rescoring
from lcbench.printable import cut, printable_line
from lcbench.records.record import OK, RunRecord
from lcbench.submission.checking import Submission
from lcbench.submission.description import SubmittedMethod
from lcbench.submission.verification import Level, Verification, levels

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Entry:
    """A method on a board, by a name that no other method there has.

    `runs` are those over all tasks, `solos`, by id, those over one task. Both have, in the place of a run that failed,
    one that put each task into one cluster; `failed` are the runs as they were submitted.
    """

    name: str
    method: SubmittedMethod
    submission: Submission
    level: Level
    verification: Verification | None
    runs: tuple[RunRecord, ...]
    solos: Mapping[str, RunRecord]
    failed: tuple[RunRecord, ...] = ()

    @property
    def seconds(self) -> float | None:
        """The time of the longest of its runs that did not fail; None if all did."""
        return max((spent(run) for run in self._done), default=None)

    @property
    def bytes(self) -> int | None:
        """The most memory that one of its runs had; None if that is not known."""
        return max((run.peak_bytes for run in self._done if run.peak_bytes is not None), default=None)

    @property
    def _done(self) -> list[RunRecord]:
        failed = {run.run_id for run in self.failed}
        return [run for run in self.runs if run.run_id not in failed]

    def runs_on(self, stream: str) -> list[RunRecord]:
        """The runs over all tasks of a stream."""
        return [run for run in self.runs if run.stream_label == stream]

    def failed_on(self, stream: str) -> int:
        """The number of runs over all tasks of a stream that failed."""
        whole = {run.run_id for run in self.runs_on(stream)}
        return sum(run.run_id in whole for run in self.failed)


def spent(run: RunRecord) -> float:
    """The seconds that a run took to learn and to label."""
    return sum((*run.learn_seconds, *run.predict_seconds))


def entries_of(
    submissions: Iterable[Submission], verifications: Mapping[str, Verification | None], rescoring: Rescoring
) -> list[Entry]:
    """The entries of submissions that passed their check; `verifications` are by the id of a submission.

    NotRescoredError if a run failed and the data of its stream are not available.
    """
    pairs = [(submission, method) for submission in submissions for method in submission.description.methods]
    entries = []
    for (submission, method), name in zip(pairs, _names(pairs), strict=True):
        runs = submission.runs_of(method)
        solos = [run for run in submission.solos.values() if run.label == method.label]
        verification = verifications.get(submission.id)

        def counted(run: RunRecord, metrics: Sequence[str] = submission.suite.metrics) -> RunRecord:
            return run if run.status == OK else rescoring.as_one_cluster(run, metrics)

        entries.append(
            Entry(
                name=name, method=method, submission=submission, level=levels(submission, verification)[method.label],
                verification=verification, runs=tuple(map(counted, runs)),
                solos={run.run_id: counted(run) for run in solos},
                failed=tuple(run for run in (*runs, *solos) if run.status != OK),
            )
        )  # fmt: skip
    return entries


def _names(pairs: Sequence[tuple[Submission, SubmittedMethod]]) -> list[str]:
    """A name for each method: its label; with its package, and if need be its submission, where two share one.

    Methods on different suites are on different boards, and may share a name.
    """
    suites = [(submission.suite.tag, submission.suite.quick) for submission, _ in pairs]
    labels = [printable_line(cut(" ".join(method.label.split()), LONGEST_NAME)) for _, method in pairs]
    packages = [submission.description.package for submission, _ in pairs]
    versions = [printable_line(cut(f"{each.distribution} {each.version}", LONGEST_NAME)) for each in packages]
    twins = Counter(zip(suites, labels, strict=True))
    same = Counter(zip(suites, labels, versions, strict=True))
    names: list[tuple[object, str]] = []
    for (submission, _), suite, label, version in zip(pairs, suites, labels, versions, strict=True):
        more = [version] if twins[suite, label] > 1 else []
        more += [submission.id[:8]] if same[suite, label, version] > 1 else []
        name = f"{label} ({', '.join(more)})" if more else label
        while (suite, name) in names:
            name += "'"
        names.append((suite, name))
    return [name for _, name in names]
