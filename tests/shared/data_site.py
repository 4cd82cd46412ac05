"""A small set of raw data in the layout of WebKB, a cache of its own, and a web server on this machine."""

from __future__ import annotations

import hashlib
import io
import random
import socket
import tarfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lcbench.contract.specs import RawData, StreamSpec
from lcbench.data.recipes.recipe import recipe_spec
from lcbench.registry.catalogue import Source
from lcbench.registry.host import plugin_host

WORDS = {
    "course": ("homework", "lecture", "exam", "syllabus"),
    "faculty": ("professor", "research", "publications", "awards"),
}
COMMON = ("university", "computer", "science")
RECIPE = """
name = "tiny"
revision = 1
summary = "a few pages in the shape of WebKB"

[card]
what = "Pages made for tests."
source = "conftest.py"
licence = "MIT"
notes = ["Nothing is dropped."]

[source]
reader = "lcbench_streams.webkb:read_pages"
archives = ["tiny.tar.gz", "tiny"]
url = "{url}"
size = 4321
stand_in = "webkb4-sim"
digest = "{digest}"

[source.alternatives]
webkb4-sim = "simulated pages"
reuters = "real news"

[words]
clean = "lcbench_streams.webkb:page_text"
weighting = "tfidf"
min_df = 1
max_features = {words}

[tasks.cornell.clusters]
course = {{ "course/cornell" = 6 }}
faculty = {{ "faculty/cornell" = 6 }}

[tasks.texas.clusters]
course = {{ "course/texas" = 6 }}
faculty = {{ "faculty/texas" = 6 }}
"""


class Tiny:
    """24 pages of two kinds and two universities, and archives that hold them."""

    def __init__(self) -> None:
        generator = random.Random(0)
        self.pages: dict[str, bytes] = {}
        for kind, words in WORDS.items():
            for university in ("cornell", "texas"):
                for i in range(6):
                    text = " ".join(generator.choices(words, k=8) + generator.choices(COMMON, k=3))
                    page = f"Server: {university}\nContent-type: text/html\n\n<html><b>{text}</b>\n&eacute;</html>\n"
                    self.pages[f"webkb/{kind}/{university}/http_^^www.edu^{i}"] = page.encode("latin-1")
        self.unused = {"webkb/other/cornell/http_^^x": b"not used", "webkb/course/misc/http_^^y": b"nor this"}

    @property
    def files(self) -> dict[str, bytes]:
        return {**self.unused, **self.pages}

    @property
    def documents(self) -> set[tuple[str, str]]:
        """What should come out: 'class/university' with the page as text."""
        return {("/".join(name.split("/")[1:3]), page.decode("latin-1")) for name, page in self.pages.items()}

    @property
    def digest(self) -> str:
        """By hand: the SHA-256 over sorted lines of key, tab, SHA-256 of the text."""
        lines = sorted(f"{key}\t{hashlib.sha256(text.encode()).hexdigest()}\n" for key, text in self.documents)
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def raw(self, url: str = "http://127.0.0.1:9/nobody") -> RawData:
        return RawData(
            reader="lcbench_streams.webkb:read_pages",
            counts=Counter(key for key, _ in self.documents),
            digest=self.digest,
            archives=("tiny.tar.gz", "tiny"),
            url=url,
            size=4321,
            alternatives=(("webkb4-sim", "simulated pages"), ("reuters", "real news")),
            stand_in="webkb4-sim",
        )

    def tar(self, mode: str = "w:gz", files: dict[str, bytes] | None = None) -> bytes:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode=mode) as archive:
            for name, content in (files or self.files).items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        return buffer.getvalue()

    def zip(self, files: dict[str, bytes] | None = None) -> bytes:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in (files or self.files).items():
                archive.writestr(name, content)
        return buffer.getvalue()

    def folder(self, root: Path, files: dict[str, bytes] | None = None) -> Path:
        for name, content in (files or self.files).items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return root

    def spec(self, folder: Path, url: str = "http://127.0.0.1:9/nobody", words: int = 11) -> StreamSpec:
        path = folder / "tiny.toml"
        path.write_text(RECIPE.format(url=url, digest=self.digest, words=words))
        return recipe_spec(path)


class Site:
    """A web server on this machine. `answers` are used up one per request, then the file is served whole."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.headers: dict[str, str] = {}
        self.asked: list[dict[str, str]] = []
        self.answers: list[Callable[[BaseHTTPRequestHandler], None]] = []
        self.closing = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append({"path": self.path, **{key.lower(): value for key, value in self.headers.items()}})
                answer = site.answers.pop(0) if site.answers else site.whole
                answer(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass  # a client that went away

        self._server = Server(("127.0.0.1", 0), Handler)
        self.root = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.url = f"{self.root}/tiny.tar.gz"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def send(self, handler: BaseHTTPRequestHandler, code: int, body: bytes, **headers: str) -> None:
        handler.send_response(code)
        for key, value in {**self.headers, **headers}.items():
            handler.send_header(key.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    def whole(self, handler: BaseHTTPRequestHandler) -> None:
        self.part(len(self.content))(handler)

    def part(self, until: int) -> Callable[[BaseHTTPRequestHandler], None]:
        """The file, broken off at byte `until`."""
        return lambda handler: self.send(handler, 200, self.content[:until], Content_Length=str(len(self.content)))

    def status(self, code: int) -> Callable[[BaseHTTPRequestHandler], None]:
        return lambda handler: self.send(handler, code, b"no", Content_Length="2")


@pytest.fixture
def tiny() -> Tiny:
    return Tiny()


@pytest.fixture
def site(tiny, monkeypatch):
    """A server of the archive of `tiny`."""
    monkeypatch.setenv("NO_PROXY", "*")
    server = Site(tiny.tar())
    yield server
    server.close()


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty cache; no archives at hand, and no way past this machine."""
    monkeypatch.setenv("LCBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LCBENCH_DATA", raising=False)
    monkeypatch.delenv("LCBENCH_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    known = socket.getaddrinfo

    def local_only(host, *args, **kwargs):
        if host not in ("127.0.0.1", "localhost"):
            raise socket.gaierror(-2, "Name or service not known")
        return known(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", local_only)
    return tmp_path / "cache"


@pytest.fixture
def snapshot(cache):
    """What the cache holds, byte for byte, but for locks and parts of downloads."""

    def take() -> dict[str, bytes]:
        return {
            str(path.relative_to(cache)): path.read_bytes()
            for path in sorted(cache.rglob("*"))
            if path.is_file() and "locks" not in path.parts and ".part" not in path.name
        }

    return take


@pytest.fixture
def tiny_stream(tiny, site, tmp_path, monkeypatch) -> StreamSpec:
    """`tiny` registered as a stream, to be fetched from `site`."""
    spec = tiny.spec(tmp_path, site.url)
    streams = plugin_host().registry.streams
    monkeypatch.setitem(streams._specs, "tiny", spec)
    monkeypatch.setitem(streams._sources, "tiny", Source("tests", "tests"))
    return spec
