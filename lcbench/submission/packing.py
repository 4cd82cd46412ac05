"""Packs the runs of a suite into the folder of a submission."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lcbench import __version__
from lcbench.contract.specs import MethodSpec
from lcbench.errors import OutputError, SubmissionError
from lcbench.experiment.resolving import configured_methods
from lcbench.experiment.suites import Suite
from lcbench.printable import counted
from lcbench.reading import is_there
from lcbench.records.record import RunRecord
from lcbench.records.store import RunStore
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host
from lcbench.running.planned_run import ConfiguredMethod
from lcbench.submission.description import About, Description, Package, SubmittedMethod
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
    by_method: dict[str, list[RunRecord]] = {}
    submitted = []
    for entry in entries:
        plain = _submitted(entry, code="0" * 64)
        runs = _loaded(store, expected_runs(suite, [plain]), entry, suite)
        code = _code_of(runs, entry, source)
        submitted.append(plain.model_copy(update={"code_sha256": code}))
        by_method[entry.label] = runs
    hashes = {wheel_hash(wheel, package, code) for package, code in _packages(entries, submitted)}
    description = Description(
        suite=suite.name, suite_digest=suite.digest, quick=suite.quick, lcbench=__version__, about=about,
        package=Package(
            distribution=source.distribution, version=source.version, wheel=wheel.name, wheel_sha256=hashes.pop(),
            requirements=requirements_of(source.distribution),
        ),
        methods=submitted,
    )  # fmt: skip
    every = [run for runs in by_method.values() for run in runs]
    made = _write(folder, description, every, store, suite)
    return Packed(folder, made, len(every), sum(run.status != "ok" for run in every))


def _one_source(entries: Iterable[ConfiguredMethod]) -> Source:
    """The installed distribution that all methods come from; SubmissionError if it is not one."""
    registry = plugin_host().registry
    found: dict[tuple[str, str], Source] = {}
    for entry in entries:
        assert isinstance(entry.origin, MethodSpec)
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
    codes = {tuple(str(run.code.get(key)) for key in ("distribution", "version", "sha256")) for run in runs}
    ours = [
        code
        for distribution, version, code in codes
        if (distribution, version) == (source.distribution, source.version)
    ]
    if len(codes) != 1 or not ours or ours[0] == "None":
        raise SubmissionError(
            f"The runs of '{entry.label}' were not all made by {source.distribution} {source.version} as it is now: "
            "run the suite with --fresh."
        )
    return ours[0]


def _packages(entries: Iterable[ConfiguredMethod], submitted: Iterable[SubmittedMethod]) -> set[tuple[str, str]]:
    """The package of each method, with the hash of its code."""
    return {
        (entry.origin.factory.partition(":")[0].partition(".")[0], method.code_sha256)
        for entry, method in zip(entries, submitted, strict=True)
        if isinstance(entry.origin, MethodSpec)
    }


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
