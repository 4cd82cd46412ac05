"""Task streams that come with lcbench. This module is light; the data are made when a stream is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lcbench import StreamSpec, hookimpl, recipe_spec
from lcbench_streams.digits_spec import DIGITS
from lcbench_streams.topics_spec import TOPICS, WEBKB4_SIM

RECIPES = ("webkb4", "reuters", "20newsgroups")


@hookimpl
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """The streams of this package: real ones by recipe, and those that need no data."""
    for name in RECIPES:
        register(recipe_spec(Path(__file__).with_name(f"{name}.toml")))
    for spec in (DIGITS, TOPICS, WEBKB4_SIM):
        register(spec)
