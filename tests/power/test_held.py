"""Agents of somebody else, held against an algorithm that is here: bugs are found, legal variations are not called wrong."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import verifier
from verifier.commands.agent_file import agent_in
from verifier.model.result import TrialSpec
from verifier.record import UNCOMPARED
from verifier.trials.trial import run
from verifier_settings.episodic import EPISODIC

from .held_agents import BUGS, FILE, LEGAL, changed, from_q, verdict

TOLD = {
    "half the bonus": "1/2 times b.",
    "N + 1 for N": "N + 1 for N.",
    "K for T": "K for T in L.",
    "5 forgotten": "without the factor 5 in L.",
    "H forgotten": "without the factor H in width.",
    "not monotone": "without the cut at Q_{k−1}.",
    "unseen is 0": "0 for H where not N > 0.",
    "counted twice": "the formula with visits counted twice, transitions once.",
    "reward forgotten": "without r.",
    "divided by N + 1": "N/(N + 1) · P̂V_{h+1} for P̂V_{h+1}.",
}
"""Sentences that one instance is enough for; the width is a number to the agent, and its formula is looked into."""


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", BUGS)
def test_a_bug_is_found_from_q_alone(name: str) -> None:
    given = verifier.hold(changed(*BUGS[name]), to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    entry = verdict(given, ("random",), ("scaled(0.01)",))
    assert not entry.errors
    assert entry.first_broken == ("greedy" if name == "table of the first step" else "q-formula",)
    (broken,) = (claim for claim in entry.claims if claim.name in entry.first_broken)
    assert broken.difference.endswith(TOLD.get(name, "."))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_variation_is_not_called_wrong(name: str) -> None:
    entry = from_q(changed(*LEGAL[name]))
    assert not entry.errors
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert "violated" not in told.values()
    assert told["q-formula"] == told["greedy"] == told["plays-policy"] == "conforms"
    assert told["bonus-validity"] == told["regret-recursion"] == "conforms"


MADE = ("coverage", "bonus-validity", "regret-recursion")
"""Claims about a bonus and frequencies, which are made of Q and the transcript where they are not read."""


OTHERS = {
    "reward forgotten": {"bonus-validity"},
    "counted twice": {"bonus-validity"},
    "table of the first step": {"regret-recursion"},
    "half the bonus": set[str](),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", OTHERS)
def test_claims_about_a_bonus_are_about_the_one_that_q_implies(name: str) -> None:
    entry = verdict(
        verifier.hold(changed(*BUGS[name]), to="ucbvi-ch", read={"Q": "Q"}, knob="c"), ("random", "one-step"), ("scaled(0.01)",)
    )
    told = {claim.name: claim.verdict for claim in entry.claims}
    assert {claim for claim in MADE if told.get(claim) == "violated"} == OTHERS[name]
    assert not {*entry.first_broken} & {*MADE}, "they follow from the table"


def test_a_bonus_that_covers_nothing_is_found_from_q_alone() -> None:
    given = verifier.hold(changed("", ""), to="ucbvi-ch", read={"Q": "Q"}, knob=("c", lambda width, public: 0.0))
    result = run(TrialSpec(given.name, "random", "published", 0, 0), given, EPISODIC)
    assert result.measurements["coverage"].violations


def test_a_bonus_that_is_hidden_by_the_cap_was_not_compared() -> None:
    """On this problem Q stays at H, with half the bonus too: min(H, ...) is compared, and no bonus in it."""
    half = changed(*BUGS["half the bonus"])
    entry = verdict(verifier.hold(half, to="ucbvi-ch", read={"Q": "Q"}), ("random",))
    assert entry.unfinished.startswith(f"{UNCOMPARED} by its bonus")
    assert not verdict(verifier.hold(half, to="ucbvi-ch", read={"Q": "Q"}), ("random", "gamble")).unfinished


def test_the_line_of_their_file_is_named() -> None:
    mine = agent_in(f"{FILE}:MyUCBVI")
    wrong = type("MyUCBVI", (mine,), {"plan": lambda self: None})  # never plans
    assert from_q(wrong).first_broken == ("q-formula",)
    source, first = inspect.getsourcelines(mine)
    line = first + next(n for n, text in enumerate(source) if "self.Q[h] = " in text)
    given = verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}, knob=("c", lambda width, public: 0.0))
    entry = verdict(given, ("random",), ("scaled(0.01)",))
    (broken,) = (claim for claim in entry.claims if claim.name == "q-formula")
    assert broken.code == f"plan() in thesis.py:{line}"


@pytest.mark.full
def test_a_report_says_what_was_done_with_the_width() -> None:
    mine = changed("", "")
    bare, turned = (verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}, knob=knob) for knob in ("", "c"))
    assert bare.algorithm.title == "MyUCBVI, held against UCBVI-CH (Algorithms 1 to 3), with its own width alone"
    assert (bare.algorithm.regimes, turned.algorithm.regimes) == (
        ("published",),
        ("published", "scaled(0.1)", "scaled(0.01)", "oracle"),
    )
    assert "c is multiplied by the share" in turned.claim("q-formula").why
    assert not bare.claim("q-formula").why
    square = changed("bonus = self.c * self.H", "bonus = 7 * (self.c / 7) ** 2 * self.H")  # right, and c is no factor
    entry = verdict(verifier.hold(square, to="ucbvi-ch", read={"Q": "Q"}, knob="c"), ("random",))
    (claim,) = (claim for claim in entry.claims if claim.name == "q-formula")
    assert {found.regime for found in claim.regimes if found.verdict == "violated"} <= {"scaled(0.1)", "scaled(0.01)", "oracle"}
    assert "may be no factor of the bonus" in claim.why


def test_an_agent_may_be_made_by_a_function_of_what_is_public() -> None:
    mine = changed("", "")
    given = verifier.hold(
        mine,
        to="ucbvi-ch",
        read={"Q": lambda agent: agent.Q},
        knob=("c", lambda width, p: width / (p.H * np.log(5 * p.S * p.A * p.T / p.delta))),
        new=lambda p: mine(p.S, p.A, p.H, p.K, p.delta, p.reward.reshape(p.S, p.A), 0),
    )
    entry = verdict(given, ("random",))
    assert not entry.errors
    assert {claim.name: claim.verdict for claim in entry.claims}["q-formula"] == "conforms"


def test_an_agent_may_draw_from_a_global_generator() -> None:
    """The global generator is seeded by the trial, so that two runs agree, and is as it was found afterwards."""
    best = "np.flatnonzero(self.Q[h, state] == self.Q[h, state].max())"
    mine = changed("int(self.Q[h, state].argmax())", f"int(np.random.choice({best}))")
    given = verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}, knob="c")
    before = np.random.get_state()[1].copy()  # noqa: NPY002  # that is what the test is about
    entries = [verdict(given, ("random",), ("scaled(0.01)",)) for _ in range(2)]
    assert not entries[0].errors
    assert {claim.name: claim.verdict for claim in entries[0].claims}["plays-policy"] == "conforms"
    assert entries[0].claims == entries[1].claims
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002  # as above


@pytest.mark.parametrize(("knob", "told"), [("", "with a knob it shows more"), ("c", "other instances may show more")])
def test_what_would_show_more_is_not_what_was_given(knob: str, told: str) -> None:
    entry = verdict(verifier.hold(changed("", ""), to="ucbvi-ch", knob=knob), ("absorbing",), ("published",))
    assert entry.unfinished.endswith(told), entry.unfinished
