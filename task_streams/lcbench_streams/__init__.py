"""Registers the task streams of lcbench: recipes of real data, and generated ones.

Imports nothing heavy: data are read or made when a stream is built.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lcbench import StreamSpec, hookimpl, recipe_spec
from lcbench_streams.specs import DIGITS, TOPICS, WEBKB4_SIM

RECIPES = ("webkb4", "reuters", "20newsgroups")


@hookimpl
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """Register the recipes of real data, and the streams that need no download."""
    for name in RECIPES:
        register(recipe_spec(Path(__file__).with_name(f"{name}.toml")))
    for spec in (DIGITS, TOPICS, WEBKB4_SIM):
        register(spec)
