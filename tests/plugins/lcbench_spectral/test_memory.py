from __future__ import annotations

import os

import numpy as np
import pytest

from lcbench.contract.task import Task
from lcbench.errors import UnsuitableTaskError
from lcbench_spectral import memory
from lcbench_spectral.memory import available_memory, check_pairs_fit


def system(monkeypatch, **pages: int) -> None:
    known = {"SC_PAGE_SIZE": 4096, **pages}

    def sysconf(name: str) -> int:
        if name not in known:
            raise ValueError(name)
        return known[name]

    monkeypatch.setattr(os, "sysconf", sysconf, raising=False)


def test_what_is_free_counts_and_at_least_half_of_all(monkeypatch):
    system(monkeypatch, SC_PHYS_PAGES=1000, SC_AVPHYS_PAGES=800)
    assert available_memory() == 800 * 4096
    system(monkeypatch, SC_PHYS_PAGES=1000, SC_AVPHYS_PAGES=10)
    assert available_memory() == 500 * 4096


def test_a_system_that_tells_only_the_total_or_nothing(monkeypatch):
    system(monkeypatch, SC_PHYS_PAGES=1000)
    assert available_memory() == 500 * 4096
    monkeypatch.delattr(os, "sysconf")
    assert available_memory() is None


def test_a_refusal_names_the_size_that_would_fit(monkeypatch):
    task = Task("a", np.ones((11, 2)), 2)
    monkeypatch.setattr(memory, "available_memory", lambda: 800)
    with pytest.raises(UnsuitableTaskError, match=r"the 11 of task 'a' need .* enough for 10 samples"):
        check_pairs_fit([task], "onestepsc", 8)
    check_pairs_fit([Task("a", np.ones((10, 2)), 2)], "onestepsc", 8)
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    check_pairs_fit([task], "onestepsc", 8)


def test_a_refusal_says_how_much_is_needed_and_there_and_what_to_do(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 8_000_000_000)
    message = (
        r"the 20000 of task 'a' need 32\.0 GB of memory, and 8\.0 GB are there, enough for 10000 samples: "
        r"take that many of the task, or use .* stsc"
    )
    with pytest.raises(UnsuitableTaskError, match=message):
        check_pairs_fit([Task("a", np.ones((20_000, 1)), 2)], "onestepsc", 80)


def test_the_samples_of_several_tasks_count_together_and_the_advice_is_the_methods(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 800)
    tasks = [Task(name, np.ones((6, 2)), 2) for name in "ab"]
    with pytest.raises(UnsuitableTaskError, match=r"mine .* the 12 seen with task 'b' need .* 10 samples: wait\."):
        check_pairs_fit(tasks, "mine", 8, "wait")
