"""The search on discounted instances: bugs of RAVI-UCB shrunk to what can be checked by hand, none found where there is none.

The texts are compared with ``snapshots/``, see test_search.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.model.algorithm import Algorithm
from verifier.model.regime import Regime
from verifier.trials.search.bench import replay, replayed_measurement
from verifier.trials.search.hunt import Examination, examine
from verifier.trials.search.witness import WIDTH, Witness
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DISCOUNTED

from ..installed import guaranteed
from ..snapshots import compare
from .harness import mutant

pytestmark = pytest.mark.deep

FOLDER = Path(__file__).parent / "snapshots"


def hunt(algorithm: type[Algorithm], regime: str, *names: str, seed: int = 0, examples: int = 100) -> Examination:
    guarantees = guaranteed(algorithm)
    claims = [claim for claim in guarantees.claims if not names or claim.name in names]
    return examine(guarantees, DISCOUNTED, claims, Regime.parse(regime), seed, examples)


def only(examination: Examination) -> Witness:
    (witness,) = examination.witnesses
    return witness


# Algorithm, mutant, claim, and X, A, T, d of the least instance that shows the bug.
CANONICAL: list[tuple[type[Algorithm], str, str, tuple[int, ...]]] = [
    (TabularRaviUCB, "forgets-bonus", "backup-from-below", (1, 1, 2, 1)),  # a first visit gives nothing to the estimate
    (MixtureRaviUCB, "current-state-target", "regression", (2, 1, 4, 1)),  # V_1 = 0, and a state has to be left
]


@pytest.mark.parametrize(("algorithm", "name", "claim", "size"), CANONICAL, ids=[name for _, name, _, _ in CANONICAL])
def test_a_planted_bug_is_shrunk_to_the_least_instance_that_shows_it(
    algorithm: type[Algorithm], name: str, claim: str, size: tuple[int, ...]
) -> None:
    witness, other = (only(hunt(mutant(algorithm, name), "oracle", claim, seed=seed)) for seed in (0, 7))
    recipe = witness.recipe
    assert (recipe["X"], recipe["A"], recipe["T"], len(recipe["kernels"])) == size
    assert {**other.recipe, "T": 0} == {**recipe, "T": 0}  # how long it takes to get there depends on what the run draws
    assert max(map(len, witness.text().splitlines())) <= WIDTH
    compare(FOLDER / f"search-{name}.txt", witness.text())
    assert replayed_measurement(witness, guaranteed(mutant(algorithm, name)), DISCOUNTED) == witness.measurement
    assert not replay(witness, guaranteed(algorithm), DISCOUNTED).fails


SILENT = {
    "deviation", "occupancy-entropy",  # nothing can break them
    "gap-sum", "gap-sum-sharp", "gap-sum-by-residuals", "bonus-sum", "potential", "bad-epochs",  # the bound is above T here
    "estimate", "bonus",  # replaced in two of the oracle regimes
}  # fmt: skip


@pytest.mark.parametrize("algorithm", [TabularRaviUCB, MixtureRaviUCB])
def test_correct_algorithms_survive(algorithm: type[Algorithm]) -> None:
    for regime in algorithm.regimes:
        found = hunt(algorithm, regime)
        assert [witness.text() for witness in found.witnesses] == []
        assert found.examples == 100
        if regime != "published":
            assert {claim for claim, count in found.powered.items() if count < 3} <= SILENT
