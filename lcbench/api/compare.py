"""Compares methods from Python; prints as tables, or writes Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from lcbench.analysis.compare import MethodComparison
from lcbench.api.results import Results, load_results
from lcbench.errors import ParameterError
from lcbench.records.record import RunRecord
from lcbench.records.store import Store
from lcbench.report.comparison.sheets import comparison_rows, comparison_sheets
from lcbench.report.naming import naming_of
from lcbench.report.sheets.formats import LATEX, write
from lcbench.report.sheets.html import in_notebook
from lcbench.report.sheets.latex import Typesetting
from lcbench.writing import write_whole

if TYPE_CHECKING:
    from lcbench.analysis.selection import Selection


class Comparison(MethodComparison):
    """Methods on streams under some metrics. It prints as tables, and writes itself as Markdown, LaTeX or CSV."""

    __slots__ = ()

    @classmethod
    def of(cls, compared: MethodComparison) -> Comparison:
        """Adds printing and writing to a plain comparison."""
        return cls(**{field.name: getattr(compared, field.name) for field in fields(MethodComparison)})

    def __repr__(self) -> str:
        return self._written("table").removesuffix("\n")

    def _repr_html_(self) -> str:
        """The same tables, as a notebook shows them."""
        return in_notebook(comparison_sheets(self))

    def to_markdown(self) -> str:
        """The tables in Markdown."""
        return self._written("markdown")

    def to_latex(
        self,
        table: str | None = None,
        *,
        width: str | float = "column",
        caption: str = "",
        label: str = "",
        names: Mapping[str, str] | None = None,
    ) -> str:
        r"""The tables in LaTeX, or those of one kind; the document needs \usepackage{booktabs}.

        `table` is `"scores"`, `"transfer"`, `"figures"`, `"differences"`, `"streams"` or `"ranks"`; `width` `"column"`,
        `"page"` or a number of millimetres. `caption` and `label` are LaTeX. Methods, streams and metrics have the
        names of their specs, such as L²SC, or those that `names` gives them.
        """
        setting = Typesetting(str(width), caption, label, self.left_out)
        naming = naming_of(self, self.metrics, names or {}, paper=True)
        sheets = comparison_sheets(self, paper=True, only=table)
        return write([naming.apply(sheet) for sheet in sheets], comparison_rows(self), LATEX, setting)

    def to_csv(self, path: str | Path | None = None) -> str | None:
        """One row per stream, method, metric and task in raw numbers: as text, or written to a file."""
        text = self._written("csv")
        if path is None:
            return text
        write_whole(Path(path), text.encode("utf-8", "backslashreplace"))
        return None

    def _written(self, format: str) -> str:
        return write(comparison_sheets(self), comparison_rows(self), format)


def compare(
    results: Results | Sequence[RunRecord] | str | PathLike[str] | Store | Mapping[str, Results | str | PathLike[str]],
    metrics: str | Sequence[str] | None = None,
    against: str | None = None,
    at: str = "end",
    confidence: float = 0.95,
) -> Comparison:
    """Methods beside each other: it prints as tables, and writes itself as Markdown, LaTeX or CSV.

    Parameters
    ----------
    results
        What `run` or `load_results` returned, run records, or the folder or `lcbench.Store` that holds them. Or several
        of these by name, `{"before": "results-1", "after": results}`: a method whose runs differ is told apart by that.
    metrics
        The metrics to compare by: by default purity, nmi, ri and ari, or those that the runs have.
    against
        A reference method, by label or name: every other method is compared with it run by run.
    at
        `"end"`: scores after all tasks; `"arrival"`: when each task was learned.
    confidence
        The level of the intervals.
    """
    from lcbench.analysis.compare import compare_methods
    from lcbench.analysis.joining import join_selections
    from lcbench.registry.metrics import shown_metrics

    if isinstance(results, Mapping) and not isinstance(results, Store):
        selection = join_selections({name: _selection(each) for name, each in results.items()})
    else:
        selection = _selection(results)
    asked = [metrics] if isinstance(metrics, str) else metrics
    shown = shown_metrics((run.scores for run in selection.runs), asked)
    return Comparison.of(compare_methods(selection, shown, against=against, at=at, confidence=confidence))


def _selection(results: Results | Sequence[RunRecord] | str | PathLike[str] | Store) -> Selection:
    """The runs to compare, with the points of grids that were tuned over and the solo runs."""
    from lcbench.analysis.selection import select

    if isinstance(results, str | PathLike | Store):
        results = load_results(results)
    runs = [*results, *(results.searched if isinstance(results, Results) else ())]
    if not runs:
        raise ParameterError("There is nothing to compare: no runs were given.")
    return select(runs, beside=results.solos if isinstance(results, Results) else ())
