"""Claims read no more of plans than they declare, so that an algorithm that yields just that is not called wrong for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from dataclasses import fields, replace
from typing import Any

import pytest

from verifier.campaign.subject import Cell
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Kind
from verifier.model.measurement import Measurement
from verifier.model.result import TrialResult
from verifier.plugins.registry import registry
from verifier.trials.trial import run

from .single_trials import OURS, cells

TOLD = {
    "lifelong": {"gram", "estimate", "psi_gram", "psi_estimate", "reward_estimate"},
    "cvar": {"estimates"},
    "discounted": {"gram"},
    "knapsack": {"lower"},
}
"""By setting, the fields that say what kind of algorithm it is: what widths are about, and on which grid it plans. Without them
the run would be another one, or none."""


def _places(name: str) -> list[tuple[Cell, tuple[str, ...]]]:
    """Cells in which every claim of an algorithm is evaluated, each with those that are in none before.

    The first in the oracle regime comes first, where most claims are evaluated. Those about constants are evaluated at the
    published widths alone.
    """
    left, found = set[str](), []
    for cell in cells(name):
        left |= cell.tallies.keys() - cell.not_applicable.keys()
    for cell in sorted(cells(name), key=lambda cell: cell.regime.name != "oracle"):
        new = tuple(claim for claim in cell.tallies if claim in left and claim not in cell.not_applicable)
        if new:
            left -= set(new)
            found.append((cell, new))
    return found


def _stripped(algorithm: type[Algorithm], needs: frozenset[str]) -> type[Algorithm]:
    """An algorithm that yields these fields of its plans alone, and those that every plan has."""
    kept = needs | TOLD.get(algorithm.setting, set())
    extra = {name: shape for name, shape in algorithm.extra.items() if name in kept}

    def run(self: Algorithm, env: Any) -> Generator[Any]:
        for plan in algorithm.run(self, env):
            left_out = (item.name for item in fields(plan) if item.default is None and item.name not in kept)
            own = {"extra": {name: plan.extra[name] for name in extra}} if algorithm.extra else {}
            yield replace(plan, **dict.fromkeys(left_out), **own)

    return type(algorithm.__name__, (algorithm,), {"yields": algorithm.yields & kept, "extra": extra, "run": run})


def _trial(cell: Cell, claims: tuple[str, ...], needs: frozenset[str] | None = None) -> TrialResult:
    known = registry()
    guarantees = known.guarantees_of(cell.algorithm)
    if needs is not None:
        guarantees = replace(guarantees, algorithm=_stripped(guarantees.algorithm, needs))
    spec = replace(cell.spec(0, 1), claims=claims)
    return run(spec, guarantees, known.setting(guarantees.algorithm.setting), explained=False)


def _by_needs(cell: Cell, names: tuple[str, ...]) -> dict[frozenset[str], tuple[str, ...]]:
    """Some claims of a cell, by what they declare."""
    found = defaultdict[frozenset[str], list[str]](list)
    for name in names:
        found[cell.tallies[name].claim.property.needs].append(name)
    return {needs: tuple(claims) for needs, claims in found.items()}


def _same(one: Measurement, other: Measurement | None) -> bool:
    names = "comparisons", "powered", "violations", "value", "bound"
    return other is not None and [getattr(one, name) for name in names] == pytest.approx(
        [getattr(other, name) for name in names], rel=0, abs=0, nan_ok=True
    )


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", OURS)
def test_claims_compare_the_same_when_plans_hold_what_they_declare(name: str) -> None:
    undeclared = []
    for cell, names in _places(name):
        full = _trial(cell, names)
        assert full.error is None
        for needs, claims in _by_needs(cell, names).items():
            stripped = _trial(cell, claims, needs)
            assert stripped.error is None, f"{sorted(needs)}: {stripped.error}"
            assert stripped.digest == full.digest
            undeclared += [
                f"{claim}: declares {sorted(needs)}, compares {seen or stripped.unmeasured.get(claim)}"
                for claim in claims
                if not _same(full.measurements[claim], seen := stripped.measurements.get(claim))
            ]
    assert not undeclared, "\n".join(undeclared)


def test_no_claim_is_passed_over() -> None:
    """Only assumptions, and rates, which need a ladder of sizes, are evaluated by no trial of any instance."""
    for name in OURS:
        looked = {claim for _, claims in _places(name) for claim in claims}
        claims = registry().guarantees_of(name).claims
        assert {claim.name for claim in claims if claim.kind is not Kind.ASSUMPTION} == looked, name
