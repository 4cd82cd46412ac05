"""Prints every aim of speed with what was measured here and whether it holds: `python tests/benchmarks/targets.py`.

CPU time, one thread, everything in one run, medians of alternating rounds; best on a machine that does nothing else.
WebKB4 needs LCBENCH_DATA, Reuters and 20 Newsgroups are fetched. `--without STREAM` leaves one out, and
`--without documents` or `--without images` a large task; these take some minutes and the extra `large`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from large_tasks import IMAGES

import lcbench
from lcbench.contract.hashing import method_seed
from lcbench.errors import LcbenchError
from lcbench.running.threads import VARIABLES, ThreadLimit
from lcbench.testing.timing import learn_all, learn_by_scikit_learn
from lcbench_spectral.approximate import is_installed

SPEED = {
    "digits": {"stsc": 0.6, "l2sc": 0.8},
    "webkb4": {"stsc": 0.75, "l2sc": 1.1},
    "reuters": {"stsc": 0.8, "l2sc": 1.2},
    "20newsgroups": {"stsc": 0.2, "l2sc": 0.3},
}
LARGE = {"documents": 100_000, "images": 60_000}
RUNS = 40
PLAN = """
import resource
from lcbench.experiment.options import Experiment
from lcbench.experiment.planning import plan_experiment
grid = "l2sc.lam=" + ",".join(str(i / 1000) for i in range(1, 1001))
plan = plan_experiment(Experiment(methods=["l2sc"], streams=["digits"], order="random", repeats=199, grid=[grid]))
used = resource.getrusage(resource.RUSAGE_SELF)
print(len(plan), used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
Line = tuple[str, float, float, str]  # what is measured, the figure, its bound, and how it is written


def cpu(work: Callable[[], object]) -> float:
    """The CPU seconds of some work in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def alternating(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median CPU seconds of each, made in turn, after one round that does not count."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(rounds + 1):
        for name, work in works.items():
            seconds = cpu(work)
            if turn:
                found[name].append(seconds)
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def speed(without: list[str]) -> Iterator[Line]:
    """Learning whole streams, beside scikit-learn's SpectralClustering task by task."""
    for name, bounds in SPEED.items():
        if name in without:
            continue
        try:
            tasks = lcbench.load_stream(name).tasks()
        except LcbenchError as error:
            print(f"{name}: left out, {error}")
            continue
        works: dict[str, Callable[[], object]] = {"sklearn": lambda tasks=tasks: learn_by_scikit_learn(tasks)}
        for method in bounds:
            works[method] = lambda m=method, tasks=tasks: learn_all(lambda: lcbench.load_method(m), tasks)
        seconds = alternating(works, 3 if name == "20newsgroups" else 11)
        for method, bound in bounds.items():
            yield f"{method} on {name}, learning, over scikit-learn", seconds[method] / seconds["sklearn"], bound, ".2f"


def harness() -> Iterator[Line]:
    """Forty short runs in this process, beside a bare loop that learns and predicts the same."""
    tasks = {labelled.name: labelled for labelled in lcbench.load_stream("digits").tasks()}
    order = tuple(tasks)

    def bare() -> None:
        for repeat in range(RUNS):
            method = lcbench.load_method("l2sc").set_params(
                random_state=method_seed(0, "digits", order, "l2sc", repeat)
            )
            for learned, name in enumerate(order):
                method.partial_fit(tasks[name].task)
                for old in order[:learned]:
                    method.predict(tasks[old].task)

    def ours(folder: str | None) -> None:
        lcbench.run(
            "l2sc", "digits", repeats=RUNS, baselines=False, solo=False, executor=lcbench.InProcess(), out=folder
        )

    with tempfile.TemporaryDirectory() as corner:
        folders = (str(Path(corner, str(number))) for number in range(100))
        seconds = alternating({"bare": bare, "run": lambda: ours(None), "kept": lambda: ours(next(folders))}, 5)
    yield f"{RUNS} short runs in process over the bare loop", seconds["run"] / seconds["bare"], 1.05, ".3f"
    yield f"{RUNS} short runs in process, stored, over the bare loop", seconds["kept"] / seconds["bare"], 1.10, ".3f"


def long_stream() -> Iterator[Line]:
    """A thousand tasks, scored every fifty, beside a loop that learns and predicts the same."""
    name = "topics:tasks=1000,documents=40,words=200"
    tasks = [labelled.task for labelled in lcbench.load_stream(name).tasks()]

    def bare() -> None:
        method = lcbench.load_method("l2sc")
        for learned, task in enumerate(tasks, start=1):
            method.partial_fit(task)
            if learned % 50 == 0:
                for old in tasks[: learned - 1]:
                    method.predict(old)

    def ours() -> None:
        lcbench.run("l2sc", name, evaluate="every:50", baselines=False, solo=False, executor=lcbench.InProcess())

    seconds = {"bare": cpu(bare), "run": cpu(ours)}
    yield "a thousand tasks, scored every 50, over the bare loop", seconds["run"] / seconds["bare"], 1.1, ".3f"


def planning() -> Iterator[Line]:
    """A million runs."""
    said = subprocess.run([sys.executable, "-c", PLAN], check=True, capture_output=True, text=True).stdout.split()
    yield f"planning {int(said[0]):,} runs, CPU seconds", float(said[1]), 10, ".1f"
    yield f"planning {int(said[0]):,} runs, GB", float(said[2]) / 1e6, 1, ".2f"


def large(without: list[str]) -> Iterator[Line]:
    """One large task with approximate neighbours: memory, growth from 10,000 samples on, recall, and l2sc over stsc."""
    if not is_installed():
        print("large tasks: left out, the extra large is not installed")
        return
    for what, most in LARGE.items():
        if what in without or (what == "images" and not IMAGES.is_file()):
            print(f"{what}: left out{'' if what in without else ', dataset-fashion-mnist is not installed'}")
            continue
        whole = {}
        for method in ("stsc", "l2sc"):
            few, many = _learned(what, 10_000, method), _learned(what, most, method, "recall")
            whole[method] = many["seconds"]
            growth = math.log(many["seconds"] / few["seconds"]) / math.log(most / 10_000)
            yield f"{method}, {most:,} {what}, GB above the data", many["gigabytes"], 2, ".2f"
            yield f"{method}, {most:,} {what}, growth from 10,000, exponent", growth, 1.3, ".2f"
            if "recall" in many:
                yield f"neighbours missed of {most:,} {what}, share", 1 - many["recall"], 0.05, ".3f"
        yield f"l2sc over stsc, {most:,} {what}", whole["l2sc"] / whole["stsc"], 1.3, ".2f"


def _learned(*asked: object) -> dict[str, float]:
    words = [sys.executable, str(Path(__file__).with_name("large_tasks.py")), *map(str, asked)]
    one = os.environ | dict.fromkeys(VARIABLES, "1")
    told: dict[str, float] = json.loads(subprocess.run(words, check=True, capture_output=True, env=one).stdout)
    return told


def main() -> None:
    """Print a line per aim."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--without", action="append", default=[], metavar="STREAM")
    without = asked.parse_args().without
    missed = 0
    with ThreadLimit(1):
        for lines in (speed(without), large(without), harness(), long_stream(), planning()):
            for what, figure, bound, form in lines:
                missed += figure > bound
                verdict = "holds" if figure <= bound else "MISSED"
                print(f"{what:58} {figure:8{form}}  at most {bound:<5g} {verdict}", flush=True)
    print(f"{missed} missed; the load of this machine was {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
