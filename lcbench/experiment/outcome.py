"""The finished runs of an experiment: a plain sequence of run records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lcbench.experiment.tuning import Gap
from lcbench.records.record import OK, RunRecord


class Outcome:
    """A sequence of run records. `metrics` names the metrics to show.

    Where a grid was tuned it holds the chosen runs; `searched` are the runs they were chosen among, and `gaps` compare
    the tuning protocols.
    """

    def __init__(
        self,
        runs: Sequence[RunRecord],
        metrics: Sequence[str],
        *,
        searched: Sequence[RunRecord] = (),
        gaps: Sequence[Gap] = (),
    ) -> None:
        self.runs = list(runs)
        self.metrics = list(metrics)
        self.searched = list(searched)
        self.gaps = list(gaps)

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> RunRecord:
        return self.runs[index]

    @property
    def failed(self) -> list[RunRecord]:
        """The runs that failed, timed out or crashed, including those of `searched`."""
        return [run for run in (*self.runs, *self.searched) if run.status != OK]
