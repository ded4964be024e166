"""The proof map: what stands on it and where, which lines are drawn, and what it says to those who cannot see it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from verifier_reports.page.writer import HtmlWriter
from verifier_reports.proof_map.layout import layout
from verifier_reports.proof_map.picture import BOX, GAP, HEIGHT, LETTERS, MARGIN, proof_map
from verifier_reports.proof_map.steps import BANDS, MOST, steps

from .sample import diagnosed

(ALGORITHM,) = diagnosed().algorithms
FOUND = steps(ALGORITHM)
MAP = proof_map(ALGORITHM)
assert MAP is not None

LADDER = {f"c{number}": tuple(f"c{below}" for below in range(max(0, number - 9), number, 3)) for number in range(60)}
"""Sixty claims, each of which follows from some of those before."""


def _made_up(proof: dict[str, tuple[str, ...]]):
    """An algorithm with this proof, none of whose claims was looked at but the last."""
    last = replace(ALGORITHM.claims[-1], id=f"ucblvd/{list(proof)[-1]}", broken_by=(), assumes=())
    return replace(ALGORITHM, proof=proof, claims=(last,), support=(), first_broken=())


def test_bands() -> None:
    """Theorems on top; assumptions and the pseudo-code, which is no claim, below."""
    bands = {band: [name for name, step in FOUND.items() if step.band == number] for number, band in enumerate(BANDS)}
    assert bands == {
        "theorems": ["regret"],
        "steps of the proof": ["distillation-error", "potential", "optimism"],
        "lines of the pseudo-code": ["gram-matrix", "value-formula"],
        "assumptions": ["linear-mdp"],
    }


def test_what_follows_from_others_is_not_drawn_again() -> None:
    """The lines are the transitive reduction; the words have all premises."""
    found = steps(replace(ALGORITHM, proof={**ALGORITHM.proof, "regret": ("optimism", "value-formula", "gram-matrix")}))
    assert found["regret"].drawn == ("optimism",)
    assert found["regret"].premises == ("optimism", "value-formula", "gram-matrix")


def test_only_what_was_looked_at_and_what_it_rests_on() -> None:
    """A rate that a check does not measure is no part of its map; a step between, that nobody looked at, is."""
    found = steps(replace(ALGORITHM, proof={**ALGORITHM.proof, "regret-growth": ("regret",)}))
    assert "regret-growth" not in found
    assert FOUND["potential"].entry is None


@pytest.mark.parametrize("columns", [2, 6])
def test_every_claim_stands_above_what_it_rests_on_and_alone(columns: int) -> None:
    found = steps(_made_up(LADDER))
    places = layout(found, columns).places
    assert len(set(places.values())) == len(found) > 20
    assert all(0 <= column < columns for _, column in places.values())
    assert all(places[name][0] < places[premise][0] for name, step in found.items() for premise in step.premises)


def test_no_line_goes_behind_a_box() -> None:
    """Long ones go down between the columns, and bend only between rows; each is seen from the corner of its box."""
    shown = proof_map(_made_up(LADDER))
    assert shown is not None
    long = [
        (box.x + float(x) + float(across), box.y + float(y) + GAP, float(down))
        for box in shown.boxes
        for x, y, across, down in re.findall(r"M([\d.]+) ([\d.]+)c0 \S+ \S+ \S+ ([-\d.]+) [\d.]+v([\d.]+)c", box.down)
    ]
    assert long
    for x, top, down in long:
        assert 0 < x < shown.width
        for box in shown.boxes:
            beside = x <= box.x or x >= box.x + BOX
            assert beside or top + down <= box.y or top >= box.y + HEIGHT


def test_no_line_crosses_the_title_of_a_band() -> None:
    """Titles stand in the margin; the bend of a line stays between where it begins and where it ends."""
    shown = proof_map(_made_up(LADDER))
    assert shown is not None
    assert all(7 * len(line) <= MARGIN for _, lines in shown.titles for line in lines)
    for box in shown.boxes:
        for path in filter(None, (box.down + box.travels).split("M")):
            places = [float(path.split()[0])]
            for across in re.findall(r"c0 \S+ \S+ \S+ ([-\d.]+) ", path):
                places.append(places[-1] + float(across))
            assert all(box.x + x >= MARGIN for x in places)


def test_every_line_ends_at_the_upper_edge_of_a_box() -> None:
    """Also where the title of a band is between them."""
    drawn = proof_map(diagnosed().algorithms[0])
    assert drawn is not None
    edges = {round(box.y, 3) for box in drawn.boxes}
    for box in drawn.boxes:
        for path in filter(None, (box.down + box.travels).split("M")):
            steps = [float(number) for part in re.findall(r"[vc][^vc]+", path) for number in [part[1:].split()[-1]]]
            assert round(box.y + HEIGHT + sum(steps), 3) in edges, path


def test_what_a_mistake_reaches_is_grey_and_the_way_there_is_drawn() -> None:
    """From the broken line up; what does not rest on it is left as it is."""
    styles = {box.name: box.style.split() for box in MAP.boxes}
    assert styles["value-formula"] == ["line", "violated"]
    assert "rests" in styles["optimism"]
    assert styles["gram-matrix"] == ["line", "conforms"]
    assert styles["potential"] == ["step", "not-looked-at"]
    broken = {box.name: box.travels.count("M") for box in MAP.boxes if box.travels}
    assert broken == {"regret": 1, "optimism": 1, "distillation-error": 1}
    whole = proof_map(replace(ALGORITHM, claims=ALGORITHM.claims[:2]))
    assert whole is not None
    assert not any(box.travels for box in whole.boxes)


def test_it_is_told_in_words() -> None:
    """In one sentence for the figure, in one for each claim."""
    assert MAP.alt == (
        "The proof of ucblvd: 1 theorem, 3 steps, 2 lines of the pseudo-code, 1 assumption. Claims: 2 violated, 3 conforms, "
        "1 vacuous, 1 not looked at. First broken: value-formula."
    )
    words = {box.name: box.words for _, boxes in MAP.words for box in boxes}
    assert words["optimism"] == "conforms; step; rests on value-formula; follows from distillation-error"


def test_names_fit_their_boxes() -> None:
    """At seven pixels a letter; they are broken at dashes, and cut only where that is not enough."""
    assert 20 + 7 * LETTERS <= BOX
    names = {"regret-growth-published": (), "x" * 40: (), "short": ("regret-growth-published", "x" * 40)}
    shown = proof_map(_made_up(names))
    assert shown is not None
    lines = {box.name: box.lines for box in shown.boxes}
    assert lines["regret-growth-published"] == ("regret-growth-", "published")
    assert lines["x" * 40] == ("x" * 17, "x" * 16 + "…")


def test_a_line_that_rests_on_a_step_stands_above_it() -> None:
    """Among the steps, and looks like a line."""
    found = proof_map(_made_up({"step": ("first",), "first": ("pseudo-code",), "late": ("pseudo-code", "step")}))
    assert found is not None
    boxes = {box.name: box for box in found.boxes}
    assert boxes["late"].y < boxes["step"].y < boxes["first"].y
    assert boxes["late"].style.startswith("line")


def test_records_that_cannot_be_drawn() -> None:
    """None without a proof, and none that is too large; a circle, which a file may hold, is cut."""
    assert proof_map(replace(ALGORITHM, proof={})) is None
    assert proof_map(_made_up({f"c{i}": tuple(f"c{j}" for j in range(i)) for i in range(MOST + 1)})) is None
    assert proof_map(_made_up({"a": ("b",), "b": ("c", "nobody"), "c": ("a", "c")})) is not None


def test_the_page_has_it_with_links_to_claims() -> None:
    """A claim nobody looked at has no row to go to."""
    page = HtmlWriter().render(diagnosed())
    assert '<li><a href="#ucblvd-proof">Proof map</a>' in page
    assert page.count('<svg class="proof-map"') == 1
    assert len(re.findall(r'<a class="claim-box line violated" transform="[^"]*" href="#claim-ucblvd-value-formula">', page)) == 1
    assert page.count('<g class="claim-box step not-looked-at"') == 1
    without = replace(diagnosed(), algorithms=(replace(ALGORITHM, proof={}),))
    assert "proof-map" not in HtmlWriter().render(without).partition("</style>")[2]
