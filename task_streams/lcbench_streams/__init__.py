"""Task streams that come with lcbench. This module is light; the data are made when a stream is built."""

from __future__ import annotations

from collections.abc import Callable

from lcbench.hookspecs import hookimpl
from lcbench.specs import StreamSpec
from lcbench_streams.digits_spec import DIGITS
from lcbench_streams.topics_spec import TOPICS, WEBKB4_SIM


@hookimpl
def lcbench_register_streams(register: Callable[[StreamSpec], None]) -> None:
    """The streams of this package."""
    for spec in (DIGITS, TOPICS, WEBKB4_SIM):
        register(spec)
