"""The runs of an experiment, for notebooks: to look at, and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lcbench.errors import MissingExtraError
from lcbench.printable import printable
from lcbench.record import OK, RunRecord, canonical_json
from lcbench.report.overview import HEADER, overview

if TYPE_CHECKING:
    import pandas as pd


class Results:
    """A sequence of run records. `metrics` names the ones that are shown."""

    def __init__(self, runs: Sequence[RunRecord], metrics: Sequence[str]) -> None:
        self.runs = list(runs)
        self.metrics = list(metrics)

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[RunRecord]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> RunRecord:
        return self.runs[index]

    @property
    def failed(self) -> list[RunRecord]:
        """The runs that did not come to their end."""
        return [run for run in self.runs if run.status != OK]

    def to_frame(self) -> pd.DataFrame:
        """One row per scored cell: run, method, stream, order, metric, tasks learned, task, score."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("to_frame needs pandas: pip install 'lcbench[frames]'.") from None
        columns = [
            "run_id", "method", "label", "params", "setting", "stream", "stream_label", "seed", "repeat", "order",
            "status", "metric", "tasks_learned", "position", "task", "score", "learn_seconds", "predict_seconds",
            "state_bytes",
        ]  # fmt: skip
        return pd.DataFrame([row for run in self.runs for row in _cells(run)], columns=columns)

    def __repr__(self) -> str:
        count = f"{len(self)} run{'' if len(self) == 1 else 's'}"
        failed = f", {len(self.failed)} failed" if self.failed else ""
        rows = [HEADER, *(row.cells for row in overview(self.runs, self.metrics))]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
        lines = [
            "  ".join(_pad(i, cell, width) for i, (cell, width) in enumerate(zip(row, widths, strict=True)))
            for row in rows
        ]
        done = [run for run in self.runs if run.status == OK]
        notes = [f"{label}: {note}" for label, note in {run.label: run.note for run in done if run.note}.items()]
        notes += [f"{run.label} on {run.stream_label} failed: {run.error}" for run in self.failed]
        return printable("\n".join([count + failed, *(line.rstrip() for line in lines), *notes]))


def _pad(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column < 4 else cell.rjust(width)


def _cells(run: RunRecord) -> Iterator[dict[str, Any]]:
    run_id, params = run.run_id, canonical_json(run.params)
    for metric, R in run.scores.items():
        for i, row in enumerate(R):
            for j, score in enumerate(row):
                if score is not None:
                    yield {
                        "run_id": run_id, "method": run.method, "label": run.label, "params": params,
                        "setting": run.setting, "stream": run.stream,
                        "stream_label": run.stream_label, "seed": run.seed, "repeat": run.repeat,
                        "order": ",".join(run.order), "status": run.status, "metric": metric,
                        "tasks_learned": i + 1, "position": j + 1, "task": run.order[j], "score": score,
                        "learn_seconds": run.learn_seconds[i], "predict_seconds": run.predict_seconds[i],
                        "state_bytes": run.state_bytes[i],
                    }  # fmt: skip
