"""Algorithms that agents can be held against: as somebody's class each conforms to itself."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

import verifier
from verifier.base.errors import UsageError
from verifier.plugins.registry import registry

from .held_agents import Foreign, changed, verdict


def test_an_agent_is_run_at_the_smaller_width_that_its_algorithm_needs() -> None:
    """At a hundredth the bonus of UCB-Bernstein is always the second of its two bounds."""
    mine = verifier.hold(changed("", ""), to="ucb-bernstein", read={"Q": "Q"}, knob="c")
    assert mine.algorithm.regimes == ("published", "scaled(0.1)", "scaled(0.01)", "scaled(1e-06)")


HELD = ("ucbvi-ch", "ucbvi-bf", "ucb-hoeffding", "ucb-bernstein", "lsvi-ucb", "rf-ucrl", "bpi-ucrl")
"""Algorithms that tables of agents can be held against; those of bandits are in `test_held_indices`."""


INDICES = ("ucb1", "moss", "kl-ucb")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", HELD)
def test_an_algorithm_that_is_here_conforms_as_somebodys_class(name: str) -> None:
    original = registry().guarantees[name].algorithm
    made = type("Foreign", (Foreign,), {})
    given = verifier.hold(made, to=name, read={"Q": "Q"}, knob="c", new=lambda public: made(original, public))
    entry = verdict(given, ("*random",))
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert not entry.errors
    assert "violated" not in told.values(), told
    assert told["q-formula"] == told["plays-policy"] == "conforms"


def test_which_algorithms_agents_can_be_held_against() -> None:
    made = changed("", "")
    for name, guarantees in registry().guarantees.items():
        if guarantees.algorithm.setting == "episodic" and name not in (*HELD, *INDICES) and not name.startswith("scool"):
            with pytest.raises(UsageError, match=f"tables cannot be held against {name} yet"):
                verifier.hold(made, to=name, read={"Q": "Q"})
            if guarantees.algorithm.draws:  # what it draws is seen
                assert verifier.hold(made, to=name).decisive == ("beta-law",)
                continue
            with pytest.raises(UsageError, match="what it plays is drawn") if name == "exp3" else nullcontext():
                assert verifier.hold(made, to=name).decisive == ("decisions",)


def test_an_agent_that_is_asked_for_actions_is_not_run_where_a_run_may_stop() -> None:
    """Such an agent cannot end the run, and would be told that it should have."""
    algorithm = verifier.hold(changed("", ""), to="rf-ucrl", read={"Q": "Q"}).algorithm
    assert registry().guarantees["rf-ucrl"].algorithm.handles - algorithm.handles == {"stopping"}
