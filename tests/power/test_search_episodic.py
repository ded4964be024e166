"""The search on small episodic MDPs: nothing in correct algorithms, for planted bugs the smallest instance that shows them."""

from __future__ import annotations

import pytest

from verifier import Algorithm
from verifier.model.regime import Regime
from verifier.trials.search.hunt import examine
from verifier.trials.search.witness import Witness
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC

from ..installed import guaranteed
from .harness import mutant


def hunt(algorithm: type[Algorithm], regime: str, *names: str) -> tuple[Witness, ...]:
    guarantees = guaranteed(algorithm)
    claims = [claim for claim in guarantees.claims if not names or claim.name in names]
    return examine(guarantees, EPISODIC, claims, Regime.parse(regime), 0, 60).witnesses


@pytest.mark.one_in(12)
@pytest.mark.parametrize("algorithm", [HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB, HoeffdingQLearning, BernsteinQLearning, RFUCRL])
@pytest.mark.parametrize("regime", ["scaled(0.03)", "oracle"])
def test_nothing_is_found_where_nothing_is_wrong(algorithm: type[Algorithm], regime: str) -> None:
    assert hunt(algorithm, regime) == ()


@pytest.mark.one_in(9)
@pytest.mark.parametrize(
    ("algorithm", "bug", "claim", "smallest"),
    [
        (HoeffdingUCBVI, "off-by-one", "bonus-formula", (1, 1, 1, 2)),
        (HoeffdingUCBVI, "forgets-last-step", "visits", (1, 1, 1, 2)),
        (HoeffdingUCBVI, "first-step-only", "visits", (1, 1, 2, 2)),
        (BernsteinUCBVI, "no-correction", "bonus-formula", (1, 1, 1, 2)),
        (LSVIUCB, "pooled-gram", "gram", (1, 1, 2, 2)),
        (LSVIUCB, "clip-at-one", "value-function", (1, 1, 2, 1)),
        (HoeffdingQLearning, "same-step", "q-formula", (1, 1, 1, 2)),
        (HoeffdingQLearning, "backwards", "q-formula", (1, 1, 2, 2)),
        (BernsteinQLearning, "unbiased-variance", "variance", (1, 1, 2, 3)),
        (RFUCRL, "off-by-one", "bonus-formula", (1, 1, 1, 2)),
        (RFUCRL, "stops-at-once", "stopping-rule", (1, 1, 1, 1)),
        (RFUCRL, "never-stops", "stopping-rule", (1, 1, 1, 2)),
    ],
)
def test_a_bug_is_shown_on_the_smallest_instance(
    algorithm: type[Algorithm], bug: str, claim: str, smallest: tuple[int, ...]
) -> None:
    """The smallest (S, A, H, K) by hand: one visit before the second plan, two steps where steps are mixed up.

    With the published width where that is all it takes, and with part of it, the second regime, otherwise.
    """
    (witness,) = hunt(mutant(algorithm, bug), algorithm.regimes[claim != "value-function"], claim)
    recipe = witness.recipe
    assert tuple(recipe[size] for size in "SAHK") == smallest
    assert "episode" in witness.text()
