from __future__ import annotations

import hashlib
import random

import pytest

from lcbench.data.sources.dealing import deal
from lcbench.data.sources.documents import Document
from lcbench.errors import PluginError

DOCUMENTS = [Document(key, f"{key} {i}") for key in ("cats", "dogs") for i in range(40)]
THREE = [{"cats": 4, "dogs": 3}, {"cats": 6, "dogs": 7}, {"dogs": 9}]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_documents_of_a_key_are_dealt_in_turn_by_the_hash_of_stream_and_text():
    tasks = deal("pets", DOCUMENTS, THREE)
    for key, cuts in {"cats": (0, 4, 10, 10), "dogs": (0, 3, 10, 19)}.items():
        ranked = sorted((d.text for d in DOCUMENTS if d.key == key), key=lambda text: sha(f"pets\0{text}"))
        for task, start, end in zip(tasks, cuts, cuts[1:], strict=False):
            assert {d.text for d in task if d.key == key} == set(ranked[start:end])


def test_rows_stand_in_the_order_of_a_second_hash():
    for task in deal("pets", DOCUMENTS, THREE):
        assert [d.text for d in task] == sorted((d.text for d in task), key=lambda text: sha(f"pets\0row\0{text}"))


def test_the_order_of_the_documents_does_not_matter_and_the_stream_does():
    mixed = random.Random(1).sample(DOCUMENTS, len(DOCUMENTS))
    assert deal("pets", mixed, THREE) == deal("pets", DOCUMENTS, THREE)
    assert deal("beasts", DOCUMENTS, THREE) != deal("pets", DOCUMENTS, THREE)


def test_a_task_does_not_depend_on_those_after_it():
    assert deal("pets", DOCUMENTS, THREE[:2]) == deal("pets", DOCUMENTS, THREE)[:2]


def test_a_text_that_occurs_twice_in_a_key_is_dealt_once():
    assert deal("pets", DOCUMENTS * 2, THREE) == deal("pets", DOCUMENTS, THREE)
    everything = [{"cats": 40, "dogs": 40}]
    assert sorted(deal("pets", DOCUMENTS * 2, everything)[0]) == sorted(DOCUMENTS)


def test_too_few_documents_are_an_error_that_names_the_stream():
    with pytest.raises(PluginError, match=r"^Stream 'pets' cannot be cut: there are too few documents for part 2\.$"):
        deal("pets", DOCUMENTS, [{"cats": 40}, {"cats": 1}])
