"""The records of runs, from the start of each to its end, with an event for each part."""

from __future__ import annotations

from plans import plan_runs

from lcbench import hookimpl
from lcbench.records.record import CLOCK, OK
from lcbench.registry.events import Events
from lcbench.registry.host import plugin_host
from lcbench.running.isolated_run import Ending
from lcbench.running.ledger import Ledger


class Heard:
    """Notes the events of runs."""

    def __init__(self):
        self.seen = []

    @hookimpl
    def lcbench_run_started(self, run):
        self.seen.append(("started", run.status))

    @hookimpl
    def lcbench_run_finished(self, run):
        self.seen.append(("finished", run.status))


def ended(module_stream, ending, *, sealed=False):
    (planned,) = plan_runs("kmeans", module_stream, baselines=False)
    heard = Heard()
    ledger = Ledger(Events(plugin_host().manager, [heard]), sealed=sealed)
    ledger.start(planned, {"python": "3"})
    return ledger.end(planned, ending), heard


def test_a_record_has_what_its_ending_says_and_who_listens_hears_of_it(module_stream):
    record, heard = ended(module_stream, Ending(cpu_seconds=1.0, peak_bytes=5, processes_left=2), sealed=True)
    assert (record.status, record.cpu_seconds, record.peak_bytes, record.processes_left) == (OK, 1.0, 5, 2)
    assert (record.clock, record.isolated, record.sealed, record.environment) == (CLOCK, True, True, {"python": "3"})
    assert record.finished is not None
    assert heard.seen == [("started", OK), ("finished", OK)]


def test_a_process_that_worked_outside_its_clock_is_named(module_stream, caplog):
    ended(module_stream, Ending(cpu_seconds=1.0))
    assert not caplog.messages
    ended(module_stream, Ending(cpu_seconds=9.0))
    assert "its process used 9.0 s of CPU" in caplog.text
