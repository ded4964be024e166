"""The search finds planted bugs and shrinks them to what can be checked by hand.

The texts are compared with ``snapshots/``; rewrite them with ``UPDATE_SNAPSHOTS=1`` and read the difference. Those here are
where any search ends: no smaller instance shows the bug, so they depend neither on the seed nor on hypothesis' version.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.base.arrays import Array, IntArray
from verifier.model.algorithm import Algorithm
from verifier.model.regime import Regime
from verifier.trials.search.bench import replay, replayed_measurement
from verifier.trials.search.hunt import Examination, examine, search
from verifier.trials.search.witness import WIDTH, Witness
from verifier_settings.lifelong import LIFELONG
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ..installed import guaranteed
from ..snapshots import compare
from .harness import mutant

FOLDER = Path(__file__).parent / "snapshots"
FARTHEST = "oracle[minimiser=farthest]"
WRONG_STEP, NO_CLIP = (guaranteed(mutant(UCBlvd, name)) for name in ("wrong-step-target", "no-clip"))


class ForgetsStates(UCBlvd):
    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        print("NOISE")
        states[:, 0] = [[0, 1][state] for state in states[:, 0]]
        super().learn(contexts, states, actions, rewards)


def hunt(algorithm: type[Algorithm], regime: str, *names: str, seed: int = 0, examples: int = 100) -> Examination:
    guarantees = guaranteed(algorithm)
    claims = [claim for claim in guarantees.claims if not names or claim.name in names]
    return examine(guarantees, LIFELONG, claims, Regime.parse(regime), seed, examples)


def only(examination: Examination) -> Witness:
    (witness,) = examination.witnesses
    return witness


def sizes(witness: Witness) -> tuple[int, int, int, int]:
    """S, A, H, K."""
    recipe = witness.recipe
    return recipe["S"], recipe["A"], len(recipe["measures"]), recipe["K"]


CANONICAL = [
    ("half-bonus", FARTHEST, "optimism", (1, 1, 2, 1)),
    ("wrong-step-target", "oracle", "regression", (1, 1, 2, 3)),
    ("no-clip", "published", "value-range", (1, 1, 2, 1)),
]


@pytest.mark.one_in(9)
@pytest.mark.parametrize(("name", "regime", "claim", "size"), CANONICAL)
def test_a_planted_bug_is_shrunk_to_the_least_instance_that_shows_it_from_any_seed(
    name: str, regime: str, claim: str, size: tuple[int, ...]
) -> None:
    witness, other = (only(hunt(mutant(UCBlvd, name), regime, claim, seed=seed)) for seed in (0, 7))
    assert sizes(witness) == size
    assert witness.recipe == other.recipe
    assert max(map(len, witness.text().splitlines())) <= WIDTH
    compare(FOLDER / f"search-{name}.txt", witness.text())


@pytest.mark.full
def test_a_bug_that_needs_two_steps_with_different_features() -> None:
    witness = only(hunt(mutant(UCBlvd, "trigger-first-step"), "published", "trigger", examples=200))
    S, A, H, K = sizes(witness)
    assert (S * A, H) == (2, 2)
    assert K <= 6
    assert witness.measurement is not None
    assert witness.measurement.place == {"episode": K}  # the prefix that fails is the whole run


@pytest.mark.full
def test_all_claims_are_measured_together_and_each_gets_its_witness() -> None:
    found = hunt(WRONG_STEP.algorithm, "oracle", "regression", "value-function", "gram", "trigger")
    assert [witness.claim for witness in found.witnesses] == ["regression", "value-function"]
    assert found.examples > 50
    assert found.powered.keys() == {"regression", "value-function", "gram", "trigger"}
    assert not found.exhausted


@pytest.mark.full
def test_a_claim_is_searched_no_further_once_it_has_a_witness() -> None:
    found = search(NO_CLIP, LIFELONG, [NO_CLIP.claim("value-range"), NO_CLIP.claim("gram")], seed=0, examples=40)
    assert [(witness.claim, witness.regime) for witness in found] == [("value-range", "published")]


@pytest.mark.full
def test_the_same_seed_gives_the_same_witness_and_it_replays_bit_for_bit() -> None:
    witness = only(hunt(WRONG_STEP.algorithm, "scaled(0.03)", "regression", examples=60))
    assert witness == only(hunt(WRONG_STEP.algorithm, "scaled(0.03)", "regression", examples=60))
    assert replay(witness, WRONG_STEP, LIFELONG) == witness
    assert replayed_measurement(witness, WRONG_STEP, LIFELONG) == witness.measurement
    travelled = Witness.from_json(json.loads(json.dumps(witness.to_json())))
    assert travelled == witness
    assert travelled.text() == witness.text()
    assert replayed_measurement(travelled, WRONG_STEP, LIFELONG) == witness.measurement


@pytest.mark.full
def test_the_witness_holds_for_the_original() -> None:
    witness = only(hunt(WRONG_STEP.algorithm, "oracle", "regression", examples=60))
    fixed = replay(witness, guaranteed(UCBlvd), LIFELONG)
    assert not fixed.fails
    assert "ucblvd/regression holds on a drawn instance" in fixed.text()


@pytest.mark.full
def test_a_crash_is_shrunk_too(capsys: pytest.CaptureFixture[str]) -> None:
    witness = only(hunt(ForgetsStates, "oracle", examples=60))
    assert witness.claim == ""
    assert witness.error is not None
    assert witness.error.kind == "crash"
    assert (sizes(witness)[0], sizes(witness)[3]) == (3, 1)
    assert "IndexError: list index out of range" in witness.text()
    assert capsys.readouterr() == ("", "")


SURVIVE: list[tuple[type[Algorithm], str]] = [(a, regime) for a in (LifelongLSVI, UCBlvd) for regime in a.regimes]
NO_POWER: Callable[[str], bool] = {"backup-combination", "potential", "sum-of-bonuses"}.__contains__


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("algorithm", "regime"),
    [pytest.param(*one, marks=() if one[1].startswith("oracle") else pytest.mark.deep) for one in SURVIVE],
)
def test_correct_algorithms_survive(algorithm: type[Algorithm], regime: str) -> None:
    found = hunt(algorithm, regime, examples=200)
    assert [witness.text() for witness in found.witnesses] == []
    assert found.examples > 150
    if regime != "published":
        assert [claim for claim, count in found.powered.items() if count < 3 and not NO_POWER(claim)] == []
