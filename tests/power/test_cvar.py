"""Correct implementations of ELA, ELLA and CVaR-LSVI are not called wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import planted
from verifier.model.setting import Scenario
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.least_squares import CVaRLeastSquares, Model
from verifier_cvar.shared.regression_mutants import OtherRegression
from verifier_settings.cvar import CVAR, CVaREnvironment, CVaRPlan, Simulator, augmented, edges
from verifier_settings.cvar.planning import PLANNING, Answer, PlanningEnvironment, Round

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


class PlaysToTheEnd(ELA):
    """Episodes are played to their end, by the first action; what follows the uniform actions is thrown away."""

    def collect(self, env: CVaREnvironment) -> None:
        H, D, Dt = self.public.H, self.D, self.Dt
        self.explore(env, env.reset(), 0, Dt)
        self.finish(env, 1)
        for h in range(H - 1):
            following = self.explore(env, self.roll_in(env, h), h, D)
            if h < H - 2:
                self.explore(env, following, h + 1, Dt)
            self.finish(env, h + 1 + (h < H - 2))

    def finish(self, env: CVaREnvironment, h: int) -> None:
        for _ in range(h, self.public.H):
            env.step(0)


class LearnsBackwards(ELA):
    """Models, matrices and bonuses of the last step first."""

    def plan(self, env: CVaREnvironment) -> CVaRPlan:
        public = self.public
        models = np.zeros(public.H - 1, dtype=np.int64)
        gram, b = np.empty((public.H - 1, public.d, public.d)), np.zeros((public.H, public.X))
        for h in reversed(range(public.H - 1)):
            models[h] = self.learn(env, h)
            phi = public.phi[models[h], h]
            gram[h] = self.covariance(phi, h)
            b[h] = self.bonus(phi, gram[h], h)
        return self.optimise(env, models, gram, b)


class NoisyTies(ELA):
    """Ties are broken by noise of 1e-12."""

    def minimiser(self, Q: Array) -> IntArray:
        noise = np.random.Generator(np.random.PCG64(Q.size)).random(Q.shape)
        return np.asarray((Q + 1e-12 * noise).argmin(axis=1))


class NothingElsewhere(ELA):
    """The table holds action 0 where the policy does not come to."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        plan, public = super().optimise(env, models, gram, b), self.public
        grid, law = (public.fine, public.reward) if plan.estimates is None else (public.coarse, public.coarse_reward)
        P = public.kernels[models, np.arange(public.H - 1)]
        met = augmented.reached(P, law, plan.policy, plan.budget, public.start, grid)
        return replace(plan, policy=np.where(met, plan.policy, 0))


class TwoBatches(ELLA):
    """Evaluates in two batches, the policies backwards."""

    def evaluate(self, simulator: Simulator, model: Model, policies: list[IntArray], budget: int) -> Array:
        return np.array([self.twice(simulator, model, policy, budget) for policy in reversed(policies)])[::-1]

    def twice(self, simulator: Simulator, model: Model, policy: IntArray, budget: int) -> float:
        T2 = self.public.T2
        sizes = (T2 // 2, T2 - T2 // 2)
        parts = [self.estimate(model, simulator.episodes(policy, budget, n), budget) * n for n in sizes if n]
        return sum(parts) / T2


class PlansInTwoBatches(CVaRLSVI):
    """CVaR-LSVI that plays all first halves, then all second halves, of policies that differ."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        T2, policies = self.public.T2, []
        for _t in range(self.public.T1):
            plan = self.regression.plan()
            yield plan
            self.regression.learn(env.trajectory(plan.policy))
            policies.append(plan.policy)
        estimates = np.zeros(len(policies))
        order = sorted(range(len(policies)), key=lambda t: policies[t].tobytes())
        for n in (T2 // 2, T2 - T2 // 2) if len({policy.tobytes() for policy in policies}) == len(policies) else (T2,):
            for t in order:
                estimates[t] += n / T2 * self.estimate(self.model, env.episodes(policies[t], n), self.public.budget)
        chosen = self.best(estimates)
        yield Answer(float(estimates[chosen]), chosen, estimates)


class _NoisyTies(CVaRLeastSquares):
    def minimiser(self, Q: Array) -> IntArray:
        noise = np.random.Generator(np.random.PCG64(Q.size)).random(Q.shape)
        return np.asarray((Q + 1e-12 * noise).argmin(axis=1))


class _LastMinimiser(CVaRLeastSquares):
    def minimiser(self, Q: Array) -> IntArray:
        return Q.shape[1] - 1 - np.flip(Q, axis=1).argmin(axis=1)


class _Solves(CVaRLeastSquares):
    def norm(self, inverse: Array) -> Array:
        half = np.linalg.solve(np.linalg.cholesky(self.gram), np.swapaxes(self.features, 1, 2))
        return np.linalg.norm(half, axis=1)


FREE = (
    LastMinimiser, LastBudget, LearnsInside, OtherTwin, Solves, PlaysToTheEnd, LearnsBackwards, NoisyTies, NothingElsewhere,
)  # fmt: skip
EXACT = ("first-bonus", "skewed-twins", "twins", "impossible", "flat-objective", "risk-neutral", "no-bonus", "step-2-5")
SIMULATED = ("step-two-thirds",)
ROUNDS = ("coarse-steps", "two-steps", "last-step-only", "zero-budget", "one-round", "saturated")
VARIANTS: list[tuple[str, type[Algorithm], tuple[str, ...]]] = [
    ("ELA", ELA, EXACT),
    *((bug.__name__, planted(bug, ELA), EXACT) for bug in FREE),
    *((f"ELLA-{bug.__name__}", planted(bug, ELLA), SIMULATED) for bug in (LearnsInside, Solves, PlaysToTheEnd, NothingElsewhere)),
    ("ELLA-TwoBatches", TwoBatches, SIMULATED),
    ("CVaRLSVI-TwoBatches", PlansInTwoBatches, ROUNDS),
    *(
        (f"{original.name}{bug.__name__}", planted(OtherRegression, original, least_squares=bug), instances)
        for bug in (_LastMinimiser, _Solves, _NoisyTies)
        for original, instances in ((CVaRLSVI, ROUNDS), (ELLA, SIMULATED))
    ),
]


@pytest.mark.one_in(16)
@pytest.mark.parametrize(("name", "variant", "instances"), VARIANTS, ids=[name for name, _, _ in VARIANTS])
def test_a_correct_variant_passes(name: str, variant: type[Algorithm], instances: tuple[str, ...]) -> None:
    entry = check(variant, instances, (SCALED,) if issubclass(variant, ELLA) else (), trials=1, settings=SETTINGS)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 8


@pytest.mark.one_in(2)
@pytest.mark.parametrize("algorithm", [ELA, ELLA])
def test_the_instances_added_here_show_nothing_without_a_bug(algorithm: type[Algorithm]) -> None:
    names = tuple(EXTRA) if algorithm is ELA else SIMULATED
    for seed in range(3) if algorithm is ELA else (0,):
        entry = check(algorithm, names, (SCALED, ORACLE), seed=seed, trials=1, settings=SETTINGS)
        assert not violated(entry)
        assert not entry.errors


# Conventions --------------------------------------------------------------------------------------------------------


class CollectsBackwards(ELA):
    """The trajectories in another order."""

    def collect(self, env: CVaREnvironment) -> None:
        H, D, Dt = self.public.H, self.D, self.Dt
        self.explore(env, env.reset(), 0, Dt)
        for h in reversed(range(H - 1)):
            following = self.explore(env, self.roll_in(env, h), h, D)
            if h < H - 2:
                self.explore(env, following, h + 1, Dt)


class OneSimulator(ELLA):
    """One simulator for all budgets."""

    def optimise(self, env: CVaREnvironment, models: IntArray, gram: Array, b: Array) -> CVaRPlan:
        kept = env.simulator(models)

        class Same:
            def simulator(self, models: IntArray) -> Simulator:
                return kept

        return super().optimise(Same(), models, gram, b)  # type: ignore[arg-type]  # it has what is used of an environment


class RewardsBeforeFeatures(CVaRLSVI):
    """Entries of phibar in the other order."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        turn = np.arange(self.public.D).reshape(self.public.d, -1).T.reshape(-1)
        for plan in super().run(env):
            turned = isinstance(plan, Round) and replace(plan, w=plan.w[:, turn], gram=plan.gram[:, turn][:, :, turn])
            yield turned or plan


@pytest.mark.parametrize(
    ("algorithm", "instance", "says"),
    [
        (CollectsBackwards, "skewed-twins", "in the order of Algorithm 1"),
        (OneSimulator, "no-bonus", "open a simulator for each call"),
        (RewardsBeforeFeatures, "coarse-steps", "features with the reward before phi"),
    ],
)
def test_a_convention_is_a_contract_and_breaking_it_no_violation(algorithm: type[Algorithm], instance: str, says: str) -> None:
    entry = check(algorithm, (instance,), ("oracle",), trials=1, settings=SETTINGS)
    assert not violated(entry)
    assert any(says in str(error) for error in entry.errors)
