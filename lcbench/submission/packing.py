"""Packs the runs of a suite into the folder of a submission."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lcbench import __version__
from lcbench.errors import OutputError, SubmissionError
from lcbench.experiment.resolving import configured_methods
from lcbench.experiment.suites import Suite
from lcbench.printable import counted
from lcbench.reading import is_there
from lcbench.records.record import OK, RunRecord
from lcbench.records.store import RunStore
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.running.planned_run import ConfiguredMethod
from lcbench.submission.description import About, Description, Package, SubmittedMethod, code_facts
from lcbench.submission.expected import expected_runs
from lcbench.submission.folder import DESCRIPTION, RESULTS, write_manifest
from lcbench.submission.installed import requirements_of, wheel_hash
from lcbench.writing import write_whole


@dataclass(frozen=True, slots=True)
class Packed:
    """A submission that was written: its folder and id, its runs, and those of them that failed."""

    folder: Path
    id: str
    runs: int
    failed: int


def pack(suite: Suite, methods: Sequence[str], *, results: Path, about: About, wheel: Path, folder: Path) -> Packed:
    """Write the submission of methods that have run on a suite; it is there whole or not at all."""
    if is_there(folder):
        raise SubmissionError(f"'{folder}' is there already: name another folder, or remove it.")
    entries = configured_methods(list(methods), plugin_host().registry)
    source = _one_source(entries)
    store = RunStore(results)
    every: list[RunRecord] = []
    submitted: list[SubmittedMethod] = []
    for entry in entries:
        plain = _submitted(entry, code="0" * 64)
        runs = _loaded(store, expected_runs(suite, [plain]), entry, suite)
        submitted.append(plain.model_copy(update={"code_sha256": _code_of(runs, entry, source)}))
        every += runs
    (wheel_sha256,) = {wheel_hash(wheel, _package(method), method.code_sha256) for method in submitted}
    description = Description(
        suite=suite.name, suite_digest=suite.digest, quick=suite.quick, lcbench=__version__, about=about,
        package=Package(
            distribution=source.distribution, version=source.version, wheel=wheel.name, wheel_sha256=wheel_sha256,
            requirements=requirements_of(source.distribution),
        ),
        methods=submitted,
    )  # fmt: skip
    made = _write(folder, description, every, store, suite)
    return Packed(folder, made, len(every), sum(run.status != OK for run in every))


def _one_source(entries: Iterable[ConfiguredMethod]) -> Source:
    """The installed distribution that all methods come from; SubmissionError if it is not one."""
    registry = plugin_host().registry
    found: dict[tuple[str, str], Source] = {}
    for entry in entries:
        source = registry.methods.source(entry.name)
        if source.file:
            raise SubmissionError(
                f"'{entry.label}' comes from the file '{source.file}', which nobody else can install: make a package "
                "of it first, as 'lcbench new method' does."
            )
        found[source.distribution, source.version] = source
    if len(found) > 1:
        names = ", ".join(f"{name} {version}" for name, version in found)
        raise SubmissionError(f"A submission has methods of one distribution, and these are of {names}: pack each.")
    return next(iter(found.values()))


def _submitted(entry: ConfiguredMethod, code: str) -> SubmittedMethod:
    return SubmittedMethod(
        label=entry.label, name=entry.name, revision=entry.revision, setting=entry.setting,
        params=json.dumps(entry.params, allow_nan=False), code_sha256=code,
    )  # fmt: skip


def _loaded(store: RunStore, expected: dict[str, RunRecord], entry: ConfiguredMethod, suite: Suite) -> list[RunRecord]:
    """The stored runs that a suite wants, called as in the submission; SubmissionError if some are missing."""
    found = {run_id: store.load(run_id) for run_id in expected}
    missing = sum(run is None for run in found.values())
    if missing:
        quick = " --quick" if suite.quick else ""
        raise SubmissionError(
            f"{counted(missing, 'run')} of {len(found):,} of '{entry.label}' on suite '{suite.name}' are not in "
            f"'{store.folder}': 'lcbench suite run {suite.name}{quick} --method {entry.label}' makes them."
        )
    runs = [run for run in found.values() if run is not None]
    for run in runs:
        run.label, run.stream_label = expected[run.run_id].label, expected[run.run_id].stream_label
    return runs


def _code_of(runs: Sequence[RunRecord], entry: ConfiguredMethod, source: Source) -> str:
    """The hash of the code that made all runs of a method; SubmissionError if there are several, or none is known."""
    code = runs[0].code.get("sha256")
    if not code or any(code_facts(run.code) != (source.distribution, source.version, code) for run in runs):
        raise SubmissionError(
            f"The runs of '{entry.label}' were not all made by {source.distribution} {source.version} as it is now: "
            "run the suite with --fresh."
        )
    return str(code)


def _package(method: SubmittedMethod) -> str:
    """The package that the class of a method is in."""
    return plugin_host().registry.methods[method.name].factory.partition(":")[0].partition(".")[0]


def _write(folder: Path, description: Description, runs: Iterable[RunRecord], store: RunStore, suite: Suite) -> str:
    """Write all files into a folder beside `folder`, which then gets that name; returns the id of the submission."""
    made = folder.with_name(f".{folder.name}.part")
    try:
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        kept = RunStore(made / RESULTS)
        for run in runs:
            run.labels = store.load_labels(run.run_id)
            run.scores = {key: run.scores[key] for key in suite.metrics if key in run.scores}
            run.experiments, run.command = (suite.tag,), ""  # a command may name folders of the submitter
            kept.save(run)
            run.labels = []
        write_whole(made / DESCRIPTION, description.text().encode())
        identity = write_manifest(made)
        made.rename(folder)
    except OSError as error:
        raise OutputError(f"'{folder}' could not be written ({error.strerror}).") from error
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return identity
