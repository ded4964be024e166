"""Ladders of trials with values made up instead of run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.campaign.evidence import judge
from verifier.campaign.ladder import Ladder, Points
from verifier.campaign.ladder_evidence import LadderEvidence
from verifier.campaign.subject import Cell
from verifier.model.horizon import Horizon
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier.model.setting import Family
from verifier.record.verdict import Verdict
from verifier_properties.episodes import scaling as episodes_scaling

SIZES = (250, 500, 1000, 2000, 3000, 4000, 6000, 8000, 12_000, 16_000)
ROOT = Rate("√K", 0.5)
FAMILY: Family[Any] = Family("lock", "a family", "K", "episodes", lambda rng, K: K)
NONE = BurnIn.none("made up")


def claim(name: str = "regret-growth", **changes: Any) -> ScalingClaim:
    """A claim that regret grows like a root, with something changed."""
    told: dict[str, Any] = {
        "source": "Theorem 2",
        "theorem": "Theorem 2: regret",
        "statement": "R_K = O(√K)",
        "regimes": ("published",),
        "family": "lock",
        "rate": ROOT,
        "quantity": "regret",
        "unit": "reward",
        "sizes": {"quick": SIZES},
        "horizon": Horizon(lambda public, scale, K: 900.0 * scale * K**0.5, lambda public, scale, K: 5.0 * K),
    }
    return ScalingClaim(name, episodes_scaling.regret, **(told | changes))


def noisy(mean: Array, seeds: int = 6, sd: float = 0.05) -> Array:
    """(seeds, m) values around a mean."""
    return mean * np.exp(sd * np.random.default_rng(0).standard_normal((seeds, len(mean))))


def ladder(values: Array, about: ScalingClaim | None = None, planned: int | None = None) -> Ladder:
    """A finished ladder; `planned` seeds, where that is more than there are."""
    about = about or claim()
    regime, cells = Regime.parse(about.regimes[0]), []
    for i, size in enumerate(SIZES):
        name = FAMILY.member(size).name
        column = {seed: float(value) for seed, value in enumerate(values[:, i])}
        tally = Points(about, worst=TrialSpec("mine", name, regime.name, 0, 7), trials=len(column), values=column)
        cells.append(Cell("mine", name, regime, len(column), {about.name: tally}, {}))
    publics = [SimpleNamespace(K=size) for size in SIZES]
    return Ladder(about, regime, FAMILY, SIZES, cells, publics, planned or len(values), 2e-4, 0.01)


def judged(one: Ladder) -> tuple[Verdict, str]:
    """The verdict of a ladder by itself, and why."""
    return judge(LadderEvidence(one), one.not_applicable, one.error)
