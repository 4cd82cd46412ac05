"""Task streams that come with lcbench. This module is light; the data are made when a stream is built."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lcbench.folders.imported import imported_specs
from lcbench.hookspecs import hookimpl
from lcbench.recipes.recipe import recipe_spec
from lcbench.specs import StreamSpec
from lcbench_streams.digits_spec import DIGITS
from lcbench_streams.topics_spec import TOPICS, WEBKB4_SIM

RECIPES = ("webkb4", "reuters", "20newsgroups")


@hookimpl
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """The streams of this package: real ones by recipe, those that need no data, and what the user imported."""
    for name in RECIPES:
        register(recipe_spec(Path(__file__).with_name(f"{name}.toml")))
    for spec in (DIGITS, TOPICS, WEBKB4_SIM, *imported_specs()):
        register(spec)
