"""Claims read no more of plans than they declare, so that an algorithm that yields just that is not called wrong for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator
from dataclasses import fields, replace
from typing import Any

import pytest

from verifier.campaign.subject import Cell
from verifier.model.algorithm import Algorithm
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialResult
from verifier.plugins.registry import registry
from verifier.trials.trial import claims_in, run

from .single_trials import OURS, cells

TOLD = {
    "lifelong": {"gram", "estimate", "psi_gram", "psi_estimate", "reward_estimate"},
    "cvar": {"estimates"},
    "discounted": {"gram"},
    "knapsack": {"lower"},
}
"""By setting, the fields that say what kind of algorithm it is: what widths are about, and on which grid it plans. Without them
the run would be another one, or none."""


def _place(name: str) -> Cell:
    """A cell of an algorithm: the first in the oracle regime, where most claims are evaluated; else the first."""
    return next((cell for cell in cells(name) if cell.spec(0, 0).regime == "oracle"), cells(name)[0])


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


def _trial(name: str, claims: tuple[str, ...], needs: frozenset[str] | None = None) -> TrialResult:
    known = registry()
    guarantees = known.guarantees_of(name)
    if needs is not None:
        guarantees = replace(guarantees, algorithm=_stripped(guarantees.algorithm, needs))
    spec = replace(_place(name).spec(0, 1), claims=claims)
    return run(spec, guarantees, known.setting(guarantees.algorithm.setting), explained=False)


def _by_needs(name: str) -> dict[frozenset[str], tuple[str, ...]]:
    """The claims that the trial evaluates, by what they declare."""
    found = defaultdict[frozenset[str], list[str]](list)
    for claim in claims_in(registry().guarantees_of(name), Regime.parse(_place(name).spec(0, 0).regime)):
        found[claim.property.needs].append(claim.name)
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
    full = _trial(name, ())
    assert full.error is None
    for needs, claims in _by_needs(name).items():
        stripped = _trial(name, claims, needs)
        assert stripped.error is None, f"{sorted(needs)}: {stripped.error}"
        assert stripped.digest == full.digest
        undeclared += [
            f"{claim}: declares {sorted(needs)}, compares {stripped.measurements.get(claim) or stripped.unmeasured.get(claim)}"
            for claim in claims
            if not _same(full.measurements[claim], stripped.measurements.get(claim))
        ]
    assert not undeclared, "\n".join(undeclared)
