"""The proof map as the page draws it: boxes and the lines between them, in pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap

from verifier.record import AlgorithmEntry
from verifier_reports.numbers import plural
from verifier_reports.proof_map.layout import Layout, layout
from verifier_reports.proof_map.steps import BANDS, Step, steps
from verifier_reports.screen import clip
from verifier_reports.summary import VERDICTS, mark

HEIGHT, GAP, APART, EDGE, MARGIN = 36.0, 26.0, 12.0, 4.0, 88.0
"""Sizes of a box, between rows, between bands, around everything, and of the margin, where titles of bands cross no line."""

_KINDS = ("theorem", "step", "line", "assumption")
_UNSEEN = "not looked at"


COLUMNS, PITCH, BOX, LETTERS = 6, 158.0, 140.0, 17
"""Side by side; from one column to the next; the width of a box, and characters in a line of it."""


@dataclass(frozen=True)
class Box:
    """A claim in the picture: its place, what it looks like, and what is said of it.

    `down` are the lines to what it follows from, `travels` those of them along which a mistake comes up to it.
    """

    x: float
    y: float
    name: str
    lines: tuple[str, ...]
    mark: str
    style: str
    words: str
    claim: str
    down: str
    travels: str


@dataclass(frozen=True)
class ProofMap:
    """The proof of an algorithm: boxes with the lines below them, titles of bands with their heights, and all of it in words."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    titles: tuple[tuple[float, tuple[str, ...]], ...]
    alt: str
    words: tuple[tuple[str, tuple[Box, ...]], ...]


def proof_map(algorithm: AlgorithmEntry) -> ProofMap | None:
    """The map of an algorithm; None where its record has no proof, or one too large to be drawn."""
    found = steps(algorithm)
    if not found:
        return None
    grid = layout(found, COLUMNS)
    tops = _tops(grid)
    boxes = _boxes(found, grid, tops)
    bands = [(title, tuple(boxes[name] for name, step in found.items() if step.band == band)) for band, title in enumerate(BANDS)]
    return ProofMap(
        width=MARGIN + EDGE + COLUMNS * PITCH,
        height=max(tops) + HEIGHT + EDGE,
        boxes=tuple(boxes.values()),
        titles=tuple((tops[row] + HEIGHT / 2, tuple(wrap(BANDS[band], 12))) for row, band in grid.bands.items()),
        alt=_alt(algorithm, found),
        words=tuple(band for band in bands if band[1]),
    )


def _alt(algorithm: AlgorithmEntry, found: Mapping[str, Step]) -> str:
    counts = [sum(step.kind == band for step in found.values()) for band in range(len(BANDS))]
    names = ("theorem", "step", "line of the pseudo-code", "assumption")
    parts = [
        plural(count, name, "lines of the pseudo-code" if " " in name else f"{name}s")
        for count, name in zip(counts, names, strict=True)
    ]
    verdicts = [_word(step) for step in found.values()]
    told = [f"{verdicts.count(word)} {word}" for word in (*VERDICTS, _UNSEEN) if word in verdicts]
    broken = f" First broken: {', '.join(algorithm.first_broken)}." if algorithm.first_broken else ""
    return f"The proof of {algorithm.name}: {', '.join(parts)}. Claims: {', '.join(told)}.{broken}"


def _word(step: Step) -> str:
    return step.entry.verdict if step.entry else _UNSEEN


def _boxes(found: Mapping[str, Step], grid: Layout, tops: list[float]) -> dict[str, Box]:
    corner = {name: (MARGIN + (PITCH - BOX) / 2 + column * PITCH, tops[row]) for name, (row, column) in grid.places.items()}
    down = {
        name: {
            premise: _line(corner[name], corner[premise], abs(grid.places[name][0] - grid.places[premise][0]))
            for premise in step.drawn
        }
        for name, step in found.items()
    }
    travels = {name for name, step in found.items() if step.entry and step.entry.broken_by}
    source = travels | {name for name, step in found.items() if step.entry and step.entry.verdict == "violated"}
    return {name: _box(step, corner[name], down[name], source if name in travels else set()) for name, step in found.items()}


def _tops(grid: Layout) -> list[float]:
    """The upper edge of each row."""
    found, y = [], EDGE
    for row in range(1 + max(row for row, _ in grid.places.values())):
        y += APART * (row in grid.bands and row > 0)
        found.append(y)
        y += HEIGHT + GAP
    return found


def _box(step: Step, corner: tuple[float, float], down: Mapping[str, str], broken: set[str]) -> Box:
    entry = step.entry
    style = [_KINDS[step.kind], _word(step).replace(" ", "-")]
    words = [_word(step), _KINDS[step.kind] if step.kind != 2 else "a line of the pseudo-code"]
    if entry and entry.broken_by:
        style.append("rests")
        words.append(f"rests on {', '.join(entry.broken_by)}")
    if step.premises:
        words.append(f"follows from {', '.join(step.premises)}")
    sign = mark(entry.verdict) if entry else "·"
    return Box(
        *corner,
        name=step.name,
        lines=_split(step.name, LETTERS),
        mark=sign,
        style=" ".join(style),
        words="; ".join(words),
        claim=entry.id if entry else "",
        down="".join(path for premise, path in down.items() if premise not in broken),
        travels="".join(path for premise, path in down.items() if premise in broken),
    )


def _split(name: str, letters: int) -> tuple[str, ...]:
    """A name in one line, or in two, broken after the dash nearest to the middle."""
    if len(name) <= letters:
        return (name,)
    dashes = [place + 1 for place, letter in enumerate(name) if letter == "-"] or [letters]
    place = min(dashes, key=lambda dash: abs(dash - len(name) / 2))
    return clip(name[:place], letters), clip(name[place:], letters)


def _line(start: tuple[float, float], end: tuple[float, float], rows: int) -> str:
    """Line from the lower edge of a box to the upper edge of another, seen from the upper left corner of the first.

    It goes behind no box, since it goes down between two columns; lines that end in the same box come together beside its column.
    """
    x, y = start[0] + BOX / 2, start[1] + HEIGHT
    u, v = end[0] + BOX / 2, end[1]
    begin = f"M{BOX / 2:g} {HEIGHT:g}"
    if rows <= 1:
        rest = v - y - GAP  # room between bands
        return begin + (f"v{v - y:g}" if x == u else _bend(u - x) + (f"v{rest:g}" if rest else ""))
    middle = MARGIN + COLUMNS * PITCH / 2
    side = 1 if x > u or (x == u and u > middle) else -1
    gutter = u + side * (PITCH / 2 - (end[1] / 7) % (PITCH - BOX - 6) / 2)
    return f"{begin}{_bend(gutter - x)}v{v - y - 2 * GAP:g}{_bend(u - gutter)}"


def _bend(across: float) -> str:
    """Down by the gap between two rows, and across."""
    return f"c0 {GAP / 2:g} {across:.3g} {GAP / 2:g} {across:.3g} {GAP:g}"
