"""Constants of bonuses that papers leave open: an agent may have any, and it is one for all problems."""

from __future__ import annotations

import math

import numpy as np
import pytest

import verifier
from verifier.base.errors import UsageError

from .held_agents import Linear, verdict


def test_a_constant_that_the_paper_leaves_open_may_be_any() -> None:
    """By actions the multiple that fits a run is taken; with a formula of the knob it is said, and the same holds."""
    for knob in ("beta", "beta = width"):
        entry = verdict(verifier.hold(Linear, to="lsvi-ucb", knob=knob), ("random",), ("scaled(0.01)",))
        assert not entry.errors
        assert {claim.name: claim.verdict for claim in entry.claims}["decisions"] == "conforms"


class HalfNorm(Linear):
    """Half the uncertainty at every second visit: no constant makes that the bonus of the paper."""

    def plan(self) -> None:
        """Least squares with a bonus that is too small at times."""
        V = np.zeros(self.seen.shape[1])
        for h in reversed(range(self.H)):
            N = self.seen[h].sum(axis=2)
            bonus = self.beta / np.sqrt(N + 1) * np.where(N % 2, 0.5, 1.0)
            self.Q[h] = np.minimum((self.earned[h] + self.seen[h] @ V) / (N + 1) + bonus, self.H)
            V = self.Q[h].max(axis=1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("read", [{}, {"Q": "Q"}])
def test_what_no_constant_explains_is_wrong_where_the_paper_leaves_it_open(read: dict[str, str]) -> None:
    for constant in (None, 2 / 11):
        mine = verifier.hold(HalfNorm, to="lsvi-ucb", read=read, knob="beta", constant=constant)
        verdicts = {claim.name: claim.verdict for claim in verdict(mine, ("random",), ("scaled(0.01)",)).claims}
        # without its constant one is found that puts Q at its cap, where all actions would do
        assert verdicts["q-formula" if read else "decisions"] == ("violated" if read or constant else "vacuous")


def test_a_constant_is_said_only_where_it_is_open() -> None:
    for to, constant in (("ucbvi-ch", 2.0), ("lsvi-ucb", 0.0), ("lsvi-ucb", math.inf)):
        with pytest.raises(UsageError, match=f"constant={constant:g}: "):
            verifier.hold(Linear, to=to, read={"Q": "Q"}, constant=constant)


def test_the_constant_is_found_where_a_table_is_read() -> None:
    mine = verifier.hold(Linear, to="lsvi-ucb", read={"Q": "Q"}, knob="beta")
    ours = verifier.hold(Linear, to="lsvi-ucb", read={"Q": "Q"}, knob="beta = width")
    assert mine.algorithm.held.constant == pytest.approx(2 / 11)  # 1 for 5.5
    assert ours.algorithm.held.constant is None  # the formula says it
    assert "0.181818 times the constant here" in mine.algorithm.held.told()
    entry = verdict(mine, ("random",), ("published", "scaled(0.01)"))
    assert not entry.errors
    assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"
