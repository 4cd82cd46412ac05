from __future__ import annotations

import contextlib
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from lcbench.data.folders import arrays as module
from lcbench.data.folders.arrays import check_size, read_arrays
from lcbench.errors import InvalidTaskError

X = np.array([[0.0, 1.5, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, -3.0], [0.0, 4.0, 0.0]])
Y = np.array([0, 1, 1, 0])


def read(**arrays):
    np.savez("a.npz", **arrays)
    return read_arrays(Path("a.npz"), "./mine/a.npz")


def dense(samples) -> np.ndarray:
    return samples.X.toarray() if sparse.issparse(samples.X) else samples.X


def parts(matrix) -> dict[str, object]:
    return {"data": matrix.data, "indices": matrix.indices, "indptr": matrix.indptr, "shape": matrix.shape}


@pytest.mark.parametrize("matrix", [{"X": X}, parts(sparse.csr_array(X))], ids=["dense", "sparse"])
def test_data_with_classes_and_names_or_without(matrix):
    samples = read(**matrix, y=Y, feature_names=np.array(["a", "b", "c"]))
    np.testing.assert_array_equal(dense(samples), X)
    np.testing.assert_array_equal(samples.y, Y)
    assert samples.feature_names == ("a", "b", "c")
    assert (read(**matrix).y, read(**matrix).feature_names) == (None, None)


@pytest.mark.parametrize("y", [np.array(["a", "b", "b", "a"]), np.array([b"a", b"b", b"b", b"a"])])
def test_classes_may_be_text(y):
    assert read(X=X, y=y).y.tolist() == ["a", "b", "b", "a"]


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [
        ("csr_array", float),
        ("csr_matrix", bool),
        ("csc_array", np.float32),
        ("coo_array", np.int16),
        ("coo_matrix", bool),
    ],
)
def test_what_scipy_saves_is_read_as_scipy_reads_it(kind, dtype):
    sparse.save_npz("a.npz", getattr(sparse, kind)(X.astype(dtype)))
    samples = read_arrays(Path("a.npz"), "./mine/a.npz")
    np.testing.assert_array_equal(dense(samples), sparse.load_npz("a.npz").toarray().astype(float))


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.sampled_from([0.0, 0.0, 1.0, -2.5]),
    )
)
def test_sparse_and_dense_are_the_same_data(matrix):
    buffers = []
    for arrays in ({"X": matrix}, parts(sparse.csr_array(matrix))):
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        buffer.seek(0)
        buffers.append(buffer)
    one, other = (dense(read_arrays(buffer, "a")) for buffer in buffers)
    np.testing.assert_array_equal(one, other)


CSR = parts(sparse.csr_array(X))


@pytest.mark.parametrize(
    "changed",
    [
        {"indices": np.array([1, 0, -1, 1])},
        {"indptr": np.array([0, 1, 2, 3, 99])},
        {"indptr": np.array([0, 3, 2, 3, 4])},
        {"indptr": np.array([-5, 1, 2, 3, 4])},
        {"data": np.ones(2)},
        {"shape": (-4, 3)},
        {"shape": (4, 3, 1)},
        {"indices": np.array([[1, 0], [2, 1]])},
        {"format": "csc"},
    ],
)
def test_parts_of_a_sparse_matrix_that_do_not_fit_together_are_refused(changed):
    with pytest.raises(InvalidTaskError, match=r"^'\./mine/a\.npz' cannot be read, it is damaged or no \.npz file \("):
        read(**{**CSR, **changed})


@pytest.mark.parametrize(("row", "col"), [([0, 1, -1], [0, 1, 2]), ([0, 1], [0, 1, 2]), ([0, 1, 2], [0, 1, 3])])
def test_coordinates_that_do_not_fit_are_refused(row, col):
    with pytest.raises(InvalidTaskError, match="cannot be read"):
        read(row=np.array(row), col=np.array(col), data=np.ones(3), shape=(3, 3), format="coo")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X, "y": Y}, r"holds no X, only x, y: save it with np\.savez\(file, X=X, y=y\), a sparse one with"),
        ({}, "holds no X, only nothing"),
        ({f"k{i}": Y for i in range(20)}, "holds no X, only k0, k1, k2, k3, k4, k5, k6, k7 and 12 more"),
        ({"data": Y, "indices": Y, "indptr": Y}, "holds no X, only data, indices, indptr:"),
        ({"X": X[0]}, r"holds X of shape \(3,\): it has one sample per row, one feature per column\."),
        ({"X": X.astype(str)}, "holds X of type <U32, but real numbers are needed"),
        ({"X": X.astype(complex)}, "holds X of type complex128, but real numbers are needed"),
        ({"X": X, "y": Y.astype("M8[D]")}, r"holds y of type datetime64\[D\], but numbers or text are needed"),
        ({"X": X, "y": Y[:, None]}, r"holds y of shape \(4, 1\): it has one class per sample, as in y\.ravel\(\)\."),
        (
            {**CSR, "indices": CSR["indices"].astype(float)},
            "holds indices of type float64, but whole numbers are needed",
        ),
        ({**CSR, "format": "bsr"}, r"holds a sparse matrix as 'bsr': save X\.tocsr\(\)\."),
        ({"X": X, "y": Y.astype(object)}, r"holds y as Python objects, which are never read: save y\.astype\(str\)\."),
        ({"X": X.astype(object)}, r"holds X as Python objects, .*: save a sparse matrix with scipy\.sparse\.save_npz"),
        ({"X": np.array(sparse.csr_array(X), dtype=object)}, "holds X as Python objects"),
    ],
)
def test_arrays_that_are_no_task_are_refused_with_advice(arrays, message):
    with pytest.raises(InvalidTaskError, match=rf"^'\./mine/a\.npz' {message}"):
        read(**arrays)


def test_a_file_that_would_unpack_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 1_000_000)
    np.savez_compressed("a.npz", X=np.zeros((1000, 1000)))
    assert Path("a.npz").stat().st_size < 100_000
    with pytest.raises(InvalidTaskError, match=r"unpacks to 8,000,\d+ bytes, more than the 1,000,000 that are read"):
        read_arrays(Path("a.npz"), "./mine/a.npz")


def archived(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


WHOLE = archived(**CSR, y=Y)


def damaged() -> list[bytes]:
    whole = archived(X=np.random.default_rng(0).random((50, 50)), y=np.arange(50))
    bare = io.BytesIO()
    np.save(bare, X)
    headless = io.BytesIO()
    with zipfile.ZipFile(headless, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00\x08\x00garbage!")
    lying = io.BytesIO()
    with zipfile.ZipFile(lying, "w") as archive:
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (2**58, 2)})
        archive.writestr("X.npy", header.getvalue() + b"\0" * 64)
    flipped = bytearray(whole)
    flipped[200] ^= 0xFF
    return [
        b"", b"\x80\x04K\x01.", whole[: len(whole) // 2], whole[500:], bytes(flipped), bare.getvalue(),
        headless.getvalue(), lying.getvalue(),
    ]  # fmt: skip


@pytest.mark.parametrize("content", damaged(), ids=range(len(damaged())))
def test_a_damaged_file_is_named_in_one_sentence(content):
    Path("a.npz").write_bytes(content)
    with pytest.raises(
        InvalidTaskError, match=r"^'\./mine/a\.npz' cannot be read, it is damaged or no \.npz file \("
    ) as e:
        read_arrays(Path("a.npz"), "./mine/a.npz")
    assert "\n" not in str(e.value)


@given(st.data())
def test_a_changed_byte_gives_a_matrix_or_an_error_of_ours(data):
    content = bytearray(WHOLE)
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    with contextlib.suppress(InvalidTaskError):
        assert dense(read_arrays(io.BytesIO(content), "a.npz")).ndim == 2


def test_a_file_of_exactly_the_limit_is_allowed_and_one_byte_more_is_refused():
    check_size(8_589_934_592, "./mine/a.npz")
    with pytest.raises(InvalidTaskError, match=r"^'\./mine/a\.npz' unpacks to 8,589,934,593 bytes, .*: split it"):
        check_size(8_589_934_593, "./mine/a.npz")


@pytest.mark.parametrize("shape", [(2, 10**9), (10**12, 2), (2**62, 3)])
def test_a_sparse_matrix_of_a_thousand_million_columns_or_rows_is_refused_at_once(shape):
    coordinates = {"row": np.array([0]), "col": np.array([0]), "data": np.ones(1), "format": np.array("coo")}
    with pytest.raises(InvalidTaskError, match="and 16,777,216 rows or columns are the most: leave out"):
        read(**coordinates, shape=np.array(shape))
