"""Metrics that attack the process that scores, and what comes out of it. All are internal: none runs unasked."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import sys
import time
import warnings

from lcbench import InternalMetric
from lcbench_hostile.answering import ESCAPES
from lcbench_hostile.forging import HUGE, message, write


class ScoreRaises(InternalMetric):
    """Raises an exception with escape codes."""

    def score(self, X, labels):
        raise ValueError(ESCAPES)


class ScoreRaisesBaseException(InternalMetric):
    """Raises what Ctrl-C raises."""

    def score(self, X, labels):
        raise KeyboardInterrupt


class ScoreExits(InternalMetric):
    """Ends its process."""

    def score(self, X, labels):
        os._exit(0)


class ScoreCallsExit(InternalMetric):
    """Calls sys.exit."""

    def score(self, X, labels):
        sys.exit(ESCAPES)


class ScoreSegfaults(InternalMetric):
    """Reads where no memory is."""

    def score(self, X, labels):
        return ctypes.string_at(0)


class ScoreHangs(InternalMetric):
    """Never returns, and ignores signals."""

    def score(self, X, labels):
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while True:
            time.sleep(60)


class ScorePatches(InternalMetric):
    """Makes the other metrics say 1, and warnings errors."""

    def score(self, X, labels):
        from lcbench.contract.metric import Contingency

        for value in vars(importlib.import_module("lcbench_indices.indices")).values():
            if isinstance(value, type) and "score" in vars(value):
                value.score = lambda *_: 1.0
        first = Contingency.__init__
        Contingency.__init__ = lambda self, y, labels: first(self, labels, labels)
        warnings.simplefilter("error")
        return 0.5


class ScoreNan(InternalMetric):
    """Is not a number."""

    def score(self, X, labels):
        return float("nan")


class ScoreInfinite(InternalMetric):
    """Is larger than any number."""

    def score(self, X, labels):
        return float("inf")


class ScoreText(InternalMetric):
    """Is a text."""

    def score(self, X, labels):
        return "very \x1b[31mgood"


class ScoreThousand(InternalMetric):
    """Is a thousand, out of any range."""

    def score(self, X, labels):
        return 1000


class ScoreForgesHuge(InternalMetric):
    """Writes a score to the wire that no float can hold."""

    def score(self, X, labels):
        write(message({"say": "scores", "scores": {"score-forges-huge": [HUGE]}}))
        return 0.5


class ScoreForgesOthers(InternalMetric):
    """Writes scores of another metric to the wire."""

    def score(self, X, labels):
        write(message({"say": "scores", "scores": {"purity": [1.0]}}))
        return 0.5


class ScoreStopsSupervisor(InternalMetric):
    """Stops the supervisor of its process, and ends."""

    def score(self, X, labels):
        from lcbench_hostile.base import supervisor

        os.kill(supervisor(), signal.SIGSTOP)
        os._exit(0)
