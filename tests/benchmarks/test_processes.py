"""What a process of its own costs each run, and a cold command beside importing scikit-learn: in CPU time."""

from __future__ import annotations

import statistics
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="runs are forked on Linux only")
MANY, FEW = 42, 2
RUNS = """
import sys, lcbench
executor = lcbench.InProcess() if sys.argv[1] == "here" else None
lcbench.run("random", "digits", repeats=int(sys.argv[2]), baselines=False, executor=executor)
"""


def cpu_seconds(*arguments: str) -> float:
    """The CPU time of a Python process and of all those below it."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.benchmark(group="processes")
def test_a_process_for_each_run_over_importing_scikit_learn(benchmark, hold):
    """The difference between many and few runs, so that starting up counts for neither.

    The aim is 25 ms where importing `sklearn.cluster` takes 0.75 s, and as much more where all is slower.
    """
    here, away, importing = [], [], []

    def pair():
        importing.append(cpu_seconds("-c", "import sklearn.cluster"))
        for where, found in (("here", here), ("away", away)):
            many, few = (cpu_seconds("-c", RUNS, where, str(runs)) for runs in (MANY, FEW))
            found.append((many - few) / (MANY - FEW))

    benchmark.pedantic(pair, rounds=3)
    more, beside = statistics.median(away) - statistics.median(here), statistics.median(importing)
    benchmark.extra_info["milliseconds of CPU per run"] = 1000 * more
    print(f"\na run in a process of its own: {1000 * more:.1f} ms of CPU more than in this one, {more / beside:.3f} of "
          f"importing sklearn.cluster")  # fmt: skip
    hold(more / beside, 0.025 / 0.75)


@pytest.mark.benchmark(group="processes")
def test_a_cold_run_on_digits_over_importing_scikit_learn(benchmark, tmp_path, hold):
    ours, theirs = [], []

    def pair():
        theirs.append(cpu_seconds("-c", "import sklearn.cluster"))
        folder = str(tmp_path / str(len(theirs)))
        ours.append(cpu_seconds("-m", "lcbench", "run", "-s", "digits", "--results", folder))

    benchmark.pedantic(pair, rounds=5)
    ratio = statistics.median(ours) / statistics.median(theirs)
    print(f"\nlcbench run -s digits: {ratio:.2f} times the CPU time of importing sklearn.cluster")
    hold(ratio, 2.5)
