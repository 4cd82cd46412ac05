"""A suite of two small streams, and a submission of two methods that ran on it, for tests to look at and tamper with.

`small_suite` registers the suite for a test; `submission` is a copy of the submission, made once, in the test's own
folder, and `checked` what a check returns for it. `changed_run(submission, run, ...)` forges a run as a skilled person
would: with new checksums, and a new name; `scored` has all that a run says of other labels.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lcbench.contract.specs import SuiteSpec
from lcbench.data import stream_lookup
from lcbench.errors import DataUnavailableError
from lcbench.experiment.pipeline import carry_out, prepare
from lcbench.experiment.rescoring import Rescoring
from lcbench.experiment.resolving import configured_streams
from lcbench.experiment.suites import Suite, suite_of
from lcbench.records.record import RunRecord
from lcbench.records.scoring import agreement_matrix, largest_shares
from lcbench.records.store import RunStore
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.registry.names import format_entry
from lcbench.submission.checking import Submission, check_submission
from lcbench.submission.description import About
from lcbench.submission.folder import write_manifest
from lcbench.submission.packing import pack

METHODS = ("mini-batch-kmeans", "kmeans")
FILE = """\
name = "small-1"
about = "Two small streams."
seed = 3
metrics = ["ari", "nmi"]
evaluate = "all"
solo = true
sealed = false
minutes = 2

[budget]
time = "5min"
memory = "2GB"

[quick]
streams = ["digits"]
repeats = 1
minutes = 1

[[streams]]
stream = "digits"
params = { classes = [3, 5, 8], tasks = 3, per_class = 8, seed = 0 }
digest = "digits-1"
tasks = 3
order = "random"
repeats = 2
purpose = "images"

[[streams]]
stream = "topics"
label = "words"
digest = "topics-1"
tasks = 2
order = "fixed"
repeats = 1
purpose = "words"

[streams.params]
tasks = 2
clusters = 2
documents = 20
words = 60
length = 30
relatedness = 1.0
private = 0.1
signal = 0.4
seed = 0
"""
ABOUT = """\
code = "https://example.org/code"
paper = "none yet"
contact = "a person <person@example.org>"
tuning = "Defaults on all streams."
outside_data = "None."
labels = "Nobody looked at the labels of these streams."
"""
STATEMENTS = About(
    code="https://example.org/code", paper="none yet", contact="a person", tuning="Defaults.", outside_data="None.",
    labels="Nobody looked.",
)  # fmt: skip


def write_suite(folder: Path, text: str = FILE, name: str = "small-1") -> SuiteSpec:
    """The spec of a suite whose file is written into a folder."""
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return SuiteSpec(name, file, "two small streams")


def make_wheel(file: Path, package: str = "lcbench_baselines", **edited: str) -> Path:
    """A file with the Python code of an installed package, laid out as in a wheel; `edited` replaces files by name."""
    (home,) = find_spec(package).submodule_search_locations
    with zipfile.ZipFile(file, "w") as archive:
        for source in sorted(Path(home).rglob("*.py")):
            name = source.relative_to(home)
            member = zipfile.ZipInfo(f"{package}/{name.as_posix()}")  # with a date that is always the same
            archive.writestr(member, edited.get(name.stem, source.read_text(encoding="utf-8")))
    return file


def make_submission(suite: Suite, folder: Path, methods: Any = METHODS) -> Path:
    """Runs methods on a suite, each run in a process of its own, and packs them."""
    carry_out(prepare(*suite.experiments(list(methods), results=folder / "results", jobs=os.cpu_count())))
    wheel = make_wheel(folder / "code.whl")
    return pack(
        suite, methods, results=folder / "results", about=STATEMENTS, wheel=wheel, folder=folder / "submission"
    ).folder


def changed_run(submission: Path, run: RunRecord, **fields: Any) -> RunRecord:
    """Puts a run with other fields in the place of a run of a submission; its id, checksums and digests are right."""
    store = RunStore(submission / "results")
    labels = fields.pop("labels", None) or store.load_labels(run.run_id)
    forged = replace(run, **{"labels": labels, "digest": None} | fields)
    for file in (store.run_file(run.run_id), store.labels_file(run.run_id)):
        file.unlink()
    store.save(forged)
    write_manifest(submission)
    return forged


def runs_in(submission: Path) -> list[RunRecord]:
    """The records of a submission, those over most tasks first."""
    store = RunStore(submission / "results")
    ids = sorted(file.stem for file in (submission / "results" / "runs").iterdir())
    return sorted(map(store.load, ids), key=lambda run: (-len(run.order), run.label, run.repeat, run.order))


def labels_of(folder: Path, run: RunRecord) -> list[dict[str, np.ndarray]]:
    """The labels of a run of a submission."""
    return RunStore(folder / "results").load_labels(run.run_id)


def scored(run: RunRecord, labels: list[dict[str, np.ndarray]]) -> dict:
    """All that a run says of its labels, computed honestly."""
    with Rescoring() as rescoring:
        tasks = rescoring._tasks(run)
        scorers = rescoring._scorers_of(list(run.scores), 1)
        rows = scorers.rows(tasks, run.order, labels)
    return {
        "labels": labels,
        "scores": {metric: [row[metric] for row in rows] for metric in run.scores},
        "agreement": agreement_matrix(run.order, labels),
        "largest": largest_shares(run.order, labels[-1]),
    }


def true_classes(run: RunRecord) -> list[dict[str, np.ndarray]]:
    """The classes of the tasks of a run, as if a method had found them."""
    (stream,) = configured_streams([format_entry(run.stream, run.stream_params)])
    classes = {labelled.name: labelled.y for labelled in stream.tasks()}
    return [{task: classes[task] for task in run.order[: i + 1]} for i in range(len(run.order))]


@pytest.fixture(scope="session")
def _made_once(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("small-suite")
    return make_submission(suite_of(write_suite(folder)), folder)


@contextmanager
def registered(spec: SuiteSpec) -> Iterator[Suite]:
    """Registers a suite as long as the block lasts."""
    registry, source = plugin_host().registry, Source("small", "small-suites", "1.0")
    registry.suites.add(spec, source)
    yield suite_of(spec)
    registry.suites = registry.suites.without(source)


@pytest.fixture(scope="session")
def _checked_once(_made_once) -> Submission:
    with registered(write_suite(_made_once.parent)):
        return check_submission(_made_once).submission


@pytest.fixture
def small_suite(tmp_path) -> Iterator[Suite]:
    """The suite small-1, which is registered as long as the test lasts."""
    with registered(write_suite(tmp_path)) as suite:
        yield suite


@pytest.fixture
def submission(small_suite, _made_once, tmp_path) -> Path:
    """A submission of two methods on the suite small-1."""
    return Path(shutil.copytree(_made_once, tmp_path / "submission"))


@pytest.fixture
def no_data(submission, monkeypatch) -> None:
    """The data of no stream are available once the submission is made."""

    def gone(*_):
        raise DataUnavailableError("gone")

    monkeypatch.setattr(stream_lookup, "build_stream", gone)


@pytest.fixture
def checked(small_suite, _checked_once, tmp_path) -> Submission:
    """That submission as its check returns it, with an empty folder in the place of its files."""
    return replace(_checked_once, folder=tmp_path)
