"""The runs that a suite wants of a method, by id; and why another run is none of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lcbench.contract.hashing import canonical_json
from lcbench.contract.specs import Setting
from lcbench.experiment.suites import Suite
from lcbench.records.record import SOLO, RunRecord, not_tuned, parse_evaluate
from lcbench.submission.description import SubmittedMethod


def expected_runs(suite: Suite, methods: Iterable[SubmittedMethod]) -> dict[str, RunRecord]:
    """Records without results of all runs that methods make on a suite, by id.

    The methods need not be installed. SuiteError if a stream here is not that of the suite.
    """
    evaluate = "all" if parse_evaluate(suite.file.evaluate) == 1 else suite.file.evaluate
    streams = list(zip(suite.streams, suite.configured(), strict=True))
    found: dict[str, RunRecord] = {}
    for method in methods:
        alone = suite.file.solo and method.setting != Setting.SINGLE_TASK.value
        for wanted, stream in streams:
            for repeat, order in suite.orders(wanted, stream.task_names):
                run = RunRecord(
                    method=method.name, revision=method.revision, params=method.values, setting=method.setting,
                    stream=stream.name, stream_params=stream.params, stream_digest=stream.digest, order=order,
                    seed=suite.file.seed, repeat=repeat, evaluate=evaluate, label=method.label,
                    stream_label=wanted.shown, stream_tasks=stream.task_names, order_kinds=(wanted.order,),
                )  # fmt: skip
                found[run.run_id] = run
                for solo in map(run.solo, order if alone else ()):
                    found.setdefault(solo.run_id, solo)
    return found


def is_solo(run: RunRecord) -> bool:
    """True if an expected run learns one task alone, for runs of several tasks to be measured against."""
    return run.order_kinds == (SOLO,)


def why_not_expected(run: RunRecord, expected: Mapping[str, RunRecord], methods: Sequence[SubmittedMethod]) -> str:
    """The reason why a run is none that the suite wants of the submitted methods, in a few words."""
    runs = list(expected.values())
    named = [method for method in methods if method.name == run.method]
    if not named:
        return f"it is a run of method '{run.method}', which submission.toml does not name"
    if all(canonical_json(method.values) != canonical_json(run.params) for method in named):
        return f"its parameters {canonical_json(run.params)} are not those of submission.toml"
    if all(method.revision != run.revision for method in named):
        return f"it is of revision {run.revision} of '{run.method}', and submission.toml names another"
    on_stream = [each for each in runs if each.stream == run.stream]
    if not on_stream:
        return f"its stream '{run.stream}' is not in the suite"
    same = [each for each in on_stream if canonical_json(each.stream_params) == canonical_json(run.stream_params)]
    if not same:
        return f"the parameters of its stream, {canonical_json(run.stream_params)}, are not those of the suite"
    like = same[0]
    differences = (
        (run.stream_digest != like.stream_digest, f"its stream has the digest {run.stream_digest!r}, not the suite's"),
        (run.seed != like.seed, f"its seed is {run.seed}, and that of the suite {like.seed}"),
        (run.threads != like.threads, f"it had {run.threads} threads, and the suite allows {like.threads}"),
        (
            (run.evaluate, run.future) != (like.evaluate, like.future),
            "it was scored at other steps than the suite says",
        ),
        (run.tune != not_tuned(), "its parameters were tuned for this stream"),
        (all(each.order != run.order for each in same), f"its order {', '.join(run.order)} is none of the suite's"),
    )
    return next((said for wrong, said in differences if wrong), f"its order is not that of repeat {run.repeat}")
