"""A made-up table of published figures, as a TOML file holds it and as it is read, and runs to compare with it."""

from __future__ import annotations

import copy
import json
import sys
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from making import make_record

TABLE: dict[str, Any] = {
    "source": "Nobody: Made Up, 2020",
    "table": "Table 9",
    "same_data": True,
    "notes": ["Something the paper leaves open."],
    "protocol": {"stream": "digits:seed=1", "order": "random", "repeats": 2},
    "tasks": {"A": "task-1", "B": "task-2", "C": "task-3", "D": "task-4"},
    "methods": {
        "Plain": {"entry": "stsc:n_neighbors=5", "seconds": 1},
        "Life": {"entry": "l2sc:lam=10,n_neighbors=5", "seconds": 2.5, "grid": ["lam", "mu"], "note": "made up"},
    },
    "runtime": {"table": "Table 8", "seconds": ["1.5 ± 0.1", "0.5"], "note": "On an abacus."},
    "figures": {
        "purity": {
            "A": ["80.00 ± 1.00", "90.00 ± 0.00"],
            "B": ["70.00 ± 2.00", "80.00 ± 0.00"],
            "C": ["60.00 ± 3.00", "70.00 ± 0.00"],
            "D": ["50.00 ± 4.00", "60.00 ± 0.00"],
            "average": ["65.00 ± 2.50", "77.00 ± 0.00"],
        },
    },
}

TASKS = tuple(TABLE["tasks"].values())
digits_run = partial(make_record, order=TASKS, stream="digits")


@pytest.fixture
def table() -> dict[str, Any]:
    """What a TOML file might hold, to be changed by a test. The second average is not the mean of its rows, 75."""
    return copy.deepcopy(TABLE)


def toml(value: Any) -> str:
    """A value as TOML has it on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key} = {toml(part)}' for key, part in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


@pytest.fixture
def publish(table, tmp_path, monkeypatch):
    """Writes the table as the file of a plugin, its text edited, and gives the spec of digits that names the file."""
    from lcbench.registry.host import plugin_host

    monkeypatch.delitem(sys.modules, "made_up_figures", raising=False)
    package = tmp_path / "made_up_figures"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(*edits: tuple[str, str], place: str = "made_up_figures:data/digits.toml", **changes: Any):
        text = "".join(f"{key} = {toml(value)}\n" for key, value in (table | changes).items())
        for old, new in edits:
            assert old in text
            text = text.replace(old, new, 1)
        (package / "data" / "digits.toml").write_text(text, encoding="utf-8")
        return replace(plugin_host().registry.streams["digits"], published=place)

    return write


@pytest.fixture
def published(table):
    from lcbench.analysis.published.table import Published

    return Published.model_validate(table)
