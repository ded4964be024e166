"""Two planted bugs of different lines in one algorithm: both lines are broken first, though one is below the other in the proof.

A single planted bug is named by the line that it breaks (`test_planted_bugs`).
"""

from __future__ import annotations

import pytest

from verifier.plugins.registry import registry

from .harness import check
from .places import places

PAIRS = {
    ("ucbvi-bf", "no-small-term", "no-clip"): ("bonus-formula", "q-formula"),
    ("ucbvi-bf", "off-by-one", "forgets-previous"): ("bonus-formula", "q-formula"),
    ("fmdp-bf", "variance-of-lower", "first-factor-only"): ("variance", "q-formula"),
    ("fmdp-bf", "variance-of-lower", "no-clip"): ("variance", "q-formula"),
    ("fmdp-bf", "variance-of-lower", "lower-plus-bonus"): ("variance", "lower-formula"),
    ("fmdp-bf", "squares-after", "unknown-is-zero"): ("correction", "q-formula"),
    ("lsvi-rfe", "prior-reward", "no-last-bonus"): ("reward", "bonus"),
    ("lsvi-rfe", "stale-norms", "first-power-variance"): ("reward", "bonus", "variance"),
    ("lsvi-rfe", "prior-reward", "first-power-variance"): ("reward", "variance"),
    ("lsvi-rfe", "no-last-bonus", "uncut-spread"): ("bonus", "spread"),
    ("lsvi-rfe", "gram-with-variance", "variance-moments"): ("gram", "regression"),
    ("lsvi-rfe", "last-weight-doubled", "wrong-estimate"): ("last-weight", "planning-regression"),
    ("lsvi-rfe", "double-planning-bonus", "clipped-reward"): ("planning-bonus", "planning-q-formula"),
    ("rlsvi", "uniform-rest", "subtracted"): ("kernel", "q-formula"),
    ("rlsvi", "reward-known", "clipped"): ("reward", "q-formula"),
    ("ucrl2", "half-radius", "spread-evenly"): ("radius-formula", "q-formula"),
    ("ucrl2", "state-for-successor", "spread-evenly"): ("kernel", "q-formula"),
    ("ucb-hoeffding", "half-bonus", "no-reward"): ("bonus-formula", "q-formula"),
    ("ucb-bernstein", "rate-off-by-one", "same-step"): ("learning-rate", "q-formula"),
    ("mvp", "second-moment", "no-clip"): ("bonus-formula", "q-formula"),
    ("mvp", "off-by-one", "unseen-is-zero"): ("bonus-formula", "q-formula"),
}


@pytest.mark.one_in(16)
@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_both_lines_are_named(names: tuple[str, str, str]) -> None:
    algorithm, *bugs = names
    classes = [registry().guarantees[algorithm].mutant(bug).algorithm for bug in bugs]
    both = type("Both", tuple(classes), {"name": algorithm})
    found = [check(both, places(f"{algorithm}~{bug}")[0].instances, ("oracle",), trials=1) for bug in bugs]
    first = set().union(*(entry.first_broken for entry in found))
    assert not any(entry.errors for entry in found)
    assert first >= set(PAIRS[names])
