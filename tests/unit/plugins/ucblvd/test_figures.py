"""Figures of the paper: what they name is there, and the page of all figures lists them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.model.figure import Figure, Reading
from verifier.model.guarantees import Guarantees
from verifier.model.scaling import ScalingClaim
from verifier_ucblvd import verifier_algorithms

PAGE = Path(__file__).parents[4] / "docs" / "usage.md"
ALGORITHMS = {guarantees.name: guarantees for guarantees in verifier_algorithms()}
FIGURES = [(guarantees, figure) for guarantees in ALGORITHMS.values() for figure in guarantees.figures]


def readings(figure: Figure) -> Iterator[Reading]:
    yield from figure.drawn
    for statement in figure.statements:
        yield from filter(None, (statement.top, statement.bottom))
    if figure.beside:
        yield from (Reading(figure.beside, drawn.algorithm) for drawn in figure.drawn)


@pytest.mark.parametrize(("guarantees", "figure"), FIGURES, ids=[figure.key for _, figure in FIGURES])
def test_every_reading_is_of_a_claim_that_draws_the_figure(guarantees: Guarantees, figure: Figure) -> None:
    for reading in readings(figure):
        claim = (ALGORITHMS[reading.algorithm] if reading.algorithm else guarantees).claim(reading.claim)
        assert isinstance(claim, ScalingClaim)
        assert claim.figure == figure.key


def test_every_figure_that_claims_draw_says_what_it_shows() -> None:
    drawn = {claim.figure for guarantees in ALGORITHMS.values() for claim in guarantees.scaling if claim.figure}
    assert drawn == {figure.key for _, figure in FIGURES} == {"1a", "1b", "3"}


def test_the_page_lists_every_figure_with_its_command() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for guarantees, figure in FIGURES:
        assert f"`verifier scale {guarantees.name} --figure {figure.key}" in page
