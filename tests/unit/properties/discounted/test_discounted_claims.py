"""All claims of RAVI-UCB on real runs: they hold, and nearly all could have failed somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from verifier import Algorithm, Kind
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.trials.trial import assumptions_of, claims_in
from verifier_properties.discounted import mirror_descent
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import Instance, edges, generators, make

from ....installed import guaranteed
from ...settings.discounted.runs import changed, play
from ...settings.lifelong.runs import generator
from .discounted_views import measure_of


def rewarding() -> Instance:
    return edges.small(generator(8), reward=1.0, T=150)


INSTANCES: dict[str, Callable[[], Instance]] = {
    "mixture": lambda: generators.mixture(generator(1), X=4, A=2, d=3, gamma=0.8, T=300),
    "rotated": lambda: generators.mixture(generator(2), X=3, A=3, d=2, gamma=0.6, T=200, rotated=True),
    "river": lambda: generators.river_mixture(X=4, gamma=0.8, T=300),
    "one-hot": lambda: generators.tabular_mixture(generator(3), X=2, A=2, gamma=0.8, T=200),
    "path": lambda: generators.path_mixture(X=5, gamma=0.8, T=60),
    "myopic": lambda: edges.small(generator(4), gamma=0.01, T=100),
    "patient": lambda: edges.small(generator(5), gamma=0.99, T=400),
    "one-action": lambda: edges.small(generator(6), A=1, T=150),
    "one-state": lambda: edges.small(generator(7), X=1, A=3, T=150),
    "absorbing": lambda: edges.absorbing(generator(8)),
    "no-rewards": lambda: edges.small(generator(8), reward=0.0, T=150),
    "all-rewards": rewarding,
    "one-step": lambda: edges.small(generator(9), T=1),
    "one-epoch": lambda: edges.small(generator(9), gamma=0.99, T=20),
    "zero-prior": lambda: edges.zero_prior(generator(10)),
    "loose-bound": lambda: edges.small(generator(11), declared=3.0, T=150),
}


def measured(algorithm: type[Algorithm], instance: Instance, regime: str, batch: int = 64) -> dict[str, Measurement]:
    views, run = play(algorithm, instance, regime, batch=batch)
    found = {}
    for claim in claims_in(guaranteed(algorithm), Regime.parse(regime)):
        total = Measurement()
        for view in views if claim.property.scope == "phase" else [run]:
            total = total.merge(measure_of(claim.property, view))
        found[claim.name] = total
    return found


@pytest.mark.one_in(5)
@pytest.mark.parametrize("algorithm", [TabularRaviUCB, MixtureRaviUCB])
@pytest.mark.parametrize("name", INSTANCES)
def test_all_claims_hold_on_real_runs(algorithm: type[Algorithm], name: str) -> None:
    """A right law gives evidence of 1e6 with probability 1e-6; claims in expectation may fail in a run and are left out."""
    instance = INSTANCES[name]()
    failed = {claim for claim, found in assumptions_of(guaranteed(algorithm), instance).items() if found.violations}
    assert failed == ({"uniform-start"} if name == "zero-prior" else set())
    kinds = {claim.name: claim.kind for claim in guaranteed(algorithm).claims}
    for regime in algorithm.regimes:
        for claim, found in measured(algorithm, instance, regime).items():
            if kinds[claim] is Kind.LAW:
                assert found.value < 1e6, (regime, claim)
            elif kinds[claim] is not Kind.EXPECTATION:
                assert found.violations == 0, (regime, claim, found)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("algorithm", [TabularRaviUCB, MixtureRaviUCB])
def test_every_other_claim_has_power_somewhere(algorithm: type[Algorithm]) -> None:
    """Claims decided in single runs, over three instances; those about the learning rate's cost need long runs and low H."""
    powered: set[str] = set()
    for instance in (
        generators.mixture(generator(1), X=3, A=2, d=2, gamma=0.8, T=300),
        generators.mixture(generator(1), X=2, A=2, d=2, gamma=0.1, T=3000),
    ):
        for regime in ("published", "oracle", "oracle[model=exact]"):
            powered |= {name for name, found in measured(algorithm, instance, regime).items() if found.powered}
    expected = {
        claim.name
        for claim in guaranteed(algorithm).claims
        if claim.kind not in (Kind.ASSUMPTION, Kind.EXPECTATION, Kind.PROBABILITY) and not claim.unbreakable
    }
    assert expected - powered == set()


def test_tree_instances_attain_the_bound_on_relative_entropies_of_occupancies() -> None:
    """Policies of the tree that differ in state 0 only: Lemma A.1 is an equality there, so it is not void."""
    view = play(TabularRaviUCB, generators.tree(A=2, gamma=0.8, T=60), "oracle[model=exact]")[0][0]
    found = measure_of(mirror_descent.occupancy_entropy, view)
    assert found.violations == 0
    bandit = make(P=generators.tree(A=2, gamma=0.8, T=1).truth.P, reward=np.zeros((3, 2)), start=np.eye(3)[0], gamma=0.8, T=1)
    plans = {
        **view.plans,
        "log_policy": np.log(np.tile([[0.5, 0.5]], (view.count, 3, 1))),
        "Q": np.tile([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]], (view.count, 1, 1)),
    }
    equal = changed(view, plans=plans, instance=replace(view.instance, truth=replace(view.truth, P=bandit.truth.P)))
    np.testing.assert_allclose(equal.occupancy_entropy, 5.0 * equal.conditional_entropy, rtol=1e-9)
