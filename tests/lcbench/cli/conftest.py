"""The command line in this process, as a person would call it."""

from __future__ import annotations

import json
import logging
import sys
from typing import NamedTuple

import pytest

import lcbench.api.run  # noqa: F401  takes make_limits as it is, before a test replaces it
from lcbench.cli import main
from lcbench.running.threads import VARIABLES


class Called(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def runs(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def command(monkeypatch, capsys):
    """Calls the command; what it sets for the process is taken back.

    Runs are carried out in this process, which starts faster: workers have tests of their own.
    """
    monkeypatch.setattr("lcbench.experiment.limits.make_limits", lambda *_: None)
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "1")
    logger = logging.getLogger("lcbench")
    handlers, propagate, level = logger.handlers, logger.propagate, logger.level

    def call(*arguments: str) -> Called:
        monkeypatch.setattr(sys, "argv", ["lcbench", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        return Called(ended.value.code, *capsys.readouterr())

    yield call
    logger.handlers, logger.propagate = handlers, propagate
    logger.setLevel(level)
