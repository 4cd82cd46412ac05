"""Multi-task methods that the L2SC paper compares with. This module is light: a method is loaded when it is built."""

from __future__ import annotations

from collections.abc import Callable

from lcbench import MethodSpec, hookimpl
from lcbench_multitask.lssmtc_spec import LSSMTC
from lcbench_multitask.mbc_spec import MBC
from lcbench_multitask.mtcmrl_spec import MTCMRL
from lcbench_multitask.mtsc_spec import MTSC
from lcbench_multitask.smbc_spec import SMBC
from lcbench_multitask.smkc_spec import SMKC


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """The methods of this package."""
    for spec in (MBC, SMBC, SMKC, MTSC, MTCMRL, LSSMTC):
        register(spec)
