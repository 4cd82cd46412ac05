"""Metrics that misbehave; scoring processes import this file by name."""

from __future__ import annotations

import ctypes
import os
import signal
import time

from lcbench import ExternalMetric


class Good(ExternalMetric):
    def score(self, table):
        return 0.25


class Exits(ExternalMetric):
    def score(self, table):
        os._exit(7)


class Segfaults(ExternalMetric):
    def score(self, table):
        ctypes.string_at(0)


class KillsItself(ExternalMetric):
    def score(self, table):
        os.kill(os.getpid(), signal.SIGKILL)


class Hangs(ExternalMetric):
    def score(self, table):
        time.sleep(120)


class Raises(ExternalMetric):
    def score(self, table):
        raise ValueError("no luck")


class Says(ExternalMetric):
    """Has its process answer with something else than scores."""

    def __init__(self, *, what="text"):
        self.what = what

    def score(self, table):
        import sys

        frame = sys._getframe()
        while "wire" not in frame.f_locals:
            frame = frame.f_back
        scores = {"text": "good", "number": {"says": [7] * 99}, "list": [1], "huge": {"says": [10**400]}}
        nan = {"say": "scores", "scores": {"says": [float("nan")] * 3}}
        frame.f_locals["wire"].send(nan if self.what == "nan" else {"say": "scores", "scores": scores[self.what]})
        if self.what == "text":
            time.sleep(120)
        os._exit(0)
