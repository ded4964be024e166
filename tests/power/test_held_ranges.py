"""Ranges of values that are made of the table of an agent: its own, where the algorithm cuts none."""

from __future__ import annotations

import pytest

import verifier
from verifier.model.result import TrialSpec
from verifier.trials.trial import run
from verifier_settings.episodic import EPISODIC

from .held_agents import changed

CUT = "np.minimum(np.minimum(self.Q[h], self.H), self.r + P @ V + bonus)"


@pytest.mark.parametrize(
    ("old", "new", "is_broken"),
    [
        ("", "", False),
        (CUT, "np.minimum(self.Q[h], self.r + P @ V + bonus)", False),
        (CUT, "self.r + P @ V + bonus", True),
        (CUT, "np.minimum(self.H, self.r + P @ V - bonus)", True),
    ],
)
def test_values_are_in_their_range_where_the_largest_entries_are(old: str, new: str, is_broken: bool) -> None:
    """Above H where nothing cuts them, and below 0 with a bonus that is subtracted."""
    given = verifier.hold(changed(old, new), to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    found = run(TrialSpec(given.name, "random", "scaled(0.1)", 0, 0), given, EPISODIC).measurements["value-range"]
    assert bool(found.violations) is is_broken
    assert given.claim("value-range").follows == ("q-formula",), "a table that is not what it should be comes first"


@pytest.mark.parametrize(
    ("to", "kept"),
    [
        ("ucbvi-bf", {"value-range"}),
        ("rf-ucrl", {"value-range"}),
        ("lsvi-ucb", {"value-cap"}),
        ("ucb-hoeffding", set[str]()),
    ],
)
def test_q_learning_cuts_its_values_and_shows_them_nowhere(to: str, kept: set[str]) -> None:
    given = verifier.hold(changed("", ""), to=to, read={"Q": "Q"})
    assert {claim.name for claim in given.claims} & {"value-range", "value-cap", "value-function"} == kept
