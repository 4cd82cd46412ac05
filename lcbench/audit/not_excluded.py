"""Names the hiding places that the audits of a run do not exclude; docs/audit.md has all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lcbench.audit.verdict import ISOLATE

PROGRAMS = "other programs"  # these, and most of what is named beside them, --sealed excludes
MEASURED = ("copies in other libraries", "files", "other processes")
SEALED = ("data that are installed",)
PRIVATE = ("files outside of /tmp and home", "what earlier runs left", PROGRAMS, "the stream loaded again")
SHARED = ("files outside of its folder", "shared memory", PROGRAMS, "the stream loaded again")
WITHIN = "samples in a library of fixed size"


def not_excluded(audit: Mapping[str, Any], *, sealed: bool) -> tuple[str, ...]:
    """The places in which a method may have kept old tasks unseen, though it passed all audits that were made.

    Only `isolate` looks beyond what the method itself can reach: `poison` spoils tasks, and no copies of them.
    """
    isolate = audit.get(ISOLATE, {})
    if isolate.get("passed") is None:
        return (*MEASURED, WITHIN)
    if sealed:
        return (*SEALED, WITHIN)
    return (*(PRIVATE if isolate.get("private_folders") else SHARED), WITHIN)
