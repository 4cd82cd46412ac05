"""Draws the pictures of docs/concepts.md: `python docs/images/make_concepts.py`.

The matrix R and the lines of transfer are those of a real run on digits; the others are drawings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

import lcbench

FOLDER = Path(__file__).parent / "concepts"
INK, SOFT, PAPER = "#24304a", "#8a94a8", "#f7f8fb"
TASKS = ("#4c78a8", "#f58518", "#54a24b", "#b279a2")
GOOD, BAD = "#2a7f4f", "#b3403a"
SETTINGS = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "lcbench",
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}
Picture = Callable[[Figure], None]


def canvas(figure: Figure, width: float, height: float) -> Axes:
    """An empty drawing area in units of about a letter's height."""
    figure.set_size_inches(width / 10, height / 10)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(0, height))
    axes.axis("off")
    return axes


def box(
    axes: Axes, x: float, y: float, text: str, *, w: float = 12, h: float = 5, edge: str = INK, fill: str = "white"
) -> None:
    """A rounded box with a text in it; x and y are its middle."""
    axes.add_patch(
        FancyBboxPatch((x - w / 2, y - h / 2), w, h, boxstyle="round,pad=0,rounding_size=0.9", fc=fill, ec=edge, lw=1.3)
    )
    axes.text(x, y, text, ha="center", va="center")


def arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], *, colour: str = INK, curve: float = 0
) -> None:
    """An arrow from one point to another."""
    style = f"arc3,rad={curve}"
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=11, color=colour, lw=1.3, connectionstyle=style)
    )


def dots(axes: Axes, x: float, y: float, colour: str, seed: int) -> None:
    """A task: some samples in a box of its colour."""
    box(axes, x, y, "", w=9, h=6, edge=colour)
    spots = np.random.default_rng(seed).normal(0, 0.55, (24, 2)) + np.repeat(
        [[-2.2, 0.9], [0.3, -1.2], [2.3, 0.8]], 8, axis=0
    )
    axes.scatter(x + spots[:, 0], y + spots[:, 1], s=4, color=colour, lw=0)


def stream(figure: Figure) -> None:
    """Tasks arrive one by one; labels come out; a library is carried on."""
    axes = canvas(figure, 84, 24)
    for i, colour in enumerate(TASKS):
        x = 10 + 21 * i
        dots(axes, x, 19, colour, i)
        axes.text(x + 5.2, 19, f"task {i + 1}", fontsize=8, ha="left", va="center", color=SOFT)
        arrow(axes, (x, 15.7), (x, 12.2))
        box(axes, x, 9.5, "method", w=11, fill=PAPER)
        arrow(axes, (x, 6.8), (x, 3.6))
        axes.text(x, 2.2, "labels", ha="center", va="center", color=SOFT)
        if i:
            arrow(axes, (x - 15.3, 9.5), (x - 5.7, 9.5), colour=GOOD)
            axes.text(x - 10.5, 10.6, "library", ha="center", fontsize=8, color=GOOD)


def settings(figure: Figure) -> None:
    """What a method may carry to the next task."""
    axes = canvas(figure, 84, 26)
    columns = (("single-task", "nothing"), ("multi-task", "every task"), ("lifelong", "a library of fixed size"))
    for (name, kept), x in zip(columns, (14, 42, 70), strict=True):
        axes.text(x, 23.5, name, ha="center", weight="bold")
        box(axes, x, 11.5, "", w=24, h=17, fill=PAPER, edge=SOFT)
        axes.text(x, 1.2, f"carries on: {kept}", ha="center", fontsize=8)
    axes.text(14, 11.5, "∅", ha="center", va="center", fontsize=22, color=SOFT)
    for i, colour in enumerate(TASKS[:3]):
        axes.add_patch(
            FancyBboxPatch(
                (32.5 + 6.5 * i, 8.5), 5.5, 6, boxstyle="round,pad=0,rounding_size=0.6", fc="white", ec=colour, lw=1.3
            )
        )
        spots = np.random.default_rng(i).normal(0, 0.9, (14, 2))
        axes.scatter(35.25 + 6.5 * i + spots[:, 0], 11.5 + spots[:, 1], s=4, color=colour, lw=0)
    for i in range(4):
        for j in range(3):
            shade = 0.25 + 0.6 * np.random.default_rng(10 * i + j).random()
            axes.add_patch(
                FancyBboxPatch(
                    (66.2 + 2.7 * j, 6.6 + 2.6 * i), 2.2, 2.1, boxstyle="square,pad=0", fc=GOOD, alpha=shade, lw=0
                )
            )


def matrix(figure: Figure) -> None:
    """R of a real run, with its diagonal, last row and a column marked."""
    run = digits_run()
    R = np.array([[np.nan if value is None else value for value in row] for row in run.scores["purity"]]) * 100
    figure.set_size_inches(6.2, 3.3)
    axes = figure.add_axes((0.14, 0.16, 0.52, 0.72))
    axes.imshow(np.ma.masked_invalid(R), cmap="Blues", vmin=60, vmax=150, aspect="auto")
    size = len(R)
    for i in range(size):
        for j in range(i + 1):
            axes.text(j, i, f"{R[i, j]:.1f}", ha="center", va="center", weight="bold" if i == j else "normal")
    axes.set_xticks(range(size), run.order)
    axes.set_yticks(range(size), [f"after {i + 1}" for i in range(size)])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("score of")
    notes = (
        "bold, the diagonal:\nat arrival, R[j][j]",
        "last row:\nafter all tasks, R[T][j]",
        "a column:\none task over time",
        "empty:\nnot yet learned",
    )
    for y, note in zip((0.84, 0.64, 0.44, 0.26), notes, strict=True):
        figure.text(0.70, y, note, va="top", fontsize=8.5)


def transfer(figure: Figure) -> None:
    """Solo, at arrival and after all, for each task of a real run, and the parts between them."""
    run, solo = digits_run(), digits_solo()
    scores = run.scores["nmi"]
    figure.set_size_inches(6.6, 3.2)
    axes = figure.add_axes((0.09, 0.14, 0.54, 0.80))
    for j, name in enumerate(run.order):
        alone, arrived, last = (100 * value for value in (solo[name], scores[j][j], scores[-1][j]))
        axes.plot([j] * 2, [alone, last], color="#d4d9e3", lw=6, solid_capstyle="round", zorder=1)
        axes.scatter(j, alone, s=46, facecolor="white", edgecolor=SOFT, lw=1.6, zorder=3, label="solo" if not j else "")
        axes.scatter(j, arrived, s=46, color=TASKS[1], marker="D", zorder=2, label="at arrival" if not j else "")
        axes.scatter(j, last, s=46, color=GOOD, marker="^", zorder=4, label="after all" if not j else "")
    axes.set_xticks(range(len(run.order)), run.order)
    axes.set_ylabel("NMI, percent")
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.12)
    figure.legend(loc="upper left", bbox_to_anchor=(0.66, 0.95), frameon=False)
    figure.text(
        0.67,
        0.50,
        "forward = at arrival - solo\nbackward = after all - at arrival\ntotal = forward + backward",
        va="top",
        fontsize=8.5,
        linespacing=1.7,
    )


def orders(figure: Figure) -> None:
    """The same four tasks in three orders, the same for every method."""
    axes = canvas(figure, 84, 21)
    for row, order in enumerate(((0, 1, 2, 3), (2, 0, 3, 1), (3, 1, 0, 2))):
        y = 17 - 6.2 * row
        axes.text(1, y, f"repeat {row}", va="center")
        for place, task in enumerate(order):
            box(axes, 17 + 12.5 * place, y, f"task {task + 1}", w=10, h=4.2, edge=TASKS[task])
            if place:
                arrow(axes, (9.6 + 12.5 * place, y), (12 + 12.5 * place, y), colour=SOFT)
        axes.text(62, y, "the same for every method", va="center", fontsize=8, color=SOFT)


def tuning(figure: Figure) -> None:
    """What each way of choosing looks at."""
    axes = canvas(figure, 84, 24)
    ways = (
        ("oracle", (True, True, True), "all labels"),
        ("first-task", (True, False, False), "labels of the first task"),
        ("silhouette", (False, False, False), "no labels"),
    )
    for row, (name, seen, words) in enumerate(ways):
        y = 19.5 - 7.2 * row
        axes.text(1, y, name, va="center", weight="bold")
        for place, labelled in enumerate(seen):
            box(
                axes,
                22 + 12 * place,
                y,
                f"task {place + 1}",
                w=10,
                h=4.6,
                edge=BAD if labelled else SOFT,
                fill="#fbe9e7" if labelled else "white",
            )
        axes.text(56, y, words, va="center", color=BAD if any(seen) else GOOD)


def audit(figure: Figure) -> None:
    """The three audits."""
    axes = canvas(figure, 84, 24)
    rows = (
        ("measure", "the state after each task is weighed,\nand searched for the samples of old tasks"),
        ("isolate", "each task is learned in a fresh process:\nonly the pickled state goes across"),
        ("poison", "old tasks are overwritten in memory:\nlabels must stay as they were"),
    )
    for row, (name, words) in enumerate(rows):
        y = 20 - 7.6 * row
        axes.text(1, y, name, va="center", weight="bold")
        axes.text(48, y, words, va="center", fontsize=8.5)
    box(axes, 29, 20, "state", w=12, h=4.4, fill="#e7f2ec", edge=GOOD)
    axes.text(37, 20, "kB?", va="center", color=SOFT)
    box(axes, 21, 12.4, "task 1", w=9, h=4.4, edge=TASKS[0])
    box(axes, 38, 12.4, "task 2", w=9, h=4.4, edge=TASKS[1])
    arrow(axes, (25.8, 12.4), (33.2, 12.4), colour=GOOD)
    box(axes, 21, 4.8, "task 1", w=9, h=4.4, edge=SOFT, fill="#e4e6eb")
    axes.plot([17.5, 24.5], [3.2, 6.4], color=BAD, lw=1.6)
    axes.plot([17.5, 24.5], [6.4, 3.2], color=BAD, lw=1.6)
    box(axes, 38, 4.8, "task 2", w=9, h=4.4, edge=TASKS[1])


def isolation(figure: Figure) -> None:
    """Labels stay outside of the process of a method."""
    axes = canvas(figure, 84, 22)
    box(axes, 13, 11, "", w=22, h=17, fill=PAPER, edge=SOFT)
    axes.text(13, 17.2, "lcbench", ha="center", weight="bold")
    axes.text(13, 10.5, "tasks and classes\nrecords\nstore", ha="center", va="center", fontsize=8.5, linespacing=1.6)
    box(axes, 45, 15.5, "the method's process\none per run", w=24, h=8, edge=TASKS[0])
    box(axes, 45, 5, "a scoring process\nonly the metrics", w=24, h=8, edge=TASKS[2])
    arrow(axes, (24.3, 17), (32.6, 17))
    axes.text(28.5, 18.2, "X", ha="center", fontsize=8)
    arrow(axes, (32.6, 14), (24.3, 14))
    axes.text(28.5, 11.8, "labels", ha="center", fontsize=8)
    arrow(axes, (24.3, 6.4), (32.6, 6.4))
    axes.text(28.5, 7.4, "classes, labels", ha="center", fontsize=7)
    arrow(axes, (32.6, 3.6), (24.3, 3.6))
    axes.text(28.5, 1.5, "scores", ha="center", fontsize=8)
    axes.text(59, 15.5, "sees no classes, no other run,\nno task still to come", va="center", fontsize=8.5, color=GOOD)
    axes.text(59, 5, "never meets code\nof the method", va="center", fontsize=8.5, color=GOOD)


def digits_run() -> lcbench.RunRecord:
    """A run of CPSC on five small tasks."""
    return next(run for run in results() if run.label == "cpsc")


def digits_solo() -> dict[str, float]:
    """The score of each task learned alone."""
    return {run.order[0]: run.scores["nmi"][0][0] for run in results().solos if run.label == "cpsc"}


_made: list[lcbench.Results] = []


def results() -> lcbench.Results:
    """The runs that the pictures show, made once."""
    if not _made:
        _made.append(lcbench.run("cpsc", "digits:tasks=5,per_class=10,seed=1"))
    return _made[0]


def main(pictures: Sequence[Picture] = (stream, settings, matrix, transfer, orders, tuning, audit, isolation)) -> None:
    """Write every picture as an SVG on a light ground, which reads on a dark page too."""
    FOLDER.mkdir(exist_ok=True)
    for picture in pictures:
        with mpl.rc_context(SETTINGS):
            figure = Figure(facecolor=PAPER)
            picture(figure)
            figure.savefig(FOLDER / f"{picture.__name__}.svg", metadata={"Date": None}, facecolor=PAPER)


if __name__ == "__main__":
    main()
