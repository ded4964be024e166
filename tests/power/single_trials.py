"""Single trials of correct algorithms with seeds of their own, in which nothing that always holds may fail.

``python -m tests.power.single_trials FIRST LAST`` plays these rounds: in a round every algorithm once on every instance in every
regime, with seeds that no other round has, some 2,000 trials. It prints what fails, and at the end how many trials there were.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.campaign.subject import Cell
from verifier.model.claim import Kind
from verifier.plugins.registry import registry
from verifier.trials.trial import run_trial


@dataclass(frozen=True)
class Trial:
    """What one trial told of the claims that one comparison can break, and of those that fail with a small probability.

    Parameters
    ----------
    broken : dict of str to str
        By claim: how many of its comparisons were false, and by how much at most; or why it could not be evaluated.
    failed : dict of str to bool
        By claim that fails with a probability, whether it did.
    error : str
        Why the trial gave nothing; empty if it did.
    """

    broken: dict[str, str]
    failed: dict[str, bool]
    error: str


OURS = tuple(sorted(name for name in registry().guarantees if not name.startswith("scool")))


@cache
def cells(algorithm: str) -> list[Cell]:
    """An algorithm of ours on every instance, those of the deep profile too, in every regime."""
    return Campaign(registry(), Selection((algorithm,)), replace(PROFILES["deep"], trials=1), Config(seed=0)).cells


def play(cell: Cell, seed: int) -> Trial:
    """A trial of a cell with a master seed of its own."""
    kinds = {name: tally.claim.kind for name, tally in cell.tallies.items() if name not in cell.not_applicable}
    result = run_trial(cell.spec(0, seed))
    if result.error is not None:
        return Trial({}, {}, result.error.message)
    # a claim that an instance is outside of may not even be a number there, as a bound divided by the logarithm of one arm
    broken = {name: failure.message for name, failure in result.unmeasured.items() if name in kinds}
    failed = {}
    for name, found in result.measurements.items():
        if kinds.get(name) is Kind.PROBABILITY:
            failed[name] = found.violations > 0
        elif name in kinds and not kinds[name].statistical and kinds[name] is not Kind.SCALING and found.violations:
            broken[name] = f"{found.violations} of {found.comparisons} false, by {found.excess:.3g} at most"
    return Trial(broken, failed, "")


def told(cell: Cell, seed: int, trial: Trial) -> Iterator[str]:
    """A line for each statement that failed, with what replays it."""
    if trial.error:
        yield trial.error
    for name, what in trial.broken.items():
        yield f"{cell.spec(0, seed).replay_id(name)}: {what}"


FIRST = 20_261_123
"""Seeds from here on are used nowhere else."""


def sweep(rounds: Iterable[int], algorithms: Iterable[str] = OURS) -> Iterator[list[str]]:
    """What failed in each trial of these rounds, in lines: none where all is well."""
    for number in rounds:
        for algorithm in algorithms:
            for at, cell in enumerate(cells(algorithm)):
                seed = FIRST + 10_000 * (1 + number) + at
                yield [*told(cell, seed, play(cell, seed))]


def main(first: int, last: int) -> int:
    """Play rounds, and tell what fails."""
    trials = failed = 0
    for lines in sweep(range(first, last + 1)):
        trials, failed = trials + 1, failed + bool(lines)
        for line in lines:
            print(line, flush=True)
    print(f"{trials} trials, {failed} with a failure")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
