"""Measures the CPU seconds of every method on one task of growing size and draws `scaling.svg` beside this file.

`.venv/bin/python docs/images/make_scaling.py`: takes some minutes; best on a machine that does nothing else.
"""

from __future__ import annotations

import time
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

import lcbench
from lcbench.running.threads import ThreadLimit

METHODS = (
    "kmeans", "stsc", "l2sc", "cpsc", "usc", "tsc", "onestepsc", "mbc", "smbc", "smkc", "mtsc", "mtcmrl", "lssmtc",
)  # fmt: skip
SIZES = (100, 200, 400, 800, 1600)
LONGEST = 1.0  # seconds: a method that took longer is not asked for more samples


def seconds(name: str, n: int) -> float:
    """The CPU seconds in which a method learns one task of n documents: the lesser of two."""
    task = lcbench.load_stream(f"topics:tasks=1,documents={n}").tasks()[0].task
    taken = []
    for _ in range(2):
        method = lcbench.load_method(name)
        start = time.process_time()
        method.partial_fit(task)
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    """Measure, print and draw."""
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    colours = matplotlib.colormaps["tab20"].colors
    with ThreadLimit(1):
        for number, name in enumerate(METHODS):
            found: list[float] = []
            for n in SIZES:
                if found and found[-1] > LONGEST:
                    break
                found.append(seconds(name, n))
            print(name, [round(value, 3) for value in found], flush=True)
            style = {"marker": "os^Dv"[number % 5], "markersize": 3, "linewidth": 1, "color": colours[number]}
            axes.plot(SIZES[: len(found)], found, label=name, **style)
    axes.set(xscale="log", yscale="log", xlabel="samples of the task", ylabel="CPU seconds to learn it")
    axes.set_xticks(SIZES, [str(n) for n in SIZES])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    plt.rcParams["svg.hashsalt"] = "scaling"
    figure.savefig(Path(__file__).with_name("scaling.svg"), bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
