"""The runs of an experiment, for notebooks: to look at, to compare, and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.errors import MissingExtraError, OutputError, ParameterError
from lcbench.printable import printable
from lcbench.record import OK, RunRecord
from lcbench.report.overview import HEADER, overview
from lcbench.report.rows import COLUMNS, run_rows
from lcbench.store import DEFAULT_FOLDER

if TYPE_CHECKING:
    import pandas as pd

    from lcbench.report.comparison import Comparison
    from lcbench.tuning import Gap


class Results:
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
    from lcbench.report.shown import shown_metrics
    from lcbench.rescoring import complete
    from lcbench.store.runs import RunStore

    if not Path(folder).is_dir():
        raise OutputError(
            f"There is no folder '{folder}': name the one that holds your runs; 'lcbench run' makes some."
        )
    store = RunStore(Path(folder))
    stored = [store.load(run_id) for run_id, _ in reversed(list(store.index().newest_first()))]
    runs = [run for run in stored if run is not None]
    for run in runs:
        complete(run, store)
    return Results(runs, shown_metrics(runs))


def compare(
    results: Results | Sequence[RunRecord] | str | PathLike[str],
    metrics: str | Sequence[str] | None = None,
    against: str | None = None,
    at: str = "end",
    confidence: float = 0.95,
) -> Comparison:
    """Methods beside each other: it prints as tables, and writes itself as Markdown, LaTeX or CSV.

    Parameters
    ----------
    results
        What `run` or `load_results` returned, run records, or the folder that holds them.
    metrics
        What to compare by: by default purity, nmi and ri, or what there is.
    against
        A method, by label or name, that every other is compared with run by run.
    at
        `"end"`: scores after all tasks; `"arrival"`: when each task was learned.
    confidence
        The level of the intervals.
    """
    from lcbench.report.comparison import compare as compare_selection
    from lcbench.report.selection import select
    from lcbench.report.shown import shown_metrics

    if isinstance(results, str | PathLike):
        results = load_results(results)
    runs = [*results, *(results.searched if isinstance(results, Results) else ())]
    if not runs:
        raise ParameterError("There is nothing to compare: no runs were given.")
    selection = select(runs)
    asked = [metrics] if isinstance(metrics, str) else metrics
    shown = shown_metrics(selection.runs, asked)
    return compare_selection(selection, shown, against=against, at=at, confidence=confidence)


def _pad(column: int, cell: str, width: int) -> str:
    return cell.ljust(width) if column < 4 else cell.rjust(width)
