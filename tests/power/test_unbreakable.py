"""Claims that are declared unbreakable stand against agents that do anything the harness accepts.

`Claim.unbreakable` is a proof that no implementation can violate a claim. `ela/first-bracket` had one, and bonuses that are not
positive violated it. So attackers are run in the place of every algorithm with such a claim (`attackers`), and the garbage agents
of its setting. Seeds are fixed. A law may be refuted by chance, in a run with probability 1e-9; a claim that fails with
probability delta in a run may fail as often as has probability 1e-6. All other claims have no false alarm by chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scipy import stats

from verifier.campaign.subject import Cell
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind
from verifier.model.result import TrialResult
from verifier.plugins.registry import registry
from verifier.trials.trial import claims_in, run

from .attackers import ATTACKS
from .single_trials import cells
from .usual_places import USUAL

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of numbers that are too large

PROVED = {
    name: tuple(claim for claim in found.claims if claim.unbreakable) for name, found in sorted(registry().guarantees.items())
}
ATTACKED = [name for name, claims in PROVED.items() if claims]

DELTA = 0.1
"""Of the instances of `usual`."""
FIRST = 20_271_123
"""Seeds from here on are used nowhere else."""
ONCE, TOGETHER = 1e9, 1e-6
"""Evidence that refutes a law in one run, and the chance of so many failures of a claim in all runs that refutes it."""


@dataclass
class Seen:
    """What attackers made of the claims of an algorithm.

    Attributes
    ----------
    compared : set of str
        Claims that were compared in some run.
    broken : list of str
        What was violated: the attacker, and what replays the trial with another seed.
    runs, failed : dict of str to int
        Of claims that fail with a probability.
    refused : list of str
        Attackers whose runs the harness refuses.
    """

    compared: set[str] = field(default_factory=set)
    broken: list[str] = field(default_factory=list)
    runs: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    failed: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    refused: list[str] = field(default_factory=list)

    def add(self, attacker: str, claims: tuple[Claim, ...], result: TrialResult) -> None:
        """Take in a run."""
        if result.error is not None:
            self.refused.append(f"{attacker}: {result.error.message}")
            return
        assert not result.unmeasured, (attacker, result.unmeasured)
        for claim in claims:
            found = result.measurements[claim.name]
            if not found.comparisons:
                continue
            self.compared.add(claim.name)
            if claim.kind is Kind.PROBABILITY:
                self.runs[claim.name] += 1
                self.failed[claim.name] += found.violations > 0
            elif found.violations or (claim.kind is Kind.LAW and found.value >= ONCE):
                self.broken.append(f"{attacker}: {result.spec.replay_id(claim.name)}: {found.value:g} > {found.bound:g}")

    def refuted(self) -> list[str]:
        """Claims that are not what their proofs say."""
        often = [name for name, runs in self.runs.items() if stats.binom.sf(self.failed[name] - 1, runs, DELTA) < TOGETHER]
        return self.broken + often


def attackers(name: str) -> Iterator[tuple[str, type[Algorithm]]]:
    """The attackers of an algorithm, and the garbage agents of its setting in its place."""
    known = registry()
    original = known.guarantees_of(name).algorithm
    for attack in ATTACKS:
        yield attack.name, attack.on(original)
    for mutant in known.with_garbage(name).mutants:
        if mutant.garbage:
            yield mutant.name, mutant.algorithm


def attacked(
    cell: Cell, attacker: type[Algorithm], claims: tuple[Claim, ...], seed: int
) -> tuple[tuple[Claim, ...], TrialResult]:
    """A run of an attacker, and the claims that are evaluated in it."""
    known = registry()
    guarantees = replace(known.guarantees_of(cell.algorithm), algorithm=attacker)
    spec = cell.spec(0, seed)
    here = tuple(claim for claim in claims_in(guarantees, cell.regime) if claim in claims)
    spec = replace(spec, claims=tuple(claim.name for claim in here))
    return here, run(spec, guarantees, known.setting(guarantees.algorithm.setting), explained=False)


CHEAP = {"ella": "step-sure", "fmdp-bf": "bandits"}
"""Where the usual instance takes long, or some claim is about nothing there."""


def usual(name: str) -> list[Cell]:
    """The cells of the usual instance of an algorithm, or of a cheap one."""
    return [cell for cell in cells(name) if cell.instance == CHEAP.get(name, USUAL[name])]


@pytest.mark.one_in(13)
@pytest.mark.parametrize("name", ATTACKED)
def test_no_attacker_violates_what_is_declared_unbreakable(name: str) -> None:
    seen, places = Seen(), usual(name)
    for i, (attack, attacker) in enumerate(attackers(name)):
        seen.add(attack, *attacked(places[i % len(places)], attacker, PROVED[name], FIRST + i))
    assert not seen.refuted()
    assert {claim.name for claim in PROVED[name]} == seen.compared
    assert len(seen.refused) < len(ATTACKS) / 3, seen.refused


@pytest.mark.deep
@pytest.mark.parametrize("name", ATTACKED)
def test_no_attacker_does_anywhere(name: str) -> None:
    """Three attackers, drawn with a fixed seed, on every instance in every regime; delta is 0.1 at most there."""
    seen, rng, known = Seen(), np.random.default_rng(FIRST), dict(attackers(name))
    for i, cell in enumerate(cells(name)):
        for attack in rng.choice(sorted(known), 3, replace=False):
            seen.add(attack, *attacked(cell, known[attack], PROVED[name], FIRST + 1000 + i))
    assert not seen.refuted()


def test_attackers_break_what_needs_an_honest_agent() -> None:
    """The first bracket was declared unbreakable. It needs bonuses that are not negative."""
    claims = tuple(claim for claim in registry().guarantees_of("ela").claims if claim.name == "first-bracket")
    seen = Seen()
    for place in usual("ela"):
        seen.add("negative", *attacked(place, dict(attackers("ela"))["negative"], claims, FIRST))
    assert seen.refuted()
