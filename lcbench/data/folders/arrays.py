"""Reads tasks from `.npz` files: `X`, dense or sparse, `y` and `feature_names`.

`y` and `feature_names` are optional.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from lcbench.contract.specs import Params
from lcbench.contract.task import Matrix
from lcbench.data.folders.layout import Layout
from lcbench.errors import InvalidTaskError

MOST_BYTES = 8 * 1024**3
MOST_FEATURES = 2**24  # a method needs vectors of that length, however few of them are not zero
_NUMBERS, _LABELS, _WHOLE = "biuf", "biufUS", "iu"
_COMPRESSED = {"csr": sparse.csr_array, "csc": sparse.csc_array}


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The data of a task, its classes or None, and the file or folder they are from, as errors name it."""

    X: Matrix
    y: Any
    feature_names: tuple[str, ...] | None
    shown: str


def check_size(size: int, shown: str) -> None:
    """Refuse a file that would take more than MOST_BYTES when unpacked."""
    if size > MOST_BYTES:
        raise InvalidTaskError(
            f"'{shown}' unpacks to {size:,} bytes, more than the {MOST_BYTES:,} that are read: split it into tasks."
        )


def load_arrays(layout: Layout, params: Params) -> list[Samples]:
    """Read the tasks of a folder of `.npz` files."""
    return [read_arrays(layout.path(file), layout.show(file)) for file in layout.files]


def read_arrays(path: Path, shown: str) -> Samples:
    """Read one task. Nothing is unpickled, and parts of a sparse matrix that do not fit together are refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_size(sum(member.file_size for member in archive.infolist()), shown)
        with np.load(path, allow_pickle=False) as arrays:
            X = _dense(arrays, shown) if "X" in arrays else _sparse(arrays, shown)
            y = _checked(arrays, "y", shown, _LABELS) if "y" in arrays else None
            names = _checked(arrays, "feature_names", shown, _LABELS) if "feature_names" in arrays else None
    except InvalidTaskError:
        raise
    except Exception as error:  # a damaged header makes numpy raise almost any error
        what = (str(getattr(error, "strerror", None) or error) or type(error).__name__).splitlines()[0]
        raise InvalidTaskError(f"'{shown}' cannot be read, it is damaged or no .npz file ({what}).") from error
    if y is not None and y.ndim != 1:
        raise InvalidTaskError(f"'{shown}' holds y of shape {y.shape}: it has one class per sample, as in y.ravel().")
    return Samples(X, y, None if names is None else tuple(map(str, names.ravel())), shown)


def _dense(arrays: Any, shown: str) -> Any:
    X = _checked(arrays, "X", shown, _NUMBERS)
    if X.ndim != 2:
        raise InvalidTaskError(
            f"'{shown}' holds X of shape {X.shape}: it has one sample per row, one feature per column."
        )
    return X


def _sparse(arrays: Any, shown: str) -> Any:
    """A sparse matrix from the parts that `scipy.sparse.save_npz` writes; every index is checked."""
    keys = set(arrays.files)
    form = str(_text(arrays["format"])) if "format" in keys else "csr"
    parts = {"csr": ("indices", "indptr"), "csc": ("indices", "indptr"), "coo": ("row", "col")}.get(form)
    if parts is None:
        raise InvalidTaskError(f"'{shown}' holds a sparse matrix as '{form}': save X.tocsr().")
    if not keys >= {"data", "shape", *parts}:
        raise InvalidTaskError(
            f"'{shown}' holds no X, only {_key_list(arrays.files)}: save it with np.savez(file, X=X, y=y), a sparse "
            "one with scipy.sparse.save_npz, or its data, indices, indptr and shape beside y."
        )
    data = _checked(arrays, "data", shown, _NUMBERS).astype(np.float64)
    one, two = (_checked(arrays, part, shown, _WHOLE) for part in parts)
    shape = tuple(int(length) for length in _checked(arrays, "shape", shown, _WHOLE).ravel())
    if len(shape) == 2 and max(shape) > MOST_FEATURES:
        raise InvalidTaskError(
            f"'{shown}' holds a sparse matrix of shape {shape}, and {MOST_FEATURES:,} rows or columns are the most: "
            "leave out the columns that are zero everywhere."
        )
    if form == "coo":
        return sparse.csr_array(sparse.coo_array((data, (one, two)), shape=shape))
    matrix = _COMPRESSED[form]((data, one, two), shape=shape)
    matrix.check_format(full_check=True)
    return sparse.csr_array(matrix)


def _checked(arrays: Any, key: str, shown: str, kinds: str) -> Any:
    """The array of that key; an error if its type is none of `kinds`, the letters that numpy has for types."""
    try:
        array = np.asarray(arrays[key])
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        advice = "save a sparse matrix with scipy.sparse.save_npz, an array with X.astype(float)"
        raise InvalidTaskError(
            f"'{shown}' holds {key} as Python objects, which are never read: "
            f"{f'save {key}.astype(str)' if kinds == _LABELS else advice}."
        ) from error
    if array.dtype.kind not in kinds:
        wanted = {_NUMBERS: "real numbers", _LABELS: "numbers or text", _WHOLE: "whole numbers"}[kinds]
        raise InvalidTaskError(f"'{shown}' holds {key} of type {array.dtype}, but {wanted} are needed.")
    return _text(array) if array.dtype.kind == "S" else array


def _text(array: Any) -> Any:
    return np.char.decode(array, "utf-8") if array.dtype.kind == "S" else array


def _key_list(keys: list[str]) -> str:
    shown = ", ".join(keys[:8])
    return f"{shown} and {len(keys) - 8} more" if len(keys) > 8 else shown or "nothing"
