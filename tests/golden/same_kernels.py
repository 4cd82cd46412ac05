"""A process for golden runs that computes alike on every x86-64 processor of the last ten years.

OpenBLAS and numpy choose kernels by the processor: the last digit of a sum may differ, and now and then a label. Both
can be held at those of AVX2, but only before numpy is imported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


def environment() -> dict[str, str]:
    """What to add to the environment of a process; nothing where there is no AVX2: labels may differ there."""
    known: Any = np.show_config(mode="dicts")
    found = known.get("SIMD Extensions", {}).get("found", [])
    if not {"AVX2", "X86_V3"} & set(found):
        return {}
    wider = " ".join(name for name in found if "AVX512" in name or name == "X86_V4")
    return {"OPENBLAS_CORETYPE": "Haswell", **({"NPY_DISABLE_CPU_FEATURES": wider} if wider else {})}


class SameKernels:
    """Calls functions of golden_runs in such a process; arguments and answers are JSON."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment()},
        )  # fmt: skip

    def call(self, function: str, *args: Any, **named: Any) -> Any:
        """What the function gives; AssertionError with its traceback if it fails."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([function, args, named], default=str) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"failed": "its process ended"}')
        assert "failed" not in answer, answer["failed"]
        return answer["given"]

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def main() -> None:
    """Answer a call for each line of standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a run prints is no answer
    sys.path[0] = str(HERE)
    import golden_runs

    for line in sys.stdin:
        function, args, named = json.loads(line)
        try:
            answer = {"given": getattr(golden_runs, function)(*args, **named)}
        except Exception:
            answer = {"failed": traceback.format_exc()}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
