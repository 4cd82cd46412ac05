"""The runs an experiment ended with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lcbench.experiment.tuning import Gap
from lcbench.records.record import OK, RunRecord


class Outcome:
    """A sequence of run records. `metrics` names the ones that are shown.

    Of a grid that was tuned over it holds what was chosen; `searched` are the runs that it was chosen among, and `gaps`
    what each way of choosing would have made of them.
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
        """The runs that did not come to their end, with those of `searched`."""
        return [run for run in (*self.runs, *self.searched) if run.status != OK]
