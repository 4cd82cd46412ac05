"""The tasks of a stream as its card shows them: sizes, classes, and how alike they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lcbench.errors import DataUnavailableError
from lcbench.specs import StreamSpec, TaskShape

if TYPE_CHECKING:
    from rich.console import Console

    from lcbench.registry import Source
    from lcbench.task import LabelledTask

MOST_TASKS = 20
MOST_COMPARED = 10


def print_tasks(console: Console, spec: StreamSpec, params: dict[str, Any], source: Source) -> None:
    """Sizes and classes as the spec knows them; for a stream that is made from data here, as the data have them."""
    from lcbench.cli.console import plain

    tasks = _tasks_at_hand(spec, params, source)
    shapes = spec.shapes(params) if tasks is None else tuple(labelled.shape for labelled in tasks)
    _print_shapes(console, shapes)
    if tasks is not None and len(tasks) > 1:
        _print_likeness(console, tasks)
    elif spec.data is not None and tasks is None:
        console.print(plain(f"The data are not here: 'lcbench data fetch {spec.name}' fetches them.", "dim"))


def _tasks_at_hand(spec: StreamSpec, params: dict[str, Any], source: Source) -> Sequence[LabelledTask] | None:
    """The tasks of a stream of documents or files that are here; nothing is fetched, and nothing generated."""
    if spec.data is not None:
        from lcbench.sources.obtaining import archives_at_hand
        from lcbench.sources.rawstore import RawStore

        if RawStore().kept(spec.name, spec.data) is None and not archives_at_hand(spec.data):
            return None
    elif not spec.from_files:
        return None
    from lcbench.loading import build_stream
    from lcbench.sources.locations import without_network

    try:
        with without_network():
            return build_stream(spec, params, source).tasks()
    except DataUnavailableError:
        return None


def _print_shapes(console: Console, shapes: Sequence[TaskShape]) -> None:
    from lcbench.cli.infosheet import grid

    balance = any(shape.classes for shape in shapes)
    columns = ["task", "samples", "features", "clusters", *(["classes"] if balance else [])]
    rows = [
        (s.name, _count(s.samples), _count(s.features), _count(s.clusters), *([_balance(s)] if balance else []))
        for s in shapes[:MOST_TASKS]
    ]
    console.print(grid(columns, rows))
    if len(shapes) > MOST_TASKS:
        console.print(f"and {len(shapes) - MOST_TASKS} tasks more", style="dim")


def _print_likeness(console: Console, tasks: Sequence[LabelledTask]) -> None:
    from lcbench.cli.console import plain
    from lcbench.cli.infosheet import grid
    from lcbench.likeness import likeness

    alike = likeness(tasks)
    names = [labelled.name for labelled in tasks]
    console.print(plain("How alike the tasks are: cosine of their mean samples (1 is the same direction)", "bold"))
    if len(names) <= MOST_COMPARED:
        rows = [(name, *(f"{value:.2f}" for value in alike.tasks[i])) for i, name in enumerate(names)]
        console.print(grid(["", *names], rows))
    else:
        pairs = [alike.tasks[i][j] for i in range(len(names)) for j in range(i)]
        console.print(
            f"from {min(pairs):.2f} to {max(pairs):.2f} over all pairs, {sum(pairs) / len(pairs):.2f} on average"
        )
    if alike.same_class is not None and alike.other_class is not None:
        console.print(
            f"Classes of one name in two tasks: {alike.same_class:.2f} on average; of different names: "
            f"{alike.other_class:.2f}."
        )


def _balance(shape: TaskShape) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in shape.classes)


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"
