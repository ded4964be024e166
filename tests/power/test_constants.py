"""A constant of a formula that is changed by a tenth, or by ten, turns the claim red: of all formulas that claims are made of."""

from __future__ import annotations

import pytest

from verifier.formulas.expression import Path, tree_of
from verifier.formulas.typeset import text
from verifier.model.statement import Statement
from verifier.plugins.registry import registry

from .constants import CHANGES, Change, changed, changes, unseen

NOWHERE: dict[tuple[str, str, Path, float], str] = dict.fromkeys(
    [(name, "width", (1, 0, 1, 1), 1.1) for name in (
        "lifelong-lsvi", "lifelong-lsvi-sharing", "ucblvd", "ucblvd-modified", "ucblvd-unknown-rewards")],
    "the least that the logarithm counts as, 1: it is above 1.1 wherever T/δ is above 3.01, and δ is at most 0.1 here",
) | {("ucblvd", "width", (1, 0, 1, 1), 10.0): "its logarithm is above 10 on the instances that are run for this"}  # fmt: skip
"""By algorithm, claim, place in its formula and factor, why no run can show the change."""

NAMES = sorted(name for name in registry().guarantees if not name.startswith("scool"))


@pytest.mark.one_in(16)
@pytest.mark.parametrize("algorithm", NAMES)
def test_a_changed_constant_turns_a_claim_red(algorithm: str) -> None:
    missed = [change for change in unseen(algorithm) if (algorithm, change.claim, change.at, change.factor) not in NOWHERE]
    assert not missed, "\n".join(f"{change.claim}: {change.said}" for change in missed)


def test_numbers_roots_squares_and_symbols_are_changed() -> None:
    claims = registry().guarantees_of("ucbvi-ch").claims
    (width,) = (claim for claim in claims if claim.name == "width")
    found = [change for change, _ in changes(width)]
    assert {change.factor for change in found} == set(CHANGES)
    assert {change.said.split(" times ")[1].split(" in ")[0] for change in found} == {"7", "5", "L"}


def test_what_is_no_number_is_not_changed() -> None:
    tree = tree_of("sqrt(x) + 3 * y + 0 * x")
    statement = Statement(tree, tree, equal=True)
    found = [changed(statement, at, 10.0) for at in ((), (0, 0), (0, 1, 0), (1, 0))]
    assert [each if each is None else text(each.right) for each in found] == [None, "x⁵ + 3y + 0x", "√x + 30y + 0x", None]


def test_a_change_that_nothing_can_show_is_missed() -> None:
    """Of a formula behind a cut that always decides."""
    change = Change("q-formula", (0,), 1.1, "said")
    assert change.name == "q-formula-0-1-1"
