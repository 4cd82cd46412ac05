from __future__ import annotations

import pytest

from lcbench.contract.specs import RawData
from lcbench.data.sources.archives import Member
from lcbench.data.sources.documents import unify_line_ends
from lcbench_streams.webkb import page_text, read_pages

RAW = RawData("lcbench_streams.webkb:read_pages", {"course/cornell": 1, "student/texas": 1}, "", ("webkb.tar",))
HEADER = "Date: Wed, 20 Nov 1996 19:38:46 GMT\nServer: www.cs.cornell.edu\nContent-type: text/html\n\n"


def words(page: str) -> str:
    return " ".join(page_text(page).split())


def member(path: str, content: bytes = b"page") -> Member:
    return Member(tuple(path.split("/")), lambda: content)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_header_is_cut_whatever_the_line_ends_once_they_are_unified(end):
    assert words(unify_line_ends(f"{HEADER}<p>body".replace("\n", end))) == "body"


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>var x = 'hidden';</script>",
        "<SCRIPT language=JavaScript>\nif (a < b) { hidden }\n</SCRIPT >",
        "<style type='text/css'>\nhidden { color: red }\n</style>",
        "<Style>hidden</sTYLE>",
        "<script>hidden</script><script>hidden</script>",
    ],
)
def test_scripts_and_styles_are_not_text(unseen):
    assert words(f"{HEADER}seen{unseen}too") == "seen too"


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (f"{HEADER}<p>first\n\nsecond", "first second"),  # the header ends at the first empty line
        ("<h1>Home</h1>\npage", "Home page"),  # a page without a header is kept whole
        (f"{HEADER}<scripted>seen</scripted><styles>too</styles>", "seen too"),
        (f"{HEADER}<script>never closed", "never closed"),
        (
            f"{HEADER}Intro<br>to<a href='http://x.edu/'>systems</a><!-- hidden --><img\nalt='x'>end",
            "Intro to systems end",
        ),
        (f"{HEADER}caf&eacute; R&amp;D &lt;b&gt; &#65;&nbsp;x", "café R&D <b> A x"),  # entities come after the tags
    ],
)
def test_the_text_of_a_page_is_without_its_header_and_tags(page, text):
    assert words(page) == text


@pytest.mark.parametrize("root", ["", "webkb/", "backup/1998/webkb/"])
def test_pages_are_found_by_their_folders_wherever_the_root_is(root):
    pages = [
        member(f"{root}course/cornell/http_^^www.cs.cornell.edu^", b"caf\xe9"),
        member(f"{root}student/texas/http\uf03a^^x"),
    ]
    assert list(read_pages(pages, RAW)) == [("course/cornell", "café"), ("student/texas", "page")]


def test_files_of_other_classes_and_universities_are_not_even_read():
    def unread() -> bytes:
        raise AssertionError("was read")

    others = ["webkb/other/cornell/x", "webkb/course/misc/x", "README", "course/cornell", "webkb/course/cornell/a/x"]
    assert list(read_pages([Member(tuple(path.split("/")), unread) for path in others], RAW)) == []


def test_pages_are_decoded_as_latin_1():
    ((_, text),) = read_pages([member("course/cornell/x", bytes(range(256)))], RAW)
    assert [ord(c) for c in text] == list(range(256))
