"""Makes the spec of a method from a clusterer of another library, without importing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lcbench import MethodSpec, Param, Setting

PARTIAL_PARAMS = (
    Param("passes", int, 1, "passes over the samples of the task that has arrived", minimum=1),
    Param("batch_size", int, 256, "fewest samples of a mini-batch", minimum=1),
    Param("unit_rows", bool, True, "scale samples to length 1 first, as text needs"),
)
# These concern one estimator each, and are on the card of a method if its spec sets them.
SPECIAL_PARAMS = (
    Param("width", int, 1, "centres per cluster, drawn by k-means++ from the task", minimum=1),
    Param("most_groups", int, 500, "most sub-clusters that are carried on", minimum=1),
)
NOTE = "old tasks labelled by the present clusterer"


def partial_spec(name: str, estimator: str, *, summary: str, **given: Any) -> MethodSpec:
    """The spec of a scikit-learn clusterer with `partial_fit` as a lifelong method.

    Parameters
    ----------
    name : str
        The name of the method.
    estimator : str
        The 'module:Class' of the clusterer; it is imported when the method is built.
    summary : str
        A line for `lcbench list`.
    **given
        Fields of MethodSpec such as `reference`, `provenance` and `revision`; other defaults of the parameters of
        `Partial`; and parameters of the estimator, which a user may then set too: a value becomes the default of a
        parameter of its type (None of one that is a whole number or none), a `Param` stays what it is.

    Examples
    --------
    >>> from lcbench_baselines import partial_spec
    >>> spec = partial_spec("birch", "sklearn.cluster:Birch", summary="a tree of sub-clusters", threshold=0.5)
    >>> spec.setting.value, {param.name: param.default for param in spec.params}["threshold"]
    ('lifelong', 0.5)
    """
    own = (*(param for param in SPECIAL_PARAMS if param.name in given), *PARTIAL_PARAMS)
    return adapter_spec(
        name, "lcbench_baselines.partial:partial_method", ("estimator", estimator), own, given,
        summary=summary, provenance=f"{estimator.replace(':', '.')}, carried from task to task by its partial_fit.",
    )  # fmt: skip


def adapter_spec(
    name: str, factory: str, adapted: tuple[str, str], own: tuple[Param, ...], given: Mapping[str, Any], **fields: Any
) -> MethodSpec:
    """The spec of a method whose `factory` is told by the parameter `adapted` which class it adapts.

    That parameter has a single choice, so that the class is on the card of the method and in the id of its runs. The
    parameters of the adapter are `own`; `given` holds fields of the spec, other defaults, and the class's parameters.
    """
    given = dict(given)
    fields |= {key: given.pop(key) for key in MethodSpec.__dataclass_fields__ if key in given}
    key, path = adapted
    first = Param(key, str, path, "the class that is adapted", choices=(path,))
    params = [replace(param, default=given.pop(param.name, param.default)) for param in own]
    params += [_param_of(key, value) for key, value in given.items()]
    return MethodSpec(
        name=name, factory=factory, params=(first, *params),
        **{"setting": Setting.LIFELONG, "baseline": "kmeans", "shared": ("unit_rows",), "note": NOTE, **fields},
    )  # fmt: skip


def _param_of(name: str, value: Any) -> Param:
    if isinstance(value, Param):
        return value
    return Param(name, int if value is None else type(value), value, "of the adapted class", optional=value is None)
