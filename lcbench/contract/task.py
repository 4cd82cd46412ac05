"""A clustering task: `Task` is what a method sees, `LabelledTask` adds the classes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from lcbench import notebook_html
from lcbench.contract.specs import TaskShape
from lcbench.errors import InvalidTaskError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
Matrix: TypeAlias = Any  # an ndarray or a scipy.sparse.csr_array of float64


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """The data of one task. It holds no labels: a method cannot see what it must not see.

    `X` becomes a read-only float64 array or CSR array with one sample per row.
    """

    name: str
    X: Matrix
    n_clusters: int
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise InvalidTaskError(f"A task is called {self.name!r}: a name is a text, as in '2020'.")
        X = _as_csr(self.name, self.X) if sparse.issparse(self.X) else _as_array(self.name, self.X)
        n, d = X.shape
        if n == 0 or d == 0:
            raise InvalidTaskError(f"Task '{self.name}' is empty: it has {n} samples and {d} features.")
        if not np.isfinite(X.data if sparse.issparse(X) else X).all():
            raise InvalidTaskError(
                f"Task '{self.name}' holds values that are NaN or infinite: remove or impute them first."
            )
        k = self.n_clusters
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise InvalidTaskError(
                f"Task '{self.name}' asks for {k!r} clusters: it takes a whole number of at least 1."
            )
        if k > n:
            raise InvalidTaskError(f"Task '{self.name}' asks for {k} clusters but has {n} samples only.")
        if self.feature_names is not None and len(self.feature_names) != d:
            raise InvalidTaskError(f"Task '{self.name}' names {len(self.feature_names)} features but has {d} of them.")
        if self.feature_names is not None and len(set(self.feature_names)) != d:
            twice = next(name for name, count in Counter(self.feature_names).items() if count > 1)
            raise InvalidTaskError(f"Task '{self.name}' names the feature '{twice}' twice.")
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "n_clusters", int(k))

    def __repr__(self) -> str:
        kind = "sparse" if sparse.issparse(self.X) else "dense"
        return f"Task({self.name!r}, {self.n_samples} x {self.n_features} {kind}, {self.n_clusters} clusters)"

    def _repr_html_(self) -> str:
        """The size of the task, as a notebook shows it."""
        return notebook_html.block(notebook_html.heading(f"task {self.name}"), notebook_html.facts(self._facts()))

    def _facts(self) -> list[tuple[str, object]]:
        kind = f"sparse, {self.X.nnz:,} entries" if sparse.issparse(self.X) else "dense"
        return [
            ("samples", f"{self.n_samples:,}"),
            ("features", f"{self.n_features:,} ({kind})"),
            ("clusters", self.n_clusters),
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return Task, (self.name, self.X, self.n_clusters, self.feature_names)  # read-only again when unpickled

    @property
    def n_samples(self) -> int:
        """The number of rows of `X`."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """The number of columns of `X`."""
        return int(self.X.shape[1])

    @property
    def zero_rows(self) -> int:
        """The number of samples whose features are all zero."""
        nonzero = np.diff(self.X.indptr) if sparse.issparse(self.X) else np.count_nonzero(self.X, axis=1)
        return int(np.count_nonzero(nonzero == 0))


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTask:
    """A task with its true classes, if they are known. Only the harness holds one; a method is handed `.task`.

    `y` becomes codes from 0, or stays None where there are no labels; `classes[code]` is the name of a class.
    """

    task: Task
    y: IntArray | None
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.y is None:
            object.__setattr__(self, "classes", ())
            return
        y = _as_labels(self.task.name, self.y)
        if y.ndim != 1 or len(y) != self.task.n_samples:
            raise InvalidTaskError(
                f"Task '{self.task.name}' has {self.task.n_samples} samples but labels of shape {y.shape}."
            )
        found, codes = np.unique(y, return_inverse=True)
        if len(self.classes) != len(found):
            object.__setattr__(self, "classes", tuple(str(label) for label in found))
        object.__setattr__(self, "y", _locked(codes.astype(np.int64)))

    def __repr__(self) -> str:
        classes = "no labels" if self.y is None else f"{len(self.classes)} classes"
        return f"LabelledTask({self.task!r}, {classes})"

    def _repr_html_(self) -> str:
        """The size of the task and of its classes, as a notebook shows them."""
        sizes = ", ".join(f"{name} {count:,}" for name, count in self.shape.classes)
        told = [*self.task._facts(), ("classes", sizes or "no labels")]
        return notebook_html.block(notebook_html.heading(f"task {self.name}"), notebook_html.facts(told))

    def __reduce__(self) -> tuple[Any, ...]:
        return LabelledTask, (self.task, self.y, self.classes)

    @property
    def name(self) -> str:
        """The task's name."""
        return self.task.name

    @property
    def shape(self) -> TaskShape:
        """The task's numbers of samples, features and clusters, and the number of samples of each class."""
        sizes = () if self.y is None else np.bincount(self.y).tolist()
        classes = tuple(zip(self.classes, sizes, strict=True))
        return TaskShape(self.name, self.task.n_samples, self.task.n_features, self.task.n_clusters, classes)

    @classmethod
    def from_arrays(
        cls,
        name: str,
        X: Any,
        y: ArrayLike | None,
        feature_names: tuple[str, ...] | None = None,
        *,
        clusters: int | None = None,
    ) -> LabelledTask:
        """A task with `clusters` clusters: by default as many as `y` has classes."""
        labels = None if y is None else _as_labels(name, y)
        if clusters is None:
            if labels is None:
                raise InvalidTaskError(f"Task '{name}' has no labels: say how many clusters to look for.")
            clusters = max(len(np.unique(labels)), 1)
        return cls(Task(name, X, clusters, feature_names), labels)


def trusted_task(name: str, X: Matrix, n_clusters: int, feature_names: tuple[str, ...] | None) -> Task:
    """A task whose values were checked before, with the data `X` themselves: the constructor would copy them."""
    task = object.__new__(Task)
    if sparse.issparse(X):
        X.has_sorted_indices = X.has_canonical_format = True
    for field, value in (("name", name), ("X", X), ("n_clusters", n_clusters), ("feature_names", feature_names)):
        object.__setattr__(task, field, value)
    return task


def parts_of(X: Matrix) -> tuple[Any, ...]:
    """The arrays that hold a matrix: one if it is dense, three (data, indices, indptr) if it is sparse."""
    return (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)


def _as_array(name: str, X: Any) -> FloatArray:
    try:
        array = np.asarray(X)
        real = array.dtype.kind != "c"
        array = array.astype(np.float64, copy=False) if real else array
    except (TypeError, ValueError) as error:
        uneven = "inhomogeneous" in str(error)
        what = "rows of different lengths" if uneven else "values that are not numbers"
        raise InvalidTaskError(f"Task '{name}' holds {what}.") from None
    if not real:
        raise InvalidTaskError(f"Task '{name}' holds complex numbers: features are real.")
    if array.ndim != 2:
        raise InvalidTaskError(f"Task '{name}' needs a matrix with one sample per row, not {array.ndim} dimension(s).")
    locked: FloatArray = _locked(array)
    return locked


def _as_csr(name: str, X: Any) -> Any:
    """A canonical, read-only CSR array: indices sorted, no duplicate, no stored zero.

    Indices have 32 bits where that is enough: scikit-learn takes no others.
    """
    if X.ndim != 2:
        raise InvalidTaskError(f"Task '{name}' needs a matrix with one sample per row, not {X.ndim} dimension(s).")
    if X.dtype.kind == "c":
        raise InvalidTaskError(f"Task '{name}' holds complex numbers: features are real.")
    csr = X if X.format == "csr" and X.dtype == np.float64 else sparse.csr_array(X, dtype=np.float64)
    if not (csr.has_canonical_format and np.all(csr.data)):
        csr = csr.copy()
        csr.sum_duplicates()
        csr.eliminate_zeros()
    index = np.int32 if max(csr.nnz, *csr.shape) <= np.iinfo(np.int32).max else np.int64
    parts = tuple(
        _locked(part)
        for part in (csr.data, csr.indices.astype(index, copy=False), csr.indptr.astype(index, copy=False))
    )
    frozen = sparse.csr_array(parts, shape=csr.shape, copy=False)
    frozen.has_sorted_indices = frozen.has_canonical_format = True
    return frozen


def _as_labels(name: str, y: Any) -> Any:
    labels = np.asarray(y)
    if labels.dtype.kind == "O":
        missing = any(label is None or label != label for label in labels.ravel())
        labels = labels.astype(str)
    else:
        missing = labels.dtype.kind == "f" and not np.isfinite(labels).all()
    if missing:
        raise InvalidTaskError(f"Task '{name}' has classes that are missing, NaN or infinite: every sample needs one.")
    return labels


def _locked(array: Any) -> Any:
    """A read-only copy, from which no other memory can be reached through `.base`, such as a column of labels.

    An array that is the whole of a file mapped read-only is returned as it is.
    """
    if not array.flags.writeable and _is_whole_file(array):
        return array
    copy = np.array(array, order="C", copy=True, subok=False)
    copy.flags.writeable = False
    return copy.view()


def _is_whole_file(array: Any) -> bool:
    """True if the array is a memory-mapped file and nothing else, such as labels, is reachable from it."""
    size, mapped = array.nbytes, False
    while isinstance(array, np.ndarray):
        if array.nbytes != size:
            return False
        mapped = mapped or isinstance(array, np.memmap)
        array = array.base
    return mapped
