"""Premises of optimism and pessimism: whether the harness's bonuses cover the errors, at all pairs that are known."""

from __future__ import annotations

import numpy as np

from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_properties.factored import optimism
from verifier_settings.factored.generators import certain, make

from ...settings.factored.runs import play


def test_a_reward_that_was_not_seen_at_a_known_pair_is_not_covered() -> None:
    """One action; s1 is 0 whatever s2 is, and s2 is 0. After an episode the pair of s1 = 1, s2 = 0 is known, its reward is not.

    Rhat is 1 there, the reward 0, and the width of the oracle nothing: the lower value is 1, above V* = 0, and the premise false.
    """
    factors = [((1,), np.array([[1.0, 0.0], [1.0, 0.0]])), ((), np.array([[1.0, 0.0]]))]
    views, _ = play(make((2, 2), (1,), factors, [((0,), certain(0.0, 2))], H=1, K=2), FMDPBF, "oracle")
    view = views[-1]
    assert np.flatnonzero(view.estimates.known.any(axis=0))[-1] == 2
    assert (view.lower[-1, 0, 2], view.truth.V[0, 2]) == (np.max(view.lower), 0.0)
    assert view.lower[-1, 0, 2] > 0.99
    assert not optimism.bernstein_covers(view)[-1].any()
    assert not optimism.hoeffding_covers(view)[-1].any()
