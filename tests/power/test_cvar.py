"""Bugs planted in ELA, ELLA and CVaR-LSVI are found, claim by claim; correct variants are not called wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from verifier import Algorithm, record
from verifier.base.arrays import Array, IntArray
from verifier.base.profile import Profile
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.model.mutant import planted
from verifier.model.result import TrialResult, TrialSpec
from verifier.model.setting import Scenario, Setting
from verifier.plugins.registry import Registry
from verifier.settings.cvar import CVAR, CVaREnvironment, CVaRPlan, edges
from verifier.settings.cvar.planning import PLANNING
from verifier.trials.trial import run
from verifier_cvar.cvar_lsvi import CVaRLSVI
from verifier_cvar.ela import ELA
from verifier_cvar.ella import ELLA
from verifier_cvar.least_squares import CVaRLeastSquares, Planner

from ..installed import guaranteed
from .harness import mutant, violated

ORACLE, PUBLISHED, SCALED = "oracle", "published", "scaled(0.01)"
EXTRA = {
    # rewards are rounded up, and two of them are taken off the budget before the last action of a roll-in
    "step-two-thirds": partial(edges.small, H=4, A=3, m=3, q=2, size=15, K=50, T1=6, T2=4, tau=0.2),
}


MORE = tuple(Scenario(name, "", build, share=0.0) for name, build in EXTRA.items())
SETTINGS: dict[str, Setting[Any, Any]] = {"cvar-planning": PLANNING, "cvar": replace(CVAR, catalogue=(*CVAR.catalogue, *MORE))}


def check(
    algorithm: type[Algorithm], instances: tuple[str, ...], regimes: tuple[str, ...] = (), seed: int = 0
) -> record.AlgorithmEntry:
    """What a check of one trial per cell finds."""
    guarantees = guaranteed(algorithm)
    found = Registry(guarantees={algorithm.name: guarantees}, settings=SETTINGS)
    selection = Selection((algorithm.name,), regimes=regimes, instances=instances)
    campaign = Campaign(found, selection, Profile("quick", 1e6, 1), seed, 1e-3, 0.01)

    def execute(specs: Iterator[TrialSpec]) -> Iterator[TrialResult]:
        return (run(spec, guarantees, SETTINGS[algorithm.setting]) for spec in specs)

    campaign.run(execute)
    (subject,) = campaign.subjects
    return campaign.entry(subject, "tests", "0", "0")


# Which instances show a bug -----------------------------------------------------------------------------------------

SHOWN: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "ela": {
        "wraps-budget": (("deep-tail",), (ORACLE,)),
        "own-action-in-d": (("low-rank",), (ORACLE,)),
        "own-second-action": (("low-rank",), (ORACLE,)),
        "same-action-twice": (("low-rank", "low-rank-wide", "low-rank-long"), ()),
        "printed-width": (("first-bonus",), (PUBLISHED,)),
        "width-over-h": (("first-bonus",), (PUBLISHED,)),
    },
    "cvar-lsvi": {
        "printed-clip": (("saturated",), ()),
        "no-upper-clip": (("high-budgets",), ()),
    },
}
DEFAULT = {
    "ela": (("first-bonus", "skewed-twins"), (ORACLE,)),
    "cvar-lsvi": (("coarse-steps",), ()),
}
PLANTED = [
    pytest.param(algorithm, item, id=f"{algorithm.name}-{item.name}")
    for algorithm in (ELA, CVaRLSVI)
    for item in guaranteed(algorithm).mutants
    if not item.equivalent
]
"""On fast instances; `test_power` has all three algorithms on those of the catalogue."""


@pytest.mark.parametrize(("algorithm", "item"), PLANTED)
def test_a_planted_bug_is_found_by_the_claims_it_declares(algorithm: type[Algorithm], item: Any) -> None:
    instances, regimes = SHOWN[algorithm.name].get(item.name, DEFAULT[algorithm.name])
    assert set(item.caught_by) <= violated(check(item.algorithm, instances, regimes))


@pytest.mark.parametrize("algorithm", [ELA, CVaRLSVI, ELLA])
def test_mutants_declare_claims_of_their_algorithm(algorithm: type[Algorithm]) -> None:
    guarantees = guaranteed(algorithm)
    claims = {claim.name for claim in guarantees.claims}
    for item in guarantees.mutants:
        assert item.equivalent or (item.caught_by and set(item.caught_by) <= claims), item.name


def test_no_bonus_is_found_where_none_is_needed() -> None:
    """Two uniform actions explore a random MDP by themselves; the bonus is compared with its formula."""
    entry = check(mutant(ELA, "no-bonus"), ("low-rank",), (ORACLE,))
    assert {"bonus", "per-step-optimism"} <= violated(entry)


# Correct variants ---------------------------------------------------------------------------------------------------


class NoOp(ELA):
    """The same algorithm under another name."""


class LastMinimiser(ELA):
    """Ties go to the last action."""

    def minimiser(self, Q: Array) -> IntArray:
        return Q.shape[1] - 1 - np.flip(Q, axis=1).argmin(axis=1)


class LastBudget(ELA):
    """Ties go to the largest budget."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        plan = super().optimise(env, models, gram, b)
        assert plan.V is not None
        objective = self.objective(self.public.fine.levels, plan.V[0, self.public.start])
        budget = int(np.flatnonzero(objective == objective.max())[-1])
        return CVaRPlan(models, gram, b, plan.policy, budget, V=plan.V)


class LearnsInside(ELA):
    """Maximum likelihood in the loop over steps, where both data sets of the step are complete."""

    def explore(self, env: CVaREnvironment, state: int, h: int, data: Array) -> int:
        following = super().explore(env, state, h, data)
        if data is self.D:
            self.__dict__.setdefault("early", {})[h] = super().learn(env, h)
        return following

    def learn(self, env: CVaREnvironment, h: int) -> int:
        return int(self.__dict__["early"][h])


class OtherTwin(ELA):
    """Takes the last of the models with the kernel of the one it learned."""

    def learn(self, env: CVaREnvironment, h: int) -> int:
        kernels = self.public.kernels[:, h]
        same = np.abs(kernels - kernels[super().learn(env, h)]).max(axis=(1, 2)) < 1e-12
        return int(np.flatnonzero(same)[-1])


class Solves(ELA):
    """Linear systems by Cholesky factors, Sigma-hat as a sum of outer products, newest first."""

    def covariance(self, phi: Array, h: int) -> Array:
        visits = self.D[h].sum(axis=1)[::-1]
        return np.asarray(
            sum((n * np.outer(v, v) for n, v in zip(visits, phi[::-1], strict=True)), self.ridge() * np.eye(len(phi.T)))
        )

    def norm(self, phi: Array, gram: Array) -> Array:
        return np.linalg.norm(np.linalg.solve(np.linalg.cholesky(gram), phi.T), axis=0)


class _LastMinimiser(CVaRLeastSquares):
    def minimiser(self, Q: Array) -> IntArray:
        return Q.shape[1] - 1 - np.flip(Q, axis=1).argmin(axis=1)


class _Solves(CVaRLeastSquares):
    def norm(self, inverse: Array) -> Array:
        half = np.linalg.solve(np.linalg.cholesky(self.gram), np.swapaxes(self.features, 1, 2))
        return np.linalg.norm(half, axis=1)


class OtherRegression(Planner):
    """Plans with another arithmetic."""


EXACT = ("first-bonus", "skewed-twins", "twins", "impossible", "flat-objective", "risk-neutral", "no-bonus", "step-2-5")
SIMULATED = ("step-two-thirds",)
ROUNDS = ("coarse-steps", "two-steps", "last-step-only", "zero-budget", "one-round", "saturated")
VARIANTS: list[tuple[str, type[Algorithm], tuple[str, ...]]] = [
    *((bug.__name__, planted(bug, ELA), EXACT) for bug in (NoOp, LastMinimiser, LastBudget, LearnsInside, OtherTwin, Solves)),
    *((f"ELLA-{bug.__name__}", planted(bug, ELLA), SIMULATED) for bug in (LearnsInside, Solves)),
    *(
        (f"{original.name}{bug.__name__}", planted(OtherRegression, original, least_squares=bug), instances)
        for bug in (_LastMinimiser, _Solves)
        for original, instances in ((CVaRLSVI, ROUNDS), (ELLA, SIMULATED))
    ),
]


@pytest.mark.parametrize(("name", "variant", "instances"), VARIANTS, ids=[name for name, _, _ in VARIANTS])
def test_a_correct_variant_passes(name: str, variant: type[Algorithm], instances: tuple[str, ...]) -> None:
    entry = check(variant, instances, (SCALED,) if issubclass(variant, ELLA) else ())
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 8


@pytest.mark.parametrize("algorithm", [ELA, ELLA])
def test_the_instances_added_here_show_nothing_without_a_bug(algorithm: type[Algorithm]) -> None:
    names = tuple(EXTRA) if algorithm is ELA else SIMULATED
    for seed in range(3):
        entry = check(algorithm, names, (SCALED, ORACLE), seed=seed)
        assert not violated(entry)
        assert not entry.errors
