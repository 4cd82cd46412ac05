"""Results of an experiment: prints them, makes a data frame, loads stored runs."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.errors import MissingExtraError, OutputError
from lcbench.experiment.outcome import Outcome
from lcbench.printable import printable
from lcbench.records import DEFAULT_FOLDER
from lcbench.records.record import OK
from lcbench.report.export import COLUMNS, run_rows
from lcbench.report.overview import HEADER, overview

if TYPE_CHECKING:
    import pandas as pd


class Results(Outcome):
    """The runs of an experiment: prints as a table, and becomes a data frame.

    Where a grid was tuned it holds the chosen runs; `searched` are the runs they were chosen among, and `gaps` compare
    the tuning protocols.
    """

    @classmethod
    def of(cls, outcome: Outcome) -> Results:
        """The results of an experiment that has ended."""
        return cls(outcome.runs, outcome.metrics, searched=outcome.searched, gaps=outcome.gaps)

    def to_frame(self) -> pd.DataFrame:
        """One row per scored cell: run, method, stream, order, metric, tasks learned, task, score.

        A run in which nothing was scored has one row without a metric.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtraError("to_frame needs pandas: pip install 'lcbench[frames]'.") from None
        return pd.DataFrame([row for run in self.runs for row in run_rows(run)], columns=list(COLUMNS))

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


def load_results(folder: str | PathLike[str] = DEFAULT_FOLDER) -> Results:
    """The runs that are stored in a folder, the newest last; none is left out."""
    from lcbench.records.rescoring import complete
    from lcbench.records.store import RunStore
    from lcbench.registry.metrics import shown_metrics

    if not Path(folder).is_dir():
        raise OutputError(
            f"There is no folder '{folder}': name the one that holds your runs; 'lcbench run' makes some."
        )
    store = RunStore(Path(folder))
    stored = [store.load(run_id) for run_id, _ in reversed(list(store.index().newest_first()))]
    runs = [run for run in stored if run is not None]
    for run in runs:
        complete(run, store)
    return Results(runs, shown_metrics(run.scores for run in runs))


def _pad(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column < 4 else cell.rjust(width)
