"""Makes docs/gallery.md: every kind of figure and table, with the command that made it: `python docs/make_gallery.py`.

The runs are made in a temporary folder, which takes some minutes. Of a command that draws several files the first is
shown; what it prints is shown up to a number of lines.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
IMAGES = HERE / "images" / "gallery"
MOST_LINES = 36
INTRODUCTION = """# Gallery

Every kind of figure and table, with the commands that made it. `lcbench plot KIND` writes PNG, SVG or PDF;
[Figures](figures.md) and [Compare](compare.md) say what each of them shows, and how it is computed.
"""


@dataclass(frozen=True)
class Exhibit:
    """A figure or table: the runs it needs, the results folder that has them, and the command that shows it."""

    title: str
    text: str
    run: str
    results: str
    show: str


TEN = "-m l2sc -m cpsc -m usc -s digits:tasks=8,per_class=10 --order random --repeats 10"
ONE = "-m l2sc -m cpsc -s digits"
GRID = "-m l2sc -s digits --grid l2sc.lam=0.01,0.1,1,10,100 --grid l2sc.mu=0.001,0.01,0.1,1"
LEFT_OUT = "-m l2sc -s digits --order leave-one-out --repeats 4"
SIX = "-m l2sc -m cpsc -m kmeans -m usc " + " ".join(f"-s digits:seed={seed}" for seed in range(6))
FIGURES = (
    Exhibit(
        "What other tasks bring",
        "Over several orders: by tasks known at arrival, and since.",
        TEN,
        "ten",
        "plot lifelong",
    ),
    Exhibit(
        "A task over time", "In one order: every task as more are learned.", ONE, "one", "plot lifelong --method cpsc"
    ),
    Exhibit("Spread over orders", "Every run, and what a task's place does.", TEN, "ten", "plot orders --metric nmi"),
    Exhibit("Time", "Seconds of learning, for each method.", TEN, "ten", "plot runtime"),
    Exhibit("Cost as tasks arrive", "Seconds for one more task, and what is kept.", TEN, "ten", "plot cost"),
    Exhibit("Parameters", "Scores over a grid, one parameter at a time.", GRID, "grid", "plot parameters --metric nmi"),
    Exhibit("Convergence", "The objective per iteration, for each task.", ONE, "one", "plot convergence --method l2sc"),
    Exhibit(
        "Who helps whom", "From orders with one task left out.", LEFT_OUT, "left-out", "plot transfer --metric nmi"
    ),
    Exhibit(
        "Ranks",
        "Mean ranks over streams, and how far apart they must be to tell.",
        SIX,
        "six",
        "plot ranks --metric nmi",
    ),
)
TABLES = (
    Exhibit("Verdict and tables of a run", "What `lcbench run` ends with.", "", "ten", f"run -q {TEN}"),
    Exhibit(
        "Comparison", "Against one method, with intervals and tests.", TEN, "ten", "compare --against stsc --metric nmi"
    ),
    Exhibit("Stored runs", "What a results folder holds.", ONE, "one", "results list"),
    Exhibit("A stream's card", "What a stream is, and what chance scores on it.", "", "", "info digits"),
)


def commands(exhibit: Exhibit) -> list[str]:
    """The commands as a reader types them."""
    where = f" --results {exhibit.results}" if exhibit.results else ""
    made = [f"lcbench run -q {exhibit.run}{where}"] if exhibit.run else []
    return [*made, f"lcbench {exhibit.show}{where}"]


def called(command: str, folder: Path) -> str:
    """What a command prints in a folder."""
    arguments = [sys.executable, "-m", *shlex.split(command)]
    environment = {**os.environ, "COLUMNS": "110"}
    return subprocess.run(arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def figure(exhibit: Exhibit, folder: Path) -> str:
    """Draws a figure and returns the Markdown that shows it."""
    *runs, draw = commands(exhibit)
    for command in runs:
        called(command, folder)
    first = called(f"{draw} --format svg", folder).splitlines()[0]
    image = IMAGES / f"{exhibit.title.lower().replace(' ', '-')}.svg"
    image.write_bytes((folder / first).read_bytes())
    return f"![{exhibit.text}](images/gallery/{image.name})\n"


def table(exhibit: Exhibit, folder: Path) -> str:
    """Prints a table and returns the Markdown that shows it."""
    printed = [called(command, folder) for command in commands(exhibit)][-1]
    lines = [line.rstrip() for line in printed.rstrip().splitlines()]
    more = ["..."] if len(lines) > MOST_LINES else []
    return "```text\n" + "\n".join(lines[:MOST_LINES] + more) + "\n```\n"


def main() -> None:
    """Write the page and its pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    parts = [INTRODUCTION]
    with tempfile.TemporaryDirectory() as folder:
        for heading, exhibits, show in (("Figures", FIGURES, figure), ("Tables", TABLES, table)):
            parts.append(f"## {heading}\n")
            for exhibit in exhibits:
                typed = "```shell\n" + "\n".join(commands(exhibit)) + "\n```\n"
                parts.append(f"### {exhibit.title}\n\n{exhibit.text}\n\n{typed}\n{show(exhibit, Path(folder))}")
                print(exhibit.title, flush=True)
    (HERE / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
