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
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

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
LONG = "topics:tasks=1000,documents=40,words=200"
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


class BesideBare(lcbench.InProcess):
    """Carries out runs of digits in this process, and each again by a bare loop; `bare` counts the CPU seconds of that.

    The two alternate from run to run, so that both meet the same neighbours and the same clock of the processor.
    """

    bare = 0.0

    def execute(self, runs: Sequence[Any], *more: Any) -> Iterator[Any]:
        """The records of the runs; both sides load their data once."""
        loaded: list[Any] = []
        self.bare += cpu(lambda: loaded.extend(lcbench.load_stream("digits").tasks()))
        tasks = {labelled.name: labelled.task for labelled in loaded}
        for planned, record in zip(runs, super().execute(runs, *more), strict=True):
            yield record
            self.bare += cpu(lambda planned=planned: bare_run(planned, tasks))


def bare_run(planned: Any, tasks: dict[str, Any]) -> None:
    """Learns and predicts what a run does, from the same seed, and keeps nothing."""
    seed = method_seed(0, "digits", planned.order, "l2sc", planned.repeat)
    method = lcbench.load_method("l2sc").set_params(random_state=seed)
    for learned, name in enumerate(planned.order):
        method.partial_fit(tasks[name])
        for old in planned.order[:learned]:
            method.predict(tasks[old])


def harness() -> Iterator[Line]:
    """Forty short runs in this process, beside a bare loop that learns and predicts the same."""

    def over_bare(folder: str | None) -> float:
        executor = BesideBare()
        both = cpu(
            lambda: lcbench.run(
                "l2sc", "digits", repeats=RUNS, baselines=False, solo=False, executor=executor, out=folder
            )
        )
        return (both - executor.bare) / executor.bare

    found: dict[str, list[float]] = {"": [], ", stored": []}
    with tempfile.TemporaryDirectory() as corner:
        for turn in range(6):
            for kept, ratios in found.items():
                ratio = over_bare(str(Path(corner, str(turn))) if kept else None)
                ratios += [ratio] if turn else []
    for (kept, ratios), bound in zip(found.items(), (1.05, 1.10), strict=True):
        yield f"{RUNS} short runs in process{kept}, over the bare loop", statistics.median(ratios), bound, ".3f"


def long_stream() -> Iterator[Line]:
    """A thousand tasks, scored every fifty, beside a loop that learns and predicts the same, by time and by memory.

    Each has a process of its own, as the most memory that a process had stays with it.
    """
    speeds, sizes = [], []
    for _ in range(3):
        (bare_seconds, bare_peak), (seconds, peak) = (_alone(learn) for learn in (_bare_stream, _run_stream))
        speeds.append(seconds / bare_seconds)
        sizes.append(peak / bare_peak)
    yield "a thousand tasks, scored every 50, over the bare loop", statistics.median(speeds), 1.1, ".3f"
    yield "a thousand tasks, memory over the bare loop's", statistics.median(sizes), 1.1, ".3f"


def _alone(learn: Callable[[], None]) -> tuple[float, float]:
    """CPU seconds and most memory of some work in a fresh process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_measured, learn).result()


def _measured(learn: Callable[[], None]) -> tuple[float, float]:
    with ThreadLimit(1):
        lcbench.run("l2sc", "digits", baselines=False, solo=False, executor=lcbench.InProcess())  # imports everything
        seconds = cpu(learn)
    peak = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())  # that of getrusage is the parent's too
    return seconds, float(peak[1]) if peak else math.nan


def _bare_stream() -> None:
    tasks = [labelled.task for labelled in lcbench.load_stream(LONG).tasks()]
    method = lcbench.load_method("l2sc")
    for learned, task in enumerate(tasks, start=1):
        method.partial_fit(task)
        if learned % 50 == 0:
            for old in tasks[: learned - 1]:
                method.predict(old)


def _run_stream() -> None:
    lcbench.run("l2sc", LONG, evaluate="every:50", baselines=False, solo=False, executor=lcbench.InProcess())


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
