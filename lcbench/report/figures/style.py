"""Sets the looks of figures: colours, markers, dashes, fonts, shortened names.

Lines can be told apart in a grey print too.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib

from lcbench.printable import printable_line

# Okabe and Ito's colours for all kinds of colour vision, without yellow; the first ones differ most in lightness
COLOURS = ("#000000", "#0072B2", "#D55E00", "#56B4E9", "#009E73", "#E69F00", "#CC79A7", "#777777")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
GREY = "#555555"
LEGEND_MOST = 24
LONGEST_NAME = 30
LONGEST_TEXT = 40
SETTINGS: dict[str, Any] = {
    "text.parse_math": False,  # a $ in a name is a $
    "text.usetex": False,
    "axes.formatter.use_mathtext": False,
    "axes.formatter.useoffset": False,  # a tick shows its full number, not the difference to an offset
    "axes.unicode_minus": True,
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9.0,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.5,
    "lines.markersize": 5.0,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "lcbench",  # the same figure gives the same file
    "pdf.fonttype": 42,
}


@contextmanager
def style_applied(other: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Gives matplotlib our settings and none of the user's, for the time of a `with` block; `other` ones come last."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: Any = matplotlib.rcParams  # some versions type its keys one by one
        settings.update({**SETTINGS, **(other or {})})
        yield


def scaled(points: float) -> float:
    """A size of text that goes with the size of the font: that which it has beside 9 points."""
    size, usual = float(matplotlib.rcParams["font.size"]), float(SETTINGS["font.size"])
    return points * size / usual


def line_style(index: int) -> dict[str, Any]:
    """Colour, marker and dashes of the line with that number: all three differ between neighbours."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "marker": MARKERS[index % len(MARKERS)],
        "linestyle": DASHES[index % len(DASHES)],
    }


def short_names(names: Sequence[str], longest: int = LONGEST_NAME) -> list[str]:
    """The names on one line each, long ones without their middle; names that would look alike get a number."""
    made: list[str] = []
    for name in names:
        text = shortened(name, longest)
        same = sum(other == text or other.startswith(f"{text} (") for other in made)
        made.append(f"{text} ({same + 1})" if text in made else text)
    return made


def shortened(name: str, longest: int = LONGEST_NAME) -> str:
    """A name on one line, without its middle if it is long."""
    text = printable_line(name)
    if len(text) <= longest:
        return text
    head = (longest - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (longest - 1 - head) :]}"


def wrapped(text: str, inches: float, points: float) -> str:
    """Text broken into lines that fit a width, estimated from the size of its letters."""
    letters = max(20, int(inches * 72 / (points * 0.56)))
    return "\n".join(textwrap.wrap(printable_line(text), letters, break_on_hyphens=False))
