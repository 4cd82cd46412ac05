from __future__ import annotations

import mmap
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from making import make_stream, make_task
from scipy import sparse

from lcbench.contract.stream import content_digest
from lcbench.contract.task import LabelledTask, parts_of
from lcbench.running import parcels
from lcbench.running.parcels import Parcel, TaskParcels, unpacked

memory_only = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="there is no sealed memory here")


@pytest.fixture(params=[pytest.param("memory", marks=memory_only), "files"])
def place(request, tmp_path):
    """The folder for parcels that are files; None for sealed memory."""
    return tmp_path if request.param == "files" else None


@pytest.fixture
def tasks_of():
    made = []

    def make(tasks, place=None, *, labelled):
        made.append(TaskParcels(tasks, place, labelled=labelled))
        return made[-1]

    yield make
    for each in made:
        each.close()


STREAMS = {
    "dense": make_stream(n=9, k=2, d=4).tasks(),
    "sparse": make_stream(n=9, k=2, d=4, thin=True, names=tuple("abcd")).tasks(),
    "unlabelled": make_stream(n=9, k=2, d=4, thin=True, labelled=False).tasks(),
    "mixed": [make_task("a", n=9, k=2, d=4), make_task("words", n=9, k=2, d=4, thin=True, names=tuple("abcd"))],
    "no entries": [LabelledTask.from_arrays("a", sparse.csr_array((6, 4)), np.arange(6) % 2)],
    "columns first": [LabelledTask.from_arrays("a", np.asfortranarray(make_task(n=9).task.X), np.arange(9) % 3)],
}


def open_files() -> set[str]:
    """The numbers of the open files of this process; none where they cannot be listed."""
    return {path.name for path in Path("/proc/self/fd").glob("*")}


@pytest.mark.parametrize("content", [b"", b"some bytes" * 20_000], ids=["empty", "long"])
def test_bytes_that_are_read_are_a_copy_and_leave_nothing_open(place, content):
    before = open_files()
    parcel = Parcel.of([content[:7], content[7:]], place)
    assert parcel.read() == content
    assert open_files() == before
    assert place is None or not list(place.iterdir())


@pytest.mark.parametrize("kind", STREAMS)
def test_tasks_arrive_bit_for_bit(place, kind, tasks_of):
    tasks = STREAMS[kind]
    sent = tasks_of(tasks, place, labelled=True)
    found = [unpacked(*sent.lent(i)) for i in range(len(tasks))]
    for before, after in zip(tasks, found, strict=True):
        for fact in ("name", "classes"):
            assert getattr(after, fact) == getattr(before, fact)
        assert after.task.n_clusters == before.task.n_clusters
        assert after.task.feature_names == before.task.feature_names
        assert sparse.issparse(after.task.X) == sparse.issparse(before.task.X)
        for ours, theirs in zip(parts_of(before.task.X), parts_of(after.task.X), strict=True):
            assert (ours.dtype, ours.shape, ours.tobytes()) == (theirs.dtype, theirs.shape, theirs.tobytes())
        assert (before.y is None) == (after.y is None)
        assert before.y is None or (before.y.dtype, before.y.tolist()) == (after.y.dtype, after.y.tolist())
    assert content_digest(found) == content_digest(tasks)


@pytest.mark.parametrize("thin", [False, True])
def test_an_unlabelled_parcel_holds_no_classes_in_its_description_nor_in_its_bytes(place, tmp_path, tasks_of, thin):
    task = make_task("t", n=60, thin=thin)
    y = np.random.default_rng(1).permutation(np.arange(60) % 3)
    labelled = LabelledTask.from_arrays("t", task.task.X, y)
    forms = [labelled.y.astype(kind).tobytes() for kind in ("<i8", "<i4", "u1")] + [",".join(map(str, y)).encode()]
    for with_classes in (True, False):
        described, parcel = tasks_of([labelled], place, labelled=with_classes).lent(0)
        content = bytes(parcel.content())
        assert any(form in content for form in forms) is with_classes, "the search finds them where they are"
        assert described["labelled"] is with_classes
        assert not any(form in repr(described).encode() for form in forms)
        assert list(tmp_path.iterdir()) == []
    assert unpacked(*tasks_of([labelled], place, labelled=False).lent(0)).y is None


@memory_only
def test_sealed_memory_can_be_written_grown_and_shrunk_by_nobody():
    parcel = Parcel.of([b"as it was"])
    with pytest.raises(PermissionError):
        os.write(parcel.descriptor, b"x")
    with pytest.raises(PermissionError):
        os.pwrite(parcel.descriptor, b"x", 0)
    for size in (0, 4, 400):
        with pytest.raises(PermissionError):
            os.ftruncate(parcel.descriptor, size)
    with pytest.raises(PermissionError):
        mmap.mmap(parcel.descriptor, 9, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)
    reopened = os.open(f"/proc/self/fd/{parcel.descriptor}", os.O_RDWR)
    with pytest.raises(PermissionError):
        os.write(reopened, b"x")
    os.close(reopened)
    assert bytes(parcel.content()) == b"as it was"


@memory_only
def test_who_writes_to_the_address_of_a_parcel_ends_itself():
    """mprotect is refused for a mapping of sealed memory: the last resort is a crash, not changed data."""
    code = """
import ctypes
import numpy as np
from lcbench.running.parcels import Parcel
address = np.frombuffer(Parcel.of([bytes(9)]).content(), "u1").ctypes.data
print(ctypes.CDLL(None).mprotect(ctypes.c_void_p(address & ~4095), 4096, 3), flush=True)
ctypes.memset(address, 1, 1)
print("written")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.stdout.strip() == "-1"
    assert ended.returncode < 0


def test_arrays_cannot_be_made_writable(place, tasks_of):
    task = unpacked(*tasks_of(STREAMS["sparse"], place, labelled=True).lent(0))
    for array in (*parts_of(task.task.X), task.y):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match=r"read-only|WRITEABLE"):
            array.flags.writeable = True


def test_no_piece_of_a_parcel_leads_to_another(place):
    first, second = Parcel.of([b"mine", b"yours"], place).pieces([(0, 4), (4, 5)])
    held = first
    for _ in range(10):
        owner = getattr(held, "obj", None)
        if owner is None or isinstance(owner, bytes):
            break
        held = memoryview(owner)
    assert (held.nbytes, bytes(held)) == (4, b"mine")
    assert bytes(second) == b"yours"
    with pytest.raises(TypeError):
        first[0] = 0


@memory_only
@pytest.mark.parametrize("places", [[(0, 5)], [(-1, 2)], [(0, -1)], [(4, 1)], [(1 << 62, 1 << 62)]], ids=str)
def test_a_place_outside_of_a_parcel_is_refused(places):
    parcel = Parcel.of([b"four"])
    with pytest.raises(ValueError, match="shorter"):
        parcel.pieces(places)
    parcel.close()


def test_a_parcel_that_was_read_leaves_no_open_file_and_no_file_with_a_name(place, tmp_path, tasks_of):
    before = open_files()
    sent = tasks_of(STREAMS["dense"], place, labelled=False)
    task = unpacked(*sent.lent(1))
    sent.close()
    assert task.name == "task-2"
    assert list(tmp_path.iterdir()) == []
    assert open_files() == before


@memory_only
def test_only_the_last_parcels_stay_made_and_all_can_still_be_lent(monkeypatch, tasks_of):
    monkeypatch.setattr(parcels, "MOST_KEPT", 2)
    tasks = make_stream(tasks=5, n=6, k=2, d=4).tasks()
    sent = tasks_of(tasks, labelled=False)
    before = len(open_files())
    for _ in range(2):
        for i in range(5):
            assert unpacked(*sent.lent(i)).name == tasks[i].name
    assert len(open_files()) == before + 2


@memory_only
def test_data_that_are_lent_have_a_position_of_their_own_and_those_lent_alone_are_another_file(tasks_of):
    sent = tasks_of(STREAMS["dense"], labelled=False)
    first, second, alone = (sent.lent(0, alone=alone)[1] for alone in (False, False, True))
    os.lseek(first.descriptor, 5, os.SEEK_SET)
    assert os.lseek(second.descriptor, 0, os.SEEK_CUR) != 5
    assert os.path.sameopenfile(first.descriptor, second.descriptor)
    assert not os.path.sameopenfile(first.descriptor, alone.descriptor)
    assert bytes(first.content()) == bytes(second.content()) == bytes(alone.content())


def test_an_empty_parcel_is_empty(place):
    assert bytes(Parcel.of([], place).content()) == b""


def test_a_pickle_of_several_tasks_has_the_names_of_their_features_once_as_where_they_come_from(place, tasks_of):
    names = tuple(f"a word of some length {i}" for i in range(4))
    tasks = make_stream(n=9, k=2, d=4, thin=True, names=names).tasks()
    sent = tasks_of(tasks, place, labelled=False)
    found = [unpacked(*sent.lent(i)).task for i in range(len(tasks))]
    assert pickle.dumps(found).count(b"a word of some length 3") == 1
    assert pickle.dumps([labelled.task for labelled in tasks]).count(b"a word of some length 3") == 1
