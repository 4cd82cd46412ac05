"""Lists the kinds of figures of `lcbench plot`, with the runs that each needs.

Light: needs no matplotlib.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lcbench.analysis.selection import Selection, StreamRuns
from lcbench.errors import ParameterError, did_you_mean
from lcbench.report.figures.chart import Chart
from lcbench.report.figures.series import lasting_methods, own_methods

Charts: TypeAlias = Callable[[Selection, Sequence[str], Sequence[str]], list[Chart]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of figure; the module of its name has the function `charts`.

    With `parts` it needs runs over a part of the tasks, with `candidates` the points of tuned grids. `lacking` is the
    reason why there may be nothing to draw, `options` are those of `lcbench run` that make the missing runs. A
    `lasting` kind shows how scores change from task to task: it leaves out single-task methods that are not named.
    """

    name: str
    summary: str
    lacking: str = "no run that fits came to its end with a score"
    options: str = ""
    parts: bool = False
    candidates: bool = False
    lasting: bool = False

    def charts(self, selection: Selection, metrics: Sequence[str], named: Sequence[str] = ()) -> list[Chart]:
        """The figures of this kind that can be made from the selected runs."""
        make: Charts = importlib.import_module(f"lcbench.report.figures.{self.name}").charts
        return make(selection, metrics, named)

    def left_out(self, selection: Selection, named: Sequence[str] = ()) -> list[str]:
        """Names the single-task methods that are left out, with the reason: a sentence per stream."""
        if not self.lasting:
            return []
        left_out = ((stream, _single_task_left_out(stream, named)) for stream in selection.streams)
        return [_flat_lines_note(stream, labels) for stream, labels in left_out if labels]


KINDS = (
    Kind(
        "lifelong",
        "each task's performance as more tasks are learned, from its single-task baseline on",
        lasting=True,
    ),
    Kind(
        "parameters",
        "performance against each parameter of a grid",
        lacking="no method was run with two or more values of a parameter that is a number",
        options="--grid {grid}",
        candidates=True,
    ),
    Kind(
        "convergence",
        "the objective per iteration, for each task",
        lacking="none of these methods records its objective ('lcbench list methods' names others)",
    ),
    Kind("runtime", "seconds of learning, for each method"),
    Kind("cost", "seconds to learn a task and size of what is kept, as tasks arrive"),
    Kind(
        "orders",
        "the spread over orders, and the effect of a task's place in them",
        lacking="no method was run in two or more orders of the same tasks",
        options="--order random --repeats 10",
    ),
    Kind(
        "transfer",
        "who helps whom, from orders with one task left out",
        lacking="there are no runs in the same order with and without a task",
        options="--order leave-one-out --repeats 5",
        parts=True,
    ),
    Kind("ranks", "the critical-difference diagram over five streams or more"),
)


def find_kind(name: str) -> Kind:
    """Finds a kind by its name; refuses an unknown name with a suggestion."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise ParameterError(f"There is no figure '{name}'.{did_you_mean(name, [kind.name for kind in KINDS])}")


def _single_task_left_out(stream: StreamRuns, named: Sequence[str]) -> list[str]:
    drawn = lasting_methods(stream, named)
    return [method.label for method in own_methods(stream, named) if method not in drawn]


def _flat_lines_note(stream: StreamRuns, labels: Sequence[str]) -> str:
    return (
        f"{stream.label}: single-task methods keep nothing from task to task, so their lines are flat and are not "
        f"drawn unless --method names them: {', '.join(labels)}."
    )
