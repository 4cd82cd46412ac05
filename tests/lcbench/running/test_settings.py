from __future__ import annotations

import importlib
import json
import logging
import os
import sys
from pathlib import Path

import pytest

from lcbench.registry.file_modules import withdraw
from lcbench.running.parcels import Parcel
from lcbench.running.settings import receive_job

FOUND = {
    "import_path": ["/one", "/two"], "environment": {"PATH": "/bin", "MINE": "ä"}, "log_level": logging.INFO,
    "plugin_files": {"sent_along": ["/there/sent_along.py", "SAID = 3\n"]},
}  # fmt: skip


class Wire:
    """A wire with one message, that notes what is sent."""

    def __init__(self, *parcels):
        self.parcels = parcels
        self.sent = []

    def receive(self):
        return {}, b"", list(self.parcels)

    def send(self, message, content=b"", parcels=()):
        self.sent.append(message)


@pytest.fixture
def received(_logs_put_back):
    """The job and the wire of this process after it has taken on settings; undone afterwards."""
    environment, path = dict(os.environ), list(sys.path)
    wire = Wire(Parcel.of([json.dumps(FOUND).encode()]), Parcel.of([b"the job"]))
    try:
        yield receive_job(wire), wire
    finally:
        withdraw("sent_along")
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:] = path


def test_a_process_takes_on_the_import_path_and_the_environment_and_its_own_folder_for_temporary_files(received):
    assert sys.path == ["/one", "/two"]
    os.environ.pop("PYTEST_CURRENT_TEST", None)  # which pytest sets anew
    assert dict(os.environ) == {**FOUND["environment"], "TMPDIR": str(Path.cwd())}


def test_plugin_files_can_be_imported_from_the_text_that_was_sent(received):
    assert importlib.import_module("sent_along").SAID == 3


def test_the_job_comes_as_the_bytes_that_were_sent(received):
    job, _ = received
    assert bytes(job) == b"the job"
    assert job.readonly


def test_from_then_on_logs_of_the_level_asked_for_are_sent(received):
    _, wire = received
    logging.getLogger("lcbench.mine").info("to be shown")
    logging.getLogger("lcbench.mine").debug("not to be shown")
    logging.getLogger("another").info("not to be shown")
    assert [message["text"] for message in wire.sent] == ["to be shown"]
