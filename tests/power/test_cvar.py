"""Correct implementations of ELA, ELLA and CVaR-LSVI are not called wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from verifier_cvar.cvar_lsvi.regression_mutants import OtherRegression

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import planted
from verifier.model.setting import Scenario
from verifier.settings.cvar import CVAR, CVaREnvironment, CVaRPlan, edges
from verifier.settings.cvar.planning import PLANNING
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.least_squares import CVaRLeastSquares

from .harness import check, violated

ORACLE, SCALED = "oracle", "scaled(0.01)"
EXTRA = {
    # rewards are rounded up, and two of them are taken off the budget before the last action of a roll-in
    "step-two-thirds": partial(edges.small, H=4, A=3, m=3, q=2, size=15, K=50, T1=6, T2=4, tau=0.2),
}


SETTINGS = {
    "cvar-planning": PLANNING,
    "cvar": replace(CVAR, catalogue=(*CVAR.catalogue, *(Scenario(name, "", build, share=0.0) for name, build in EXTRA.items()))),
}


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


EXACT = ("first-bonus", "skewed-twins", "twins", "impossible", "flat-objective", "risk-neutral", "no-bonus", "step-2-5")
SIMULATED = ("step-two-thirds",)
ROUNDS = ("coarse-steps", "two-steps", "last-step-only", "zero-budget", "one-round", "saturated")
VARIANTS: list[tuple[str, type[Algorithm], tuple[str, ...]]] = [
    ("ELA", ELA, EXACT),
    *((bug.__name__, planted(bug, ELA), EXACT) for bug in (LastMinimiser, LastBudget, LearnsInside, OtherTwin, Solves)),
    *((f"ELLA-{bug.__name__}", planted(bug, ELLA), SIMULATED) for bug in (LearnsInside, Solves)),
    *(
        (f"{original.name}{bug.__name__}", planted(OtherRegression, original, least_squares=bug), instances)
        for bug in (_LastMinimiser, _Solves)
        for original, instances in ((CVaRLSVI, ROUNDS), (ELLA, SIMULATED))
    ),
]


@pytest.mark.parametrize(("name", "variant", "instances"), VARIANTS, ids=[name for name, _, _ in VARIANTS])
def test_a_correct_variant_passes(name: str, variant: type[Algorithm], instances: tuple[str, ...]) -> None:
    entry = check(variant, instances, (SCALED,) if issubclass(variant, ELLA) else (), trials=1, settings=SETTINGS)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 8


@pytest.mark.parametrize("algorithm", [ELA, ELLA])
def test_the_instances_added_here_show_nothing_without_a_bug(algorithm: type[Algorithm]) -> None:
    names = tuple(EXTRA) if algorithm is ELA else SIMULATED
    for seed in range(3):
        entry = check(algorithm, names, (SCALED, ORACLE), seed=seed, trials=1, settings=SETTINGS)
        assert not violated(entry)
        assert not entry.errors
