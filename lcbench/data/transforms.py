"""The parameter `transform` of every stream: square roots, or scaled within each task."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lcbench.contract.specs import Param, StreamSpec

if TYPE_CHECKING:
    from lcbench.contract.stream import TaskStream
    from lcbench.contract.task import LabelledTask, Matrix

SQRT, STANDARDISE, MINMAX = "sqrt", "standardise", "minmax"
TRANSFORM = Param(
    "transform",
    str,
    None,
    "what is done to the features: sqrt, sign(x) |x|^0.5; standardise, mean 0 and deviation 1 within each task; "
    "minmax, from 0 to 1 within each task",
    (SQRT, STANDARDISE, MINMAX),
    optional=True,
)


def with_transform(spec: StreamSpec) -> StreamSpec:
    """The spec with the parameter `transform`, unless it has one of its own."""
    if any(param.name == TRANSFORM.name for param in spec.params):
        return spec
    return replace(spec, params=(*spec.params, TRANSFORM))


def transformed(stream: TaskStream, transform: str | None) -> TaskStream:
    """A stream with the same tasks but for their features; the stream itself if there is nothing to do."""
    if transform is None:
        return stream
    from lcbench.contract.stream import TaskStream

    change = {SQRT: square_roots, STANDARDISE: standardised, MINMAX: scaled_to_one}[transform]

    class Transformed(TaskStream):
        """Another stream whose features are changed when its tasks are made."""

        name = f"{stream.name}:{TRANSFORM.name}={transform}"
        card = stream.card
        folder = getattr(stream, "folder", None)  # a user's own, if any, which a sealed run must not see

        def tasks(self) -> tuple[LabelledTask, ...]:
            return tuple(_changed(labelled, change) for labelled in stream.tasks())

    return Transformed()


def square_roots(X: Matrix) -> Matrix:
    """sign(x) |x|^0.5 of every entry; a sparse matrix stays sparse."""
    import numpy as np
    from scipy import sparse

    if not sparse.issparse(X):
        return np.sign(X) * np.sqrt(np.abs(X))
    data = np.sign(X.data) * np.sqrt(np.abs(X.data))
    return sparse.csr_array((data, X.indices, X.indptr), shape=X.shape)


def standardised(X: Matrix) -> Matrix:
    """Each column less its mean, over its standard deviation; 0 where all entries of it are alike. Always dense."""
    import numpy as np

    dense = _dense_up_to_one(X)
    centred = dense - dense.mean(axis=0)
    deviation = dense.std(axis=0)
    return np.divide(centred, deviation, out=np.zeros_like(centred), where=deviation > 1e-12)


def scaled_to_one(X: Matrix) -> Matrix:
    """Each column from 0, its least entry, to 1, its largest; 0 where all entries of it are alike. Always dense."""
    import numpy as np

    dense = _dense_up_to_one(X)
    lowest = dense.min(axis=0)
    span = dense.max(axis=0) - lowest
    return np.divide(dense - lowest, span, out=np.zeros_like(dense), where=span > 1e-12)


def _dense_up_to_one(X: Matrix) -> Matrix:
    """Each column over its largest absolute entry, so that no square or difference is too large for a float."""
    import numpy as np
    from scipy import sparse

    dense = X.toarray() if sparse.issparse(X) else X
    largest = np.abs(dense).max(axis=0)
    return dense / np.where(largest > 0, largest, 1.0)


def _changed(labelled: LabelledTask, change: Any) -> LabelledTask:
    from lcbench.contract.task import Task

    task = labelled.task
    return replace(labelled, task=Task(task.name, change(task.X), task.n_clusters, task.feature_names))
