"""Results of an experiment: prints, draws, makes frames and a page; loads stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.analysis.failures import failure_lines
from lcbench.api.frames import needed_pandas, score_frame
from lcbench.errors import OutputError
from lcbench.experiment.pipeline import Outcome
from lcbench.printable import counted
from lcbench.reading import is_folder
from lcbench.records import DEFAULT_FOLDER
from lcbench.records.record import OK, SOLO
from lcbench.report.comparison.transfer import transfer_ids, transfer_notes, transfer_sheet
from lcbench.report.export import COLUMNS, run_rows
from lcbench.report.overview import overview_sheet
from lcbench.report.sheets.html import in_notebook
from lcbench.report.sheets.layout import plain_text
from lcbench.report.sheets.sheet import Sheet
from lcbench.report.verdict import verdict_lines

if TYPE_CHECKING:
    import pandas as pd

    from lcbench.analysis.selection import Selection
    from lcbench.api.figures import Figures
    from lcbench.records.store import Store


class Results(Outcome):
    """The runs of an experiment: prints as a table, draws figures, and becomes a data frame or a page.

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
        pandas = needed_pandas("to_frame")
        rows = [row for run in self.runs for row in run_rows(run)]
        frame: pd.DataFrame = pandas.DataFrame(rows, columns=list(COLUMNS))
        return frame

    def matrix(self, metric: str, *, method: str | None = None, stream: str | None = None) -> pd.DataFrame:
        """The matrix R by one metric: a row after each task was learned, a column for the scores of each task.

        `method` and `stream` choose among the runs by label or name. A row is named by the task that was learned, and
        where runs differ in stream, method, order, seed or repeat, by these as well. A task that was not scored is NaN.
        """
        return score_frame(self.runs, metric, method, stream)

    def plot(
        self,
        kind: str,
        *,
        metrics: str | Sequence[str] | None = None,
        methods: str | Sequence[str] = (),
        streams: str | Sequence[str] = (),
        paper: bool = False,
        width: str | float = "column",
        font_size: float = 8.0,
        font_family: str = "serif",
        names: Mapping[str, str] | None = None,
    ) -> Figures:
        """The figures of `lcbench plot KIND`: a notebook shows them, and `save` writes them.

        Parameters
        ----------
        kind
            A kind that `lcbench plot` lists, such as `"lifelong"` or `"transfer"`.
        metrics
            What to draw: by default the metrics of these results.
        methods
            Only these, by label or name.
        streams
            Only these, by label or name.
        paper
            As papers want figures: without title and caption.
        width
            With `paper`: as wide as a `"column"`, a `"page"` or a number of millimetres.
        font_size
            With `paper`: in points.
        font_family
            With `paper`: `"serif"`, `"sans"`, `"mono"`, or any font that matplotlib finds.
        names
            Names to print instead of those of the runs. With `paper` the others have those of their specs.
        """
        from lcbench.api.figures import draw_figures

        look = {"width": str(width), "font_size": font_size, "font_family": font_family} if paper else None
        return draw_figures(self, kind, metrics, methods, streams, look, names or {})

    def report(self, path: str | PathLike[str], *, against: str | None = None) -> Path:
        """Writes the page of `lcbench report`, one HTML file that needs no network, and returns where it is."""
        from lcbench.analysis.compare import compare_methods
        from lcbench.report.page.content import gather, render
        from lcbench.writing import write_whole

        selection = self._selection()
        compared = compare_methods(selection, self.metrics, against=against)
        content = gather(selection, compared, folder="Python", others=True, made_by="results.report(...)")
        write_whole(Path(path), render(content).encode("utf-8"))
        return Path(path)

    def __repr__(self) -> str:
        first, *tables = self._sheets()
        return "\n\n".join(["\n".join(first.notes), *map(plain_text, tables)])

    def _repr_html_(self) -> str:
        """The same tables, as a notebook shows them."""
        return in_notebook(self._sheets())

    def _selection(self) -> Selection:
        from lcbench.analysis.selection import select_outcome

        return select_outcome(self)

    def _sheets(self) -> list[Sheet]:
        """The verdict, as a table without rows, and the tables of each stream."""
        from lcbench.analysis.compare import compare_methods

        failed = f"; {len(self.failed)} failed" if self.failed else ""
        alone = f", {counted(len(self.solos), 'solo run')}" if self.solos else ""
        compared = compare_methods(self._selection(), self.metrics)
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
        notes += [line.removeprefix("lcbench: ") for line in failure_lines(self.failed)]
        sheets[-1:] = [replace(sheet, notes=tuple(notes)) for sheet in sheets[-1:]]
        return [Sheet("", ("",), (), notes=tuple(lines)), *sheets]


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
