from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lcbench.contract.hashing import canonical_json, content_id, derive_seed, method_seed

RUN = {"seed": 0, "stream": "digits", "order": ("a", "b"), "method": "l2sc", "repeat": 1}


def test_a_seed_is_the_first_four_bytes_of_the_hash_of_its_parts():
    digest = hashlib.sha256(b'["order",0,"digits",3]').hexdigest()
    assert derive_seed("order", 0, "digits", 3) == int(digest[:8], 16)
    digest = hashlib.sha256(b'["method",0,"digits",["a","b"],"l2sc",1]').hexdigest()
    assert method_seed(**RUN) == int(digest[:8], 16)


def test_each_part_of_a_run_changes_the_methods_seed():
    others = [
        {"seed": 1}, {"stream": "topics"}, {"order": ("b", "a")}, {"order": ("ab",)}, {"method": "stsc"}, {"repeat": 2},
    ]  # fmt: skip
    seeds = {method_seed(**RUN), *(method_seed(**{**RUN, **other}) for other in others)}
    assert len(seeds) == 7


def test_parts_that_read_the_same_when_joined_give_different_seeds():
    assert len({derive_seed("ab", "c"), derive_seed("a", "bc"), derive_seed("abc"), derive_seed(["ab", "c"])}) == 4
    assert derive_seed(1) != derive_seed("1")


def test_a_seed_is_the_same_in_a_process_with_another_hash_seed():
    code = "from lcbench.contract.hashing import derive_seed; print(derive_seed('order', 0, 'digits', ['ä']))"
    command = [sys.executable, "-c", code]
    printed = {subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": s}, text=True) for s in ("1", "2")}
    assert printed == {f"{derive_seed('order', 0, 'digits', ['ä'])}\n"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(VALUES)
def test_canonical_json_is_read_back_as_the_value(value):
    assert json.loads(canonical_json(value)) == value
    assert content_id(value) == hashlib.sha256(canonical_json(value).encode()).hexdigest()


def test_canonical_json_does_not_depend_on_the_order_of_keys_and_has_no_white_space():
    text = canonical_json({"b": [1, 2.5, None], "a": {"z": "ä", "y": True}})
    assert text == '{"a":{"y":true,"z":"\\u00e4"},"b":[1,2.5,null]}'
    assert canonical_json({"a": {"y": True, "z": "ä"}, "b": (1, 2.5, None)}) == text


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_json_does_not_have_are_refused(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json([value])
