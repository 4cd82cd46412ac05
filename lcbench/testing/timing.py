"""Whole streams, learned by one method after the other: what runtime comparisons time."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.errors import LcbenchError, OutputError, ParameterError
from lcbench.reading import MOST_TEXT_BYTES, read_regular
from lcbench.running.threads import VARIABLES
from lcbench.writing import write_whole

if TYPE_CHECKING:
    from lcbench.contract.clusterer import Clusterer
    from lcbench.contract.task import LabelledTask

ASKED = "LCBENCH_TIMED"  # the variable that tells the process of pytest what to time
REFERENCE = "sklearn"  # scikit-learn's SpectralClustering, task by task
STARTS = "timing "

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Timed:
    """The CPU seconds in which one method learned a stream: the median of some rounds, and half their middle range."""

    stream: str
    method: str
    seconds: float
    spread: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A method that could not learn a stream, and why."""

    stream: str
    method: str
    reason: str


def learn_all(make: Callable[[], Clusterer], tasks: Sequence[LabelledTask]) -> Clusterer:
    """A new method that has learned all tasks, one after the other."""
    method = make()
    for labelled in tasks:
        method.partial_fit(labelled.task)
    return method


def learn_by_scikit_learn(tasks: Sequence[LabelledTask]) -> None:
    """Cluster each task alone by scikit-learn's SpectralClustering on ten nearest neighbours."""
    from sklearn.cluster import SpectralClustering

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a graph is not connected
        for labelled in tasks:
            task = labelled.task
            near = min(10, task.n_samples - 1)
            SpectralClustering(task.n_clusters, affinity="nearest_neighbors", n_neighbors=near, random_state=0).fit(
                task.X
            )


def timed(
    methods: Sequence[str], streams: Sequence[str], *, rounds: int, kept: Path, plugins: Sequence[str] = ()
) -> Iterator[str | Timed | Failed]:
    """Time methods on streams in a process of pytest-benchmark, whose file is `kept`.

    Yields a line as each is begun, and all results in the end. What else pytest says is logged.
    """
    if kept.is_dir() or not kept.absolute().parent.is_dir():
        raise OutputError(f"'{kept}' cannot be written: name a file in a folder that is there.")
    missing = [name for name in ("pytest", "pytest_benchmark") if find_spec(name) is None]
    if missing:
        raise LcbenchError(f"Timing needs {' and '.join(missing)}: pip install 'lcbench[bench]'.")
    with tempfile.TemporaryDirectory(prefix="lcbench-bench-") as corner:
        file, failures = Path(corner, "benchmark.json"), Path(corner, "failures.jsonl")
        (Path(corner) / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        asked = {
            "methods": list(methods), "streams": list(streams), "plugins": list(plugins), "rounds": rounds,
            "failures": str(failures),
        }  # fmt: skip
        said: list[str] = []
        for line in _pytest(Path(corner), file, asked):
            said.append(line)
            if line.startswith(STARTS):
                yield line.rstrip()
            else:
                logger.debug("pytest: %s", line.rstrip())
        if not file.is_file() and not failures.is_file():
            raise LcbenchError("The timings came to no end; pytest said: " + " ".join("".join(said[-5:]).split()))
        if failures.is_file():
            yield from (Failed(**json.loads(line)) for line in failures.read_text(encoding="utf-8").splitlines())
        if file.is_file():
            yield from read_timed(file)
            write_whole(kept, file.read_bytes())


def _pytest(corner: Path, file: Path, asked: dict[str, Any]) -> Iterator[str]:
    """The lines that a process of pytest prints; one thread, no plugins but that for benchmarks, no settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= dict.fromkeys(VARIABLES, "1")
    environment |= {ASKED: json.dumps(asked), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONUNBUFFERED": "1"}
    words = [
        sys.executable, "-m", "pytest", "-p", "pytest_benchmark.plugin", "-p", "no:cacheprovider", "-c",
        str(corner / "pytest.ini"), "--rootdir", str(corner), "--import-mode=importlib", "-q", "-s",
        "--benchmark-only", "--benchmark-timer=time.process_time", f"--benchmark-json={file}",
        "--benchmark-storage", corner.as_uri(), str(Path(__file__).with_name("timed_streams.py")),
    ]  # fmt: skip
    with subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        yield from process.stdout


def read_timed(file: Path) -> list[Timed]:
    """The timings in a file of pytest-benchmark that `lcbench bench` kept."""
    try:
        found = json.loads(read_regular(file, MOST_TEXT_BYTES))["benchmarks"]
        return [
            Timed(
                str(each["extra_info"]["stream"]), str(each["extra_info"]["method"]), float(each["stats"]["median"]),
                float(each["stats"]["iqr"]) / 2, int(each["stats"]["rounds"]),
            )
            for each in found
        ]  # fmt: skip
    except OSError as error:
        raise ParameterError(f"'{file}' cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ParameterError(f"'{file}' is no file that lcbench bench has written.") from error
