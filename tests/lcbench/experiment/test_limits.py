from __future__ import annotations

import pytest

from lcbench.errors import ParameterError
from lcbench.experiment.limits import make_limits, parse_duration, parse_size
from lcbench.running.executor import Limits


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60s", 60), ("5min", 300), ("5 m", 300), ("1.5h", 5400), (" 90 ", 90), ("2d", 172800), ("250ms", 0.25),
        ("10 sec", 10), ("1e2", 100), (".5h", 1800), (3, 3), (0.25, 0.25), ("1H", 3600),
    ],
)  # fmt: skip
def test_a_duration_is_a_number_of_seconds(text, seconds):
    assert parse_duration(text) == pytest.approx(seconds)
    assert isinstance(parse_duration(text), float)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2GB", 2 * 10**9), ("512MB", 512 * 10**6), ("1.5GiB", 3 * 2**29), ("10 kB", 10_000), ("10KiB", 10_240),
        ("2g", 2 * 10**9), ("1TiB", 2**40), ("1TB", 10**12), ("1000", 1000), ("7B", 7), (4096, 4096), ("1e3 MB", 10**9),
    ],
)  # fmt: skip
def test_a_size_is_a_whole_number_of_bytes(text, size):
    assert parse_size(text) == size
    assert isinstance(parse_size(text), int)


BAD = ["", "s", "soon", "-1s", "0", "0s", "1 hour ago", "1,5h", "nan", "inf", "1e999", float("nan"), float("inf"),
       -1, 0, True, None, [1], "1s 2s", "٣s"]  # fmt: skip


@pytest.mark.parametrize("text", [*BAD, "5GB"], ids=repr)
def test_what_is_no_duration_is_refused_and_quoted(text):
    with pytest.raises(ParameterError) as caught:
        parse_duration(text)
    assert str(caught.value) == f"{text!r} is not a duration above 0 such as 60s, 5min or 1.5h."


@pytest.mark.parametrize("text", [*BAD, "5min", "0.5", 0.5, "2 GBit"], ids=repr)
def test_what_is_no_size_is_refused_and_quoted(text):
    with pytest.raises(ParameterError) as caught:
        parse_size(text)
    assert str(caught.value) == f"{text!r} is not a size of at least one byte such as 512MB, 2GB or 1.5GiB."


def test_where_memory_cannot_be_limited_a_warning_says_so_and_there_is_no_limit(monkeypatch, caplog):
    monkeypatch.setattr("lcbench.running.process_limits.can_limit_memory", lambda: False)
    assert make_limits(1, 1, None, 2 * 10**9) == Limits()
    assert caplog.messages == ["Memory can be limited on Linux only: runs go without a limit here."]


def test_more_threads_than_cores_cost_a_warning(monkeypatch, caplog):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    make_limits(2, 2, None, None)
    assert caplog.messages == []
    make_limits(3, 2, None, None)
    assert caplog.messages == [
        "3 jobs with 2 threads each are more than the 4 cores of this machine: times will not be fair."
    ]
