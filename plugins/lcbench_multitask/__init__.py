"""Multi-task methods that the L2SC paper compares with. This module is light: a method is loaded when it is built."""

from __future__ import annotations

from collections.abc import Callable

from lcbench import MethodSpec, hookimpl
from lcbench_multitask.specs import LSSMTC, MBC, MTCMRL, MTSC, SMBC, SMKC


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """The methods of this package."""
    for spec in (MBC, SMBC, SMKC, MTSC, MTCMRL, LSSMTC):
        register(spec)
