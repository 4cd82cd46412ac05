"""The first message to every process: import path, plugin files, environment, and its job."""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field

from lcbench.registry.file_modules import SourceFile, serve, served
from lcbench.running.forwarded_logs import forward_logs
from lcbench.running.wire import Wire

HASH_SEED = "PYTHONHASHSEED"  # so that sets of texts have the same order in all processes


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Settings that processes take over from lcbench: plugin files, the seed of Python's hashes, the level of logs."""

    plugin_files: Mapping[str, SourceFile] = field(default_factory=served)
    hash_seed: str = field(default_factory=lambda: os.environ.get(HASH_SEED, "0"))
    log_level: int = field(default_factory=lambda: logging.getLogger("lcbench").getEffectiveLevel())


def receive_job(wire: Wire) -> memoryview:
    """Take on the settings; the job comes back still pickled, as unpickling it may import a plugin."""
    _, _, (settings, job) = wire.receive()
    found = json.loads(bytes(settings.content()))
    os.environ.clear()
    os.environ.update(found["environment"], TMPDIR=os.getcwd())  # noqa: PTH109
    tempfile.tempdir = None  # the server may have looked for one, and a fork would go on with that
    sys.path[:] = found["import_path"]
    serve({name: SourceFile(*file) for name, file in found["plugin_files"].items()})
    forward_logs(wire, found["log_level"])
    return job.content()
