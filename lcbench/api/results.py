"""Results of an experiment: prints them, makes a data frame, loads stored runs."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING

from lcbench.errors import MissingExtraError, OutputError
from lcbench.experiment.pipeline import Outcome
from lcbench.printable import counted
from lcbench.reading import is_folder
from lcbench.records import DEFAULT_FOLDER
from lcbench.records.record import OK, SOLO
from lcbench.report.comparison.transfer import transfer_ids, transfer_notes, transfer_sheet
from lcbench.report.export import COLUMNS, run_rows
from lcbench.report.overview import overview_sheet
from lcbench.report.sheets.layout import plain_text
from lcbench.report.verdict import verdict_lines

if TYPE_CHECKING:
    import pandas as pd

    from lcbench.records.store import Store


class Results(Outcome):
    """The runs of an experiment: prints as a table, and becomes a data frame.

    Where a grid was tuned it holds the chosen runs; `searched` are the runs they were chosen among, and `gaps` compare
    the tuning protocols.
    """

    @classmethod
    def of(cls, outcome: Outcome) -> Results:
        """The results of an experiment that has ended."""
        return cls(outcome.runs, outcome.metrics, solos=outcome.solos, searched=outcome.searched, gaps=outcome.gaps)

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
        from lcbench.analysis.compare import compare_methods
        from lcbench.analysis.selection import select_outcome

        failed = f", {len(self.failed)} failed" if self.failed else ""
        alone = f", {counted(len(self.solos), 'solo run')}" if self.solos else ""
        compared = compare_methods(select_outcome(self), self.metrics)
        lines = [f"{counted(len(self), 'run')}{alone}{failed}"]
        lines += [line for stream in compared.streams for line in verdict_lines(stream)]
        sheets = []
        for stream in compared.streams:
            metrics = stream.scored_by(self.metrics)
            sheets += [overview_sheet(stream, metrics), *transfer_sheet(stream, metrics[:1])]
        noted = {run.label: run.note for run in self.runs if run.status == OK and run.note}
        notes = [f"{label}: {note}." for label, note in noted.items()]
        notes += [f"{stream.label}: {note}" for stream in compared.streams for note in stream.collapses]
        notes += [*compared.notes, *transfer_notes(compared.streams)]
        ids = transfer_ids(compared.streams)
        notes += [f"Formulas by id: {', '.join(ids)}."] if ids else []
        notes += [f"{run.label} on {run.stream_label} failed: {run.error}" for run in self.failed]
        sheets[-1:] = [replace(sheet, notes=tuple(notes)) for sheet in sheets[-1:]]
        return "\n\n".join(["\n".join(lines), *map(plain_text, sheets)])


def load_results(folder: str | PathLike[str] | Store = DEFAULT_FOLDER) -> Results:
    """The runs stored in a folder, or in any other `lcbench.Store`, the newest last; solo runs are in `solos`."""
    from lcbench.records.scoring import complete
    from lcbench.records.store import open_store
    from lcbench.registry.metrics import shown_metrics

    if isinstance(folder, str | PathLike) and not is_folder(folder):
        raise OutputError(
            f"There is no folder '{folder}': name the one that holds your runs; 'lcbench run' makes some."
        )
    store = open_store(folder)
    stored = [run for run_id in store.index() if (run := store.load(run_id)) is not None]
    runs = sorted(stored, key=lambda run: (run.finished or "", run.run_id))
    for run in runs:
        complete(run, store)
    solos = [run for run in runs if run.order_kinds == (SOLO,)]
    others = [run for run in runs if run.order_kinds != (SOLO,)]
    return Results(others, shown_metrics(run.scores for run in others or solos), solos=solos)
