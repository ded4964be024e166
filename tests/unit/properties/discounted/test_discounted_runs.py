"""Every property of discounted runs, and the evidence against their laws: good runs pass, planted changes do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from verifier import Algorithm
from verifier.model.property import Property
from verifier_properties.discounted import bonus_sums, stream
from verifier_properties.discounted import regret as discounted_regret
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.shared.playing_mutants import FixedLength, NoReset, PlaysGreedily, ResetsWithGamma, UniformActions
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import Instance, Run, generators

from ...settings.discounted.runs import changed, play
from ...settings.lifelong.runs import generator
from .discounted_views import good, measure_of


def sums(**values: Any) -> Callable[[Run], Run]:
    return lambda run: changed(run, sums={**run.sums, **values})


def crooked(run: Run) -> Run:
    """Transitions of a uniform kernel."""
    return changed(run, successors=generator(0).integers(run.public.X, size=len(run.states)))


def elsewhere(run: Run) -> Run:
    """Every reset leads to the least likely state."""
    after = np.concatenate([[True], run.resets[:-1]])
    return changed(run, states=np.where(after, run.instance.truth.start.argmin(), run.states))


def half(public: Any, width: float = 1.0) -> float:
    """Half of the largest regret of the long run."""
    return 0.5 * public.T * good("long")[0].instance.optimal_return


def all_lost(run: Run) -> Run:
    return sums(regret=run.public.T * run.instance.optimal_return)(run)


def all_met(run: Run) -> Run:
    """Bonuses as large as the width at every step."""
    return sums(met_bonus=len(run.states) * run.width)(run)


def most_of_it(public: Any, width: float) -> float:
    """Nine tenths of that."""
    return 0.9 * public.T * width


LARGE, CERTAIN = 1e9, 1e3
"""Larger than anything possible here, and evidence a right law gives with probability 1e-3; the seeds are fixed."""

RUN_CASES: dict[str, tuple[Property, str, Callable[[Run], Run]]] = {
    "visit-sum": (bonus_sums.visit_sum, "long", sums(met_norm=LARGE)),
    "bonus-sum-expectation": (bonus_sums.expected_sum(most_of_it, lambda public: 1.0), "scaled", all_met),
    "regret-by-bonuses": (discounted_regret.regret_by_bonuses(True, lambda run: 2.0), "long", all_lost),
    "regret-by-bonuses-printed": (discounted_regret.regret_by_bonuses(False, lambda run: 2.0), "long", all_lost),
    "regret": (discounted_regret.explicit_regret(half), "long", all_lost),
    "uniform-output": (discounted_regret.explicit_regret(half, per_step=True), "long", all_lost),
    "longest-epoch": (stream.longest_epoch, "long", lambda run: changed(run, plans=run.plans[:1])),
    "length-factor": (stream.length_factor, "long", lambda run: changed(run, plans=run.plans[:1])),
    "occupancy-bonuses": (bonus_sums.occupancy_bonuses(lambda run: run.width), "scaled", sums(met_bonus=0.0)),
}


@pytest.mark.parametrize("name", RUN_CASES)
def test_properties_of_runs(name: str) -> None:
    check, run, tamper = RUN_CASES[name]
    view = good(run)[1]
    assert measure_of(check, view).holds
    assert not measure_of(check, tamper(view)).holds


@pytest.mark.parametrize("name", ["bonus-sum-expectation", "regret-by-bonuses", "regret", "uniform-output"])
@pytest.mark.parametrize("amount", [LARGE, -LARGE])
def test_what_is_impossible_says_nothing_about_means(name: str, amount: float) -> None:
    """Plans that are no policies, or bonuses that are no width times a norm: other claims say so."""
    check, run, _ = RUN_CASES[name]
    series = "met_bonus" if name == "bonus-sum-expectation" else "regret"
    found = measure_of(check, sums(**{series: amount})(good(run)[1]))
    assert (found.comparisons, found.excluded) == (0, 1)


EVIDENCE: dict[str, tuple[Property, Callable[[Run], Run]]] = {
    "successors": (stream.successors, crooked),
    "starts": (stream.starts, elsewhere),
    "coin": (stream.coin, lambda run: changed(run, resets=np.zeros(len(run.states), dtype=bool))),
    "epoch-count": (stream.epoch_count, lambda run: changed(run, plans=run.plans[::2])),
    "actions": (stream.actions, sums(action=np.array([-900.0, 12.0, *[0.0] * 6]))),
    "bonus-sums": (stream.bonus_sums, sums(bonus_drift=np.array([-900.0, 12.0, *[0.0] * 10]))),
}


@pytest.mark.parametrize("name", EVIDENCE)
def test_evidence_against_laws(name: str) -> None:
    check, tamper = EVIDENCE[name]
    for run in ("tabular", "mixture", "long", "exact"):
        assert 0 <= measure_of(check, good(run)[1]).value < CERTAIN
    assert measure_of(check, tamper(good("long")[1])).value > CERTAIN


def seeks_bonus(original: type[Algorithm]) -> type[Algorithm]:
    """Plays where the bonus is largest, and reports what it should play."""

    class SeeksBonus(original):
        def bonus(self, V: np.ndarray) -> np.ndarray:
            self.sought = super().bonus(V)
            return self.sought

        def play_epoch(self, env: Any, policy: np.ndarray) -> Any:
            return super().play_epoch(env, np.eye(self.public.A)[self.sought.argmax(axis=1)])

    return SeeksBonus


PLAYERS: dict[str, tuple[Any, Property]] = {
    "fixed-length": (FixedLength, stream.coin),
    "resets-with-gamma": (ResetsWithGamma, stream.coin),
    "no-reset": (NoReset, stream.coin),
    "uniform-actions": (UniformActions, stream.actions),
    "plays-greedily": (PlaysGreedily, stream.actions),
    "seeks-bonus": (None, stream.actions),
}


def fast_epochs() -> Instance:
    """With epochs this short the policy is far from uniform for most of the run."""
    return generators.mixture(generator(4), X=3, A=2, d=2, gamma=0.3, T=2000)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("original", [TabularRaviUCB, MixtureRaviUCB])
@pytest.mark.parametrize("name", PLAYERS)
def test_runs_that_are_played_by_another_law_give_evidence(original: type[Algorithm], name: str) -> None:
    bug, check = PLAYERS[name]
    player = seeks_bonus(original) if bug is None else type(bug.__name__, (bug, original), {})
    _, right = play(original, fast_epochs(), "scaled(0.03)")
    assert measure_of(check, right).value < CERTAIN
    _, run = play(player, fast_epochs(), "scaled(0.03)")
    assert measure_of(check, run).value > 1e6


def test_a_player_that_seeks_bonuses_gets_more_than_their_mean() -> None:
    """Bonuses of the regression; counting evens them out within a few epochs, so that a tabular run shows nothing."""
    _, run = play(seeks_bonus(MixtureRaviUCB), fast_epochs(), "published")
    assert measure_of(stream.bonus_sums, run).value > 1e6
    assert run.met_bonus > 1.1 * run.public.H * run.sums["played_bonus"]


# Instances ----------------------------------------------------------------------------------------------------------------
