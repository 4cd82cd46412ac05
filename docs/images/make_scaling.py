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

CONTROLS = {"random", "one-cluster"}  # they do not look at the data
METHODS = [method.name for method in lcbench.list_methods() if method.name not in CONTROLS]
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
    found: dict[str, list[float]] = {}
    with ThreadLimit(1):
        for name in METHODS:
            times = found[name] = []
            for n in SIZES:
                if times and times[-1] > LONGEST:
                    break
                times.append(seconds(name, n))
            print(name, [round(value, 3) for value in times], flush=True)
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    slowest_first = sorted(METHODS, key=lambda name: (len(found[name]), -found[name][-1]))  # as lines end in the figure
    for number, name in enumerate(slowest_first):
        style = {"marker": "os^Dv"[number % 5], "markersize": 3.5, "linewidth": 1.2, "color": f"C{number % 10}"}
        axes.plot(SIZES[: len(found[name])], found[name], "-" if number < 10 else "--", label=name, **style)
    axes.set(xscale="log", yscale="log", xlabel="samples of the task", ylabel="CPU seconds to learn it")
    axes.set_xticks(SIZES, [str(n) for n in SIZES])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    plt.rcParams["svg.hashsalt"] = "scaling"
    figure.savefig(Path(__file__).with_name("scaling.svg"), bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
