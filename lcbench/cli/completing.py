"""Marks options and arguments with the kind of words that complete them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def completes(kind: str) -> Callable[..., list[tuple[str, str]]]:
    """What typer takes as `autocompletion`: words of a kind that `lcbench.cli.completion` knows."""

    def complete(ctx: Any, incomplete: str) -> list[tuple[str, str]]:
        from lcbench.cli.completion import words

        return words(kind, incomplete, ctx.params)

    return complete
