from __future__ import annotations

import io
import subprocess
import sys

import pytest

from lcbench.cli.standard_streams import make_usable

SCRIPT = """
import os, sys
from lcbench.cli.standard_streams import make_usable
make_usable()
opened = os.open(os.devnull, os.O_RDONLY)
print("number", opened, file=sys.stderr)
print(sys.stdin.read() == "", file=sys.stderr)
try:
    print("text", flush=True)
except OSError as error:
    print(error.strerror, file=sys.stderr)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
"""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_characters_that_an_encoding_lacks_are_written_out(monkeypatch, encoding):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    make_usable()
    print("a \N{PLUS-MINUS SIGN} \N{EM DASH} \N{CJK UNIFIED IDEOGRAPH-4E2D}", end="", flush=True)
    assert written.getvalue() == {
        "ascii": rb"a \xb1 \u2014 \u4e2d", "latin-1": b"a \xb1 \\u2014 \\u4e2d", "utf-8": "a ± — 中".encode(),
    }[encoding]  # fmt: skip


def test_no_file_takes_the_number_of_a_stream_that_was_closed_and_writing_to_it_is_an_error():
    command = f'"{sys.executable}" -c "$1" <&- >&-'
    ended = subprocess.run(["sh", "-c", command, "sh", SCRIPT], capture_output=True, text=True, check=True)
    number, empty, reason = ended.stderr.splitlines()
    assert int(number.split()[1]) > 2
    assert (empty, reason) == ("True", "Bad file descriptor")
