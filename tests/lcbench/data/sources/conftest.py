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
