"""Counts the runs of an experiment as they go on, and estimates how long the rest will take."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from lcbench.printable import duration

if TYPE_CHECKING:
    from lcbench.records.record import RunRecord

SECONDS_UNTIL_ESTIMATE = 2.0  # of the time that is left


class Tally:
    """The number of runs, of those that are finished, and the shares that others have done.

    `hear` and `end` are called from one thread; others may ask meanwhile.
    """

    def __init__(self, total: int = 0) -> None:
        self.total = total
        self.finished = 0
        self._shares: dict[str, float] = {}  # by run id
        self._begun = math.inf
        self._forecast: tuple[float, float] | None = None  # the seconds that were left, and when

    def hear(self, run: RunRecord, learned: int) -> None:
        """Note that a run has learned so many of its tasks."""
        self._begun = min(self._begun, time.monotonic())
        self._shares[run.run_id] = learned / len(run.order)
        self._foresee()

    def end(self, run: RunRecord) -> None:
        """Count a run that is finished."""
        self.finished += 1
        self.total = max(self.total, self.finished)  # what was done may turn out to be damaged
        self._shares.pop(run.run_id, None)
        self._foresee()

    @property
    def number(self) -> int:
        """The number of the run that is at work now; of several, the first."""
        return min(self.finished + 1, self.total)

    @property
    def done(self) -> float:
        """The runs that are finished, and the shares of those underway."""
        return self.finished + sum(list(self._shares.values()))

    def times(self) -> str:
        """The time since the first run began, and how much is left if that is known."""
        now = time.monotonic()
        return f"{duration(now - min(self._begun, now))} elapsed{self.left()}"

    def left(self) -> str:
        """The end of a sentence: the time that is left by the last forecast, or by a new one where that is over."""
        if self._forecast is None:
            return ""
        seconds, then = self._forecast
        seconds -= time.monotonic() - then
        if seconds <= 0:
            self._foresee()
            seconds = self._forecast[0]
        return f", about {duration(max(seconds, 1))} left"

    def _foresee(self) -> None:
        """Note the time that the rest will take if it is as quick as what is done; nothing in the first seconds."""
        now, done = time.monotonic(), self.done
        spent = now - self._begun
        known = spent >= SECONDS_UNTIL_ESTIMATE and 0 < done < self.total
        self._forecast = (spent * (self.total - done) / done, now) if known else None
