"""Entries of a board made by hand: records with scores that a test says, in place of checked submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from making import make_record, make_solos
from small_suite import STATEMENTS

from lcbench.experiment.suites import Suite
from lcbench.submission.checking import Submission
from lcbench.submission.description import Description, Package, SubmittedMethod
from lcbench.submission.entries import Entry
from lcbench.submission.verification import Level


def make_entry(
    suite: Suite, name: str, scores: Mapping[str, Sequence[float]], *, setting: str = "single-task",
    level: Level = Level.SCORED, solo: float | None = None, forward: float = 0.0, failed: str = "",
    seconds: float = 1.0, peak: int = 100_000_000,
) -> Entry:  # fmt: skip
    """A method with these averages over tasks in the end: a run for each, in an order of its own.

    Of a lifelong method every task alone has the score `solo`, and the first task at its arrival `forward` more.
    `failed` names a stream of which the first run failed, and was counted as the score that is given.
    """
    method = SubmittedMethod(label=name, name="m", revision=1, setting=setting, params="{}", code_sha256="0" * 64)
    package = Package(distribution="mine", version="1.0", wheel="m.whl", wheel_sha256="0" * 64, requirements=[])
    description = Description(
        suite=suite.name, suite_digest=suite.digest, quick=suite.quick, lcbench="0.2", about=STATEMENTS,
        package=package, methods=[method],
    )  # fmt: skip
    runs, solos = [], {}
    for stream, averages in scores.items():
        for repeat, average in enumerate(averages):
            R = [[average if solo is None else solo + forward, None], [average, average]]
            run = make_record(
                name, order="ab" if repeat % 2 == 0 else "ba", repeat=repeat, setting=setting, stream_label=stream,
                stream=stream, scores=dict.fromkeys(suite.metrics, R), learn_seconds=[seconds, 0.0],
                predict_seconds=[0.0, 0.0], peak_bytes=peak,
            )  # fmt: skip
            runs.append(run)
            if solo is not None:
                for metric in suite.metrics[:1]:
                    solos |= {each.run_id: each for each in make_solos(run, {"a": solo, "b": solo}, metric=metric)}
    lost = tuple(replace(run, status="failed", scores={}) for run in runs if run.stream_label == failed)[:1]
    submission = Submission(Path("submission"), f"{name:0<64.64}", description, suite, {}, {})
    return Entry(name, method, submission, level, None, tuple(runs), solos, lost)
