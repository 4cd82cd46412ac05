"""Spectral methods: L2SC, stSC, uSC, OnestepSC and TSC. Light: a method is loaded when it is built."""

from __future__ import annotations

from collections.abc import Callable

from lcbench import MethodSpec, hookimpl
from lcbench_spectral.specs import L2SC, ONESTEPSC, STSC, TSC, USC


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """Registers the methods of this package."""
    for spec in (L2SC, STSC, USC, ONESTEPSC, TSC):
        register(spec)
