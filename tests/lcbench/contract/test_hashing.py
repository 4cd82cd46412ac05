from __future__ import annotations

import hashlib
import os
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.contract.hashing import derive_seed, method_seed

RUN = {"seed": 0, "stream": "digits", "order": ("a", "b"), "method": "l2sc", "repeat": 1}
PARTS = st.lists(st.one_of(st.integers(), st.text(max_size=5), st.lists(st.text(max_size=3), max_size=3)), max_size=5)


def test_a_seed_is_the_first_four_bytes_of_the_hash_of_its_parts():
    digest = hashlib.sha256(b'["order",0,"digits",3]').hexdigest()
    assert derive_seed("order", 0, "digits", 3) == int(digest[:8], 16)


def test_a_methods_seed_hashes_the_run_and_not_the_parameters():
    digest = hashlib.sha256(b'["method",0,"digits",["a","b"],"l2sc",1]').hexdigest()
    assert method_seed(**RUN) == int(digest[:8], 16)


def test_each_part_of_a_run_changes_the_methods_seed():
    others = [
        {"seed": 1}, {"stream": "topics"}, {"order": ("b", "a")}, {"order": ("ab",)}, {"method": "stsc"}, {"repeat": 2},
    ]  # fmt: skip
    seeds = {method_seed(**RUN), *(method_seed(**{**RUN, **other}) for other in others)}
    assert len(seeds) == 7


def test_parts_are_not_run_together():
    assert len({derive_seed("ab", "c"), derive_seed("a", "bc"), derive_seed("abc"), derive_seed(["ab", "c"])}) == 4
    assert derive_seed(1) != derive_seed("1")


@settings(deadline=None)
@given(PARTS)
def test_a_seed_has_32_bits_as_numpy_and_scikit_learn_need(parts):
    assert 0 <= derive_seed(*parts) < 2**32


def test_a_seed_is_the_same_in_a_process_with_another_hash_seed():
    code = "from lcbench.contract.hashing import derive_seed; print(derive_seed('order', 0, 'digits', ['ä']))"
    command = [sys.executable, "-c", code]
    printed = {subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": s}, text=True) for s in ("1", "2")}
    assert printed == {f"{derive_seed('order', 0, 'digits', ['ä'])}\n"}
