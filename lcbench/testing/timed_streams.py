"""The benchmark of `lcbench bench`, which pytest runs in a process that is told what to do."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcbench.testing.timing import ASKED, REFERENCE, STARTS, learn_all, learn_by_scikit_learn

if TYPE_CHECKING:
    from lcbench.contract.task import LabelledTask


@cache
def _asked() -> dict[str, Any]:
    from lcbench.registry.plugin_files import load_plugin_files

    found: dict[str, Any] = json.loads(os.environ[ASKED])
    load_plugin_files(found["plugins"])
    return found


@cache
def _tasks(stream: str) -> Sequence[LabelledTask]:
    """The tasks of a stream, made once: that is not timed."""
    from lcbench.api.loading import load_stream

    return load_stream(stream).tasks()


def pytest_generate_tests(metafunc: Any) -> None:
    """One benchmark for each method on each stream."""
    asked = _asked()
    metafunc.parametrize("stream", asked["streams"])  # then all methods on one stream come one after the other
    metafunc.parametrize("method", asked["methods"])


def test_learning_a_stream(benchmark: Any, method: str, stream: str) -> None:
    """The CPU time in which a method learns all tasks of a stream; predictions do not count."""
    from lcbench.api.loading import load_method
    from lcbench.running.threads import ThreadLimit

    asked = _asked()
    sys.stdout.write(f"\n{STARTS}{method} on {stream}\n")
    sys.stdout.flush()
    benchmark.group = stream
    benchmark.extra_info |= {"method": method, "stream": stream}

    def learn() -> None:
        if method == REFERENCE:
            learn_by_scikit_learn(tasks)
        else:
            learn_all(lambda: load_method(method), tasks)

    try:
        tasks = _tasks(stream)
        with ThreadLimit(1):
            benchmark.pedantic(learn, rounds=asked["rounds"], warmup_rounds=1 if asked["rounds"] > 1 else 0)
    except Exception as error:
        failed = {"stream": stream, "method": method, "reason": "".join(traceback.format_exception_only(error)).strip()}
        with Path(asked["failures"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(failed) + "\n")
        raise
