"""Figures as SVG, inline or in a file, and as PNG.

Every colour is one of `COLORS`. Inline, each becomes a CSS variable of the same name, so that the page decides how it looks
in light and in dark; text stays text, in the page's own font.
"""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from verifier_reports.plots.plot import DPI, Plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = {
    "ink": "#1c2430",
    "soft": "#566070",
    "rule": "#c3c9d1",
    "grid": "#e4e7ec",
    "paper": "#fffffe",
    "conforms": "#00745b",
    "violated": "#b8390e",
    "error": "#8a2f7b",
    "inconclusive": "#8a5a00",
    "observed": "#0b5fa5",
    "vacuous": "#5d6b80",
    "data": "#0b5fa5",
    "claim": "#b35c00",
    "bound": "#7a3e9d",
    "zone": "#fbe9e2",
    "heat-1": "#0b4f8a",
    "heat-2": "#3f86c4",
    "heat-3": "#9cc5e8",
    "heat-text": "#fefffe",
    "heat-text-dark": "#10202f",
}
"""Light colours by the name of their CSS variable; told apart by lightness or marks, never by hue alone."""

_FONT = ["DejaVu Sans"]
"""The font that comes with matplotlib; wider than the fonts of most pages, so what fits here fits there."""

_PNG_SCALE = 2

_TITLE_CHARACTER = 9.5
"""Pixels a character of the title takes, at most, on average."""


def inline_svg(plot: Plot) -> str:
    """The figure as an ``<svg>`` element to stand in a page: CSS variables for colours, a title, no ids but its own."""
    svg = _svg(plot, titled=False)
    svg = svg[svg.index("<svg") :].strip()
    for name, color in COLORS.items():
        svg = svg.replace(color, f"var(--{name})")
    svg = re.sub(r"\s*font-family: [^;\"]*;?|(?<=px )'[^\"]*'(?=;|\")", _inherited, svg)
    return _own_ids(_head(svg, plot), plot.name)


def file_svg(plot: Plot) -> str:
    """The figure as a file of its own, on white, with its title."""
    svg = _svg(plot, titled=True)
    return svg[: svg.index("<svg")] + _head(svg[svg.index("<svg") :], plot)


def png(plot: Plot) -> bytes:
    """The figure as a PNG on white with its title, at twice its size."""
    target = io.BytesIO()
    with _figure(plot, titled=True) as figure:
        figure.savefig(target, format="png", dpi=_PNG_SCALE * DPI, metadata={"Title": plot.title, "Description": plot.alt})
    return target.getvalue()


@contextmanager
def _figure(plot: Plot, titled: bool) -> Iterator[Figure]:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(_settings(plot)), warnings.catch_warnings():
        # A character the font does not have: a box in a PNG, and in a page what the reader's own fonts show.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(plot.width / DPI, plot.height / DPI), dpi=DPI, facecolor=COLORS["paper"])
        plot.draw(figure)
        if titled:
            _add_title(figure, plot)
        yield figure


def _add_title(figure: Figure, plot: Plot) -> None:
    """Make room above everything that was drawn, and write the title there."""
    lines = textwrap.wrap(plot.title, max(int(plot.width / _TITLE_CHARACTER), 20))
    height = plot.height + 20 * len(lines) + 16
    kept = plot.height / height
    for axes in figure.axes:
        x, y, across, up = axes.get_position().bounds
        axes.set_position((x, y * kept, across, up * kept))
    for text in figure.texts:
        text.set_y(text.get_position()[1] * kept)
    figure.set_size_inches(plot.width / DPI, height / DPI)
    figure.text(12 / plot.width, 1 - 10 / height, "\n".join(lines), va="top", fontsize=13, fontweight="bold", linespacing=1.3)


def _settings(plot: Plot) -> Any:
    from cycler import cycler

    return {
        "axes.prop_cycle": cycler(color=[COLORS["ink"]]),
        "lines.color": COLORS["ink"],
        "svg.fonttype": "none",
        "svg.hashsalt": plot.name,
        "font.family": "sans-serif",
        "font.sans-serif": _FONT,
        "font.size": 11,
        "text.color": COLORS["ink"],
        "text.parse_math": False,
        "axes.labelcolor": COLORS["ink"],
        "axes.edgecolor": COLORS["rule"],
        "axes.facecolor": "none",
        "axes.linewidth": 1.0,
        "xtick.color": COLORS["rule"],
        "ytick.color": COLORS["rule"],
        "xtick.labelcolor": COLORS["soft"],
        "ytick.labelcolor": COLORS["soft"],
        "xtick.labelsize": 10.5,
        "ytick.labelsize": 10.5,
        "axes.unicode_minus": True,
        "path.simplify": True,
    }


def _svg(plot: Plot, titled: bool) -> str:
    target = io.StringIO()
    with _figure(plot, titled) as figure:
        figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return re.sub(r"<metadata>.*?</metadata>\s*", "", target.getvalue(), flags=re.DOTALL)


def _head(svg: str, plot: Plot) -> str:
    """The opening tag with a role, a name and a viewBox instead of a size in points."""
    from html import escape

    head = re.sub(r'\b(width|height)="([\d.]+)pt"', r'\1="\2"', svg[: svg.index(">")])
    return f'{head} role="img" aria-label="{escape(plot.alt)}">' + svg[svg.index(">") + 1 :]


def _inherited(match: re.Match[str]) -> str:
    return "inherit" if match[0].startswith("'") else ""


def _own_ids(svg: str, prefix: str) -> str:
    """Ids that something refers to get a prefix that is unique on the page; the others go."""
    used = set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", svg))
    names = {name for pair in used for name in pair if name}
    svg = re.sub(r' id="([^"]+)"', lambda found: f' id="{prefix}-{found[1]}"' if found[1] in names else "", svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    svg = re.sub(r'xlink:href="#([^"]+)"', rf'href="#{prefix}-\1"', svg)
    return re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
