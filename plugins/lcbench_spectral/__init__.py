"""Spectral methods: L2SC, stSC, uSC, OnestepSC and TSC. Light: a method is loaded when it is built."""

from __future__ import annotations

from collections.abc import Callable

from lcbench import MethodSpec, Params, Setting, hookimpl
from lcbench_spectral.onestepsc_spec import ONESTEPSC
from lcbench_spectral.parameters import AFFINITY_PARAMS, L2SC_PARAMS
from lcbench_spectral.tsc_spec import TSC

_NJW = "Ng, Jordan, Weiss: On Spectral Clustering: Analysis and an Algorithm, NIPS 2001"
_L2SC = "Sun, Cong, Wang, Li, Fu: Lifelong Spectral Clustering, AAAI 2020"


def l2sc_note(params: Params) -> str:
    """What every table that shows l2sc must say."""
    return "" if params["encoding"] == "frozen" else "old tasks re-encoded when asked"


@hookimpl
def lcbench_register_methods(register: Callable[[MethodSpec], None]) -> None:
    """The methods of this package."""
    register(
        MethodSpec(
            name="l2sc",
            factory="lcbench_spectral.l2sc:L2SC",
            setting=Setting.LIFELONG,
            params=(*L2SC_PARAMS, *AFFINITY_PARAMS),
            summary="Lifelong Spectral Clustering: a feature library carried from task to task",
            reference=_L2SC,
            provenance=(
                "The paper's objective. Its update of B maximises a constant and its L2,1 step is printed in two ways; "
                "solver=corrected takes the true maximiser, solver=paper the printed one, l21 chooses the reading. "
                "Graph, step size, start and stopping rule are not in the paper and are ours."
            ),
            baseline="stsc",
            note=l2sc_note,
        )
    )
    register(
        MethodSpec(
            name="stsc",
            factory="lcbench_spectral.stsc:StSC",
            setting=Setting.SINGLE_TASK,
            params=AFFINITY_PARAMS,
            summary="single-task spectral clustering, each task alone",
            reference=_NJW,
            provenance="The published algorithm; the paper does not give its graph, so n_neighbors and sigma are ours.",
        )
    )
    register(
        MethodSpec(
            name="usc",
            factory="lcbench_spectral.usc:USC",
            setting=Setting.MULTI_TASK,
            params=AFFINITY_PARAMS,
            summary="spectral clustering of all tasks seen, pooled into one",
            reference=f"{_NJW}; pooled as in {_L2SC}",
            provenance="The published algorithm; the paper does not give its graph, so n_neighbors and sigma are ours.",
            baseline="stsc",
        )
    )
    register(ONESTEPSC)
    register(TSC)
