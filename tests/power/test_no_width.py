"""Agents that ask for no width, as those of other libraries: claims about widths say nothing of them, for or against.

50 seeds: a right agent is called violated with probability at most 0.05 over all of them (error budget 1e-3 each).
"""

from __future__ import annotations

from typing import Any

import pytest

from verifier import Algorithm
from verifier.base.arrays import IntArray
from verifier.model.width import Width
from verifier.trials.measured import NO_TARGET, NO_WIDTH
from verifier_cvar.ela.algorithm import ELA
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.knapsack.algorithm import Knapsack
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucrl2.algorithm import UCRL2

from .harness import check, violated

NEVER_ASKED = "the run never asked for a width"

READS = {"width", "q-formula", "bonus-validity", "optimism"}


def silent(algorithm: type[Algorithm], factor: float) -> type[Algorithm]:
    """The algorithm with widths of its own, a factor times the published ones."""

    class Silent(algorithm):  # type: ignore[valid-type, misc]  # a base class that is an argument
        width_names = ()

        def __init__(self, public: Any, width: Width, **options: str) -> None:
            own = Width(lambda of, step, target: factor * algorithm.published_width(public, of))
            super().__init__(public, own, **options)

    return Silent


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(50))
def test_a_right_agent_is_not_called_violated(seed: int) -> None:
    entry = check(silent(HoeffdingUCBVI, 0.03 if seed % 2 else 1.0), ("one-step",), seed=seed, trials=1)
    assert not violated(entry)
    assert not entry.errors


CASES = [
    (HoeffdingUCBVI, "short-jackpot", READS),
    (BernsteinUCBVI, "short-jackpot", READS),
    (LSVIUCB, "short-jackpot", READS),
    (UCRL2, "short-jackpot", {"width", "radius-formula", "plausible", "q-formula", "kernel-distance", "optimism"}),
    (HoeffdingQLearning, "short-jackpot", {"width", "bonus-formula", "q-formula", "bonus-sum", "overestimate"}),
    (BernsteinQLearning, "short-jackpot", {"width", "beta", "bonus-formula", "q-formula", "overestimate", "lead-sum"}),
    (MVP, "short-jackpot", {"width", "bonus-formula", "q-formula", "propagation", "coverage", "optimism"}),
    (RLSVI, "short-jackpot", {"width", "noise-law", "comparison", "stochastic-optimism"}),
    (FMDPCH, "few-episodes", {"width", "reward-bonus", "transition-bonus", "reward-coverage", "optimism"}),
    (FMDPBF, "few-episodes", {"width", "reward-bonus", "transition-bonus", "reward-coverage", "optimism", "pessimism"}),
    (Knapsack, "one-episode", {"width", "reward-bonus", "transition-bonus", "optimism"}),
]


@pytest.mark.parametrize(("algorithm", "instance", "reads"), CASES, ids=[case[0].__name__ for case in CASES])
def test_claims_about_widths_say_nothing(algorithm: type[Algorithm], instance: str, reads: set[str]) -> None:
    entry = check(silent(algorithm, 0.03), (instance,), ("published",), trials=1)
    assert not entry.errors
    assert not violated(entry)
    silenced = {claim.id.split("/")[1]: claim for claim in entry.claims if claim.verdict == "not applicable"}
    assert silenced.keys() >= reads
    assert {item.reason for name in reads for item in silenced[name].regimes} == {NO_WIDTH}
    assert entry.counts["conforms"] > 5


def test_a_bug_beside_the_width_is_found_all_the_same() -> None:
    class CountsTwice(silent(HoeffdingUCBVI, 1.0)):  # type: ignore[misc]  # a class made by a function
        def learn(self, states: IntArray, actions: IntArray) -> None:
            super().learn(states, actions)
            super().learn(states, actions)

    assert "visits" in violated(check(CountsTwice, ("one-step",), trials=1))


@pytest.mark.parametrize("regime", ["published", "scaled(0.01)", "oracle"])
def test_a_class_that_declares_widths_and_never_asks_is_an_error_of_the_trial(regime: str) -> None:
    class Declares(silent(HoeffdingUCBVI, 0.03)):  # type: ignore[misc]  # a class made by a function
        width_names = HoeffdingUCBVI.width_names

    entry = check(Declares, ("one-step",), (regime,), trials=1)
    assert len(entry.errors) == 1
    assert NEVER_ASKED in entry.errors[0].message
    assert "say `width_names = ()`" in entry.errors[0].message


def test_a_class_that_declares_the_oracle_regime_alone_has_to_ask_too() -> None:
    class Inherits(silent(HoeffdingUCBVI, 0.03)):  # type: ignore[misc]  # a class made by a function
        width_names = Algorithm.width_names

    class HasItsOwn(Inherits):
        regimes = ("published",)

    entry = check(Inherits, ("one-step",), ("oracle",), trials=1)
    assert [NEVER_ASKED in error.message for error in entry.errors] == [True]
    assert not check(HasItsOwn, ("one-step",), ("published",), trials=1).errors


def test_an_algorithm_without_a_bonus_on_short_episodes_need_not_ask_there() -> None:
    entry = check(ELA, ("safe-or-risky",), ("published",), trials=1)
    assert not entry.errors


def test_an_agent_that_asks_without_a_value_function_is_told_so() -> None:
    class Bare(HoeffdingUCBVI):
        def __init__(self, public: Any, width: Width, **options: str) -> None:
            super().__init__(public, Width(lambda of, step, target: width(step, of=of)), **options)

    entry = check(Bare, ("one-step",), ("published",), trials=1)
    assert not entry.errors
    reasons = {claim.id.split("/")[1]: {item.reason for item in claim.regimes} for claim in entry.claims}
    assert {*READS} <= {name for name, said in reasons.items() if NO_TARGET in said}
    assert not any(NO_WIDTH in said for said in reasons.values())
