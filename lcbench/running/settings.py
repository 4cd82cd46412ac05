"""The first message to every process: import path, environment, log level, and its job."""

from __future__ import annotations

import json
import os
import sys

from lcbench.running.forwarded_logs import forward_logs
from lcbench.running.wire import Wire


def receive_job(wire: Wire) -> memoryview:
    """Take on the settings; the job comes back still pickled, as unpickling it may import a plugin."""
    _, _, (settings, job) = wire.receive()
    found = json.loads(bytes(settings.content()))
    os.environ.clear()
    os.environ.update(found["environment"], TMPDIR=os.getcwd())  # noqa: PTH109
    sys.path[:] = found["import_path"]
    forward_logs(wire, found["log_level"])
    return job.content()
