from __future__ import annotations

import io
import pickle
import subprocess
import sys

import pytest

from lcbench_streams import pickled_recordings
from lcbench_streams.pickled_recordings import NAMES, Array, Reader, Refused


def test_the_four_names_of_the_file_are_the_only_ones_known():
    assert {f"{module}.{name}" for module, name in NAMES} == {
        "numpy.core.multiarray._reconstruct", "numpy.ndarray", "numpy.dtype", "_codecs.encode",
    }  # fmt: skip
    assert {thing.__module__ for thing in NAMES.values()} == {pickled_recordings.__name__}  # and none is the real one


@pytest.mark.parametrize("name", ["builtins exec", "numpy load", "numpy.core.multiarray fromstring", "_codecs decode"])
def test_any_other_name_is_refused(name):
    module, function = name.split()
    with pytest.raises(Refused, match=f"it names {module}.{function}, which has no place in it"):
        Reader(io.BytesIO(f"c{module}\n{function}\n.".encode())).load()


def test_an_array_is_read_row_by_row_whether_it_was_stored_by_rows_or_columns():
    import numpy as np

    X = np.arange(12.0).reshape(3, 4)
    for stored in (X, np.asfortranarray(X)):
        pickled = pickle.dumps(stored, 2).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
        found = Reader(io.BytesIO(pickled)).load()
        assert isinstance(found, Array)
        assert found.rows() == X.tobytes()


def test_the_program_imports_neither_numpy_nor_lcbench():
    script = (
        "import runpy, sys; runpy.run_path(sys.argv[1]); print({'numpy', 'lcbench', 'subprocess'} & set(sys.modules))"
    )
    command = [sys.executable, "-I", "-S", "-c", script, pickled_recordings.__file__]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "set()\n"
