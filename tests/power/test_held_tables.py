"""Tables that are read of agents of somebody else, and the claims that each brings."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import verifier
from verifier.base.errors import ContractError, UsageError
from verifier.commands.held_claims import left_out
from verifier.model.held_guesses import held
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.trial import run
from verifier_settings.episodic import EPISODIC, Phases
from verifier_settings.episodic.held import layouts_of

from .held_agents import Sizes, changed, verdict
from .test_held import MADE


def test_the_bonus_that_q_implies_is_the_one_that_is_reported() -> None:
    """Where nothing cuts Q; it is not known elsewhere."""
    known, reference = [], registry().guarantees["ucbvi-ch"]

    @phase_property("bonus")
    def implied(view: Phases) -> Inequality:
        plans = [replace(plan, bonus=None, kernel=None) for plan in view.plans]
        found, reported = replace(view, plans=plans).added, view.reported("bonus")
        known.append(np.isfinite(found))
        off = np.abs(np.where(known[-1], found - reported, 0.0))
        return Inequality(off, 0.0, ("plan", "h", "pair"), trivial=1.0, tolerance=1e-12)

    claim = verifier.Claim("implied", implied, source="", theorem="", statement="", kind=verifier.Kind.ALWAYS)
    only = replace(reference, claims=(claim,), clauses=(), mutants=(), scaling=(), theorem="", errata=(), figures=())
    result = run(TrialSpec("ucbvi-ch", "random", "scaled(0.03)", 0, 0), only, EPISODIC)
    assert result.measurements["implied"].violations == 0
    assert 0 < np.concatenate(known).mean() < 1


def test_no_claim_is_kept_that_compares_the_transcript_with_itself() -> None:
    """From Q alone: counts, frequencies and the confidence in them are the harness's own, and V is made of Q."""
    given = verifier.hold(changed("", ""), to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    kept = {claim.name for claim in given.claims if claim.kind is not verifier.Kind.ASSUMPTION}
    assert kept == {
        "q-formula", "greedy", "plays-policy", "no-foresight", "monotone", "optimism", "regret", "decisions", *MADE
    }  # fmt: skip
    assert not given.faults
    assert given.claim("bonus-validity").follows == ("q-formula",)
    assert given.claim("coverage").property.description.endswith("Not read: bonus, kernel; what follows from Q and the "
        "transcript is taken instead.")  # fmt: skip


@pytest.mark.full
def test_an_agent_in_single_precision_is_asked_to_say_so() -> None:
    single = changed(
        "self.Q = np.full((self.H, self.S, self.A), float(self.H))",
        "self.Q = np.full((self.H, self.S, self.A), np.float32(self.H))",
    )
    for precision in ("double", "single"):
        mine = verifier.hold(single, to="ucbvi-ch", read={"Q": "Q"}, knob="c", precision=precision)
        entry = verdict(mine, ("random",), ("scaled(0.01)",))
        if precision == "double":
            assert "of type float32; expected float64" in entry.errors[0].message
        else:
            assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"
    with pytest.raises(UsageError, match="precision='half'; expected one of double, single"):
        verifier.hold(single, to="ucbvi-ch", read={"Q": "Q"}, precision="half")


def test_each_field_that_is_read_brings_claims_back() -> None:
    mine = changed("", "")
    alone = left_out(verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}), "ucbvi-ch")
    more = left_out(verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q", "visits": "N"}), "ucbvi-ch")
    assert alone["read visits"] == ["visits", "visit-sum"]
    assert "read visits" not in more
    kept = verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q", "visits": "N"})
    assert not kept.faults, "what a proof uses is what is claimed"
    assert all(clause.unchecked or any(claim.clause == clause.key for claim in kept.claims) for clause in kept.clauses)


@pytest.mark.parametrize(("S", "A", "H"), [(2, 1, 2), (1, 2, 2), (1, 1, 1), (2, 2, 4), (3, 2, 2)])
def test_tables_are_read_whatever_sizes_agree(S: int, A: int, H: int) -> None:
    """Axes are known by name: with H = S A, or S = H, numbers do not tell which is which."""
    mine = held(changed("", ""), read={"bonus": "bonus", "visits": "N", "kernel": "P"})
    agent = SimpleNamespace(bonus=np.arange(H * S * A).reshape(H, S, A), N=np.ones((S, A)), P=np.ones((S, A, S)))
    layouts = layouts_of(Sizes(S, A, H))
    assert mine.array(agent, "bonus", layouts["bonus"]).tolist() == np.arange(H * S * A).reshape(H, S * A).tolist()
    assert mine.array(agent, "visits", layouts["visits"]).shape == (S * A,)
    assert mine.array(agent, "kernel", layouts["kernel"]).shape == (S * A, S)
    agent.bonus = np.vstack([agent.bonus, np.zeros((1, S, A))])
    assert mine.array(agent, "bonus", layouts["bonus"]).shape == (H, S * A)
    agent.N = np.ones((S + 1, A))  # a state too many is no step after the last
    with pytest.raises(ContractError, match=re.escape(f"of shape ({S + 1}, {A}); expected ({S}, {A})")):
        mine.array(agent, "visits", layouts["visits"])


def test_counts_that_are_read_are_compared() -> None:
    given = verifier.hold(
        changed("self.N[state, action] += 1", "self.N[state, action] += 2"), to="ucbvi-ch", read={"Q": "Q", "visits": "N"}
    )
    entry = verdict(given, ("random",))
    assert "visits" in entry.first_broken
