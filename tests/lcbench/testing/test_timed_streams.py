from __future__ import annotations

import json

import pytest

from lcbench.errors import UnsuitableTaskError
from lcbench.testing import timed_streams
from lcbench.testing.timing import ASKED

STREAM = "digits:tasks=2,per_class=5"


class Benchmark:
    """Stands in for the fixture of pytest-benchmark."""

    def __init__(self):
        self.group, self.extra_info, self.asked = "", {}, {}

    def pedantic(self, learn, **asked):
        self.asked = asked
        learn()


@pytest.fixture
def timing(monkeypatch, tmp_path):
    def time(method, rounds=3):
        asked = {"methods": [method], "streams": [STREAM], "plugins": [], "rounds": rounds}
        monkeypatch.setenv(ASKED, json.dumps({**asked, "failures": str(tmp_path / "failures")}))
        timed_streams._asked.cache_clear()
        benchmark = Benchmark()
        timed_streams.test_learning_a_stream(benchmark, method, STREAM)
        return benchmark

    yield time
    timed_streams._asked.cache_clear()


@pytest.mark.parametrize("method", ["l2sc:lam=2", "sklearn"])
def test_each_method_is_timed_under_its_name_after_a_round_that_does_not_count(timing, method, capsys):
    found = timing(method)
    assert (found.group, found.extra_info) == (STREAM, {"method": method, "stream": STREAM})
    assert found.asked == {"rounds": 3, "warmup_rounds": 1}
    assert capsys.readouterr().out == f"\ntiming {method} on {STREAM}\n"
    assert timing(method, rounds=1).asked == {"rounds": 1, "warmup_rounds": 0}


def test_the_tasks_of_a_stream_are_made_once_and_not_while_time_is_taken(timing, monkeypatch):
    timing("stsc")
    monkeypatch.setattr("lcbench.api.loading.load_stream", None)
    timing("sklearn")
    timing("stsc")


def test_why_a_method_failed_is_written_down(timing, tmp_path):
    with pytest.raises(UnsuitableTaskError):
        timing("l2sc:k=99")
    (line,) = (tmp_path / "failures").read_text().splitlines()
    said = json.loads(line)
    assert (said["stream"], said["method"]) == (STREAM, "l2sc:k=99")
    assert "too few for an embedding of 99 dimensions" in said["reason"]


def test_there_is_a_benchmark_for_each_method_on_each_stream(timing):
    timing("stsc")
    given = {}

    class Metafunc:
        parametrize = staticmethod(given.__setitem__)

    timed_streams.pytest_generate_tests(Metafunc)
    assert given == {"method": ["stsc"], "stream": [STREAM]}
