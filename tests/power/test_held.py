"""Agents of somebody else, held against an algorithm that is here: bugs are found, legal variations are not called wrong."""

from __future__ import annotations

import inspect
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import verifier
from verifier.base.errors import ContractError, UsageError
from verifier.commands.agent_file import agent_in
from verifier.commands.held_claims import left_out
from verifier.model.held_guesses import held
from verifier.model.inequality import Inequality
from verifier.model.property import phase_property
from verifier.model.result import TrialSpec
from verifier.plugins.registry import Registry, registry
from verifier.record import UNCOMPARED, AlgorithmEntry
from verifier.trials.trial import run
from verifier_reference.episodes import StepByStep
from verifier_settings.episodic import EPISODIC, Phases
from verifier_settings.episodic.held import layouts_of

from .harness import checked

FILE = Path(__file__).with_name("thesis.py")
INSTANCES = ("random", "gamble", "one-step")
"""Small ones; with a hundredth of the width Q leaves its cap on each."""

BUGS = {
    "half the bonus": ("bonus = self.c", "bonus = 0.5 * self.c"),
    "N + 1 for N": ("np.sqrt(np.maximum(self.N, 1))", "np.sqrt(self.N + 1)"),
    "K for T": ("self.K * self.H / delta", "self.K / delta"),
    "5 forgotten": ("np.log(5 * self.S", "np.log(self.S"),
    "H forgotten": ("self.c * self.H * self.L", "self.c * self.L"),
    "not monotone": ("np.minimum(np.minimum(self.Q[h], self.H), self.r", "np.minimum(self.H, self.r"),
    "unseen is 0": ("np.where(self.N > 0, Q, self.H)", "np.where(self.N > 0, Q, 0.0)"),
    "state for successor": ("self.Nsas[state, action, next_state]", "self.Nsas[state, action, state]"),
    "V of the last step": ("            V = self.Q[h].max(axis=1)\n", ""),
    "table of the first step": ("int(self.Q[h, state]", "int(self.Q[0, state]"),
    "counted twice": ("self.N[state, action] += 1", "self.N[state, action] += 2"),
    "reward forgotten": ("self.r + P @ V", "P @ V"),
    "divided by N + 1": ("self.Nsas / np.maximum(self.N, 1)", "self.Nsas / (self.N + 1)"),
}
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
LEGAL = {
    "as it is": ("", ""),
    "the cut at H left to the plan before": (
        "np.minimum(np.minimum(self.Q[h], self.H), self.r + P @ V + bonus)",
        "np.minimum(self.Q[h], self.r + P @ V + bonus)",
    ),
    "the last of equal actions": (
        "int(self.Q[h, state].argmax())",
        "int(self.A - 1 - self.Q[h, state][::-1].argmax())",
    ),
    "a drawn one of equal actions": (
        "int(self.Q[h, state].argmax())",
        "int(self.rng.choice(np.flatnonzero(self.Q[h, state] == self.Q[h, state].max())))",
    ),
    "planned when it acts first": (
        "    def choose_action(self, h, state):\n",
        "    def choose_action(self, h, state):\n        if h == 0: self.plan()\n",
    ),
}


def changed(old: str, new: str) -> type[Any]:
    """The class of the thesis with some text replaced."""
    text = FILE.read_text()
    assert old in text
    text = text.replace(old, new, 1)
    if "if h == 0: self.plan()" in new:  # where planning twice would make no difference, it is not called before an episode, too
        text = text.replace("def plan(self)", "def value_iteration(self)").replace("self.plan()", "self.value_iteration()")
    space: dict[str, Any] = {"__name__": "thesis"}
    exec(compile(text, str(FILE), "exec"), space)
    found: type[Any] = space["MyUCBVI"]
    return found


def verdict(given: verifier.Guarantees, instances: tuple[str, ...] = INSTANCES, regimes: tuple[str, ...] = ()) -> AlgorithmEntry:
    """What a check says of them, in this process."""
    return checked(Registry({given.name: given}, registry().settings), given.name, instances, regimes, 0, 2)


def from_q(mine: type[Any]) -> AlgorithmEntry:
    """Check of a class of which Q alone is read, in this process."""
    return verdict(verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}, knob="c"))


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


def test_an_agent_is_run_at_the_smaller_width_that_its_algorithm_needs() -> None:
    """At a hundredth the bonus of UCB-Bernstein is always the second of its two bounds."""
    mine = verifier.hold(changed("", ""), to="ucb-bernstein", read={"Q": "Q"}, knob="c")
    assert mine.algorithm.regimes == ("published", "scaled(0.1)", "scaled(0.01)", "scaled(1e-06)")


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
    assert "has to be a factor of the bonus" in claim.why


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


class Sizes(NamedTuple):
    """Sizes of a problem."""

    S: int
    A: int
    H: int


def test_counts_that_are_read_are_compared() -> None:
    given = verifier.hold(
        changed("self.N[state, action] += 1", "self.N[state, action] += 2"), to="ucbvi-ch", read={"Q": "Q", "visits": "N"}
    )
    entry = verdict(given, ("random",))
    assert "visits" in entry.first_broken


class ByTemplate:
    """Names that nobody guesses."""

    def __init__(self, size: tuple[int, int], stop: int) -> None:
        self.table = np.full((stop + 1, *size), float(stop))

    def go(self, where: int, when: int) -> int:
        """The first of the best."""
        return int(self.table[when, where].argmax())


def test_calls_may_be_written() -> None:
    with pytest.raises(UsageError, match="'size' of ByTemplate"):
        verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"})
    with pytest.raises(UsageError, match=r"no method that could choose an action .* or drive an environment"):
        verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"}, new="ByTemplate((S, A), H)")
    calls = {"new": "ByTemplate((S, A), H)", "act": "go(s, h)"}
    with pytest.raises(UsageError, match=r"ByTemplate has no method that learns .*; say which one does: --update"):
        verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"}, **calls)
    given = verifier.hold(ByTemplate, to="ucbvi-ch", read={"Q": "table"}, **calls, update="none")
    entry = verdict(given, ("random",))
    assert not entry.errors, entry.errors
    assert entry.name == "by-template"


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


class Linear:
    """LSVI-UCB with a feature for each pair, and 1 for the constant of its width that the paper leaves open."""

    def __init__(self, S: int, A: int, H: int, T: int, delta: float) -> None:
        self.beta, self.H = S * A * H * np.sqrt(np.log(2 * S * A * T / delta)), H
        self.earned, self.seen, self.Q = np.zeros((H, S, A)), np.zeros((H, S, A, S)), np.zeros((H, S, A))

    def plan(self) -> None:
        """Least squares, from the last step to the first."""
        V = np.zeros(self.seen.shape[1])
        for h in reversed(range(self.H)):
            N = self.seen[h].sum(axis=2)
            self.Q[h] = np.minimum((self.earned[h] + self.seen[h] @ V) / (N + 1) + self.beta / np.sqrt(N + 1), self.H)
            V = self.Q[h].max(axis=1)

    def act(self, h: int, s: int) -> int:
        """The best action."""
        return int(self.Q[h, s].argmax())

    def update(self, h: int, s: int, a: int, r: float, s2: int) -> None:
        """Add what was seen."""
        self.earned[h, s, a] += r
        self.seen[h, s, a, s2] += 1


class Told(Linear):
    """An agent that wants to be told the rewards."""

    def __init__(self, S: int, A: int, H: int, T: int, delta: float, reward: Any) -> None:
        super().__init__(S, A, H, T, delta)


def test_an_agent_is_not_made_with_rewards_that_its_algorithm_has_to_learn() -> None:
    entry = verdict(verifier.hold(Told, to="lsvi-ucb", knob="beta"), ("random",), ("published",))
    assert "is made with `reward`, which its algorithm has to learn" in str(entry.errors)


@pytest.mark.parametrize(
    ("knob", "told"),
    [
        ("beta = width /", "the knob 'beta = width /' is no formula; expected ATTRIBUTE, or ATTRIBUTE=FORMULA of width, S, A"),
        ("beta = width * L", "the knob 'beta = width * L' names L; expected ATTRIBUTE, or"),
    ],
)
def test_a_formula_of_a_knob_that_is_none_is_told(knob: str, told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        verifier.hold(Linear, to="lsvi-ucb", knob=knob)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"to": "ucbvi"}, "no algorithm 'ucbvi' to hold it against. Did you mean"),
        ({"to": "cvar-lsvi"}, "for which agents cannot be held yet"),
        ({"read": {"visits": "N"}}, "visits cannot be compared without the table of action values"),
        ({"to": "ucrl2"}, "tables cannot be held against ucrl2 yet"),
        ({"read": {"Q": "Q", "visit": "N"}}, "no field 'visit' that could be read. Did you mean 'visits'"),
        ({"act": "choose_action(h, s"}, "is no call"),
        ({"act": "choose_action(h, state)"}, "names 'state'; known are s, h"),
    ],
)
def test_what_cannot_be_held_is_told(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=re.escape(told)):
        verifier.hold(changed("", ""), **{"to": "ucbvi-ch", "read": {"Q": "Q"}, **changes})


@pytest.mark.parametrize(
    ("read", "knob", "told"),
    [
        ({"Q": "QQ"}, "", "Q is read from the attribute 'QQ', which the agent does not have. Did you mean 'Q'"),
        ({"Q": "N"}, "", "Q is read from 'N', of shape (6, 3); expected (5, 6, 3)"),
        ({"Q": "Q"}, "cc", "the knob 'cc' is no attribute of the agent. Did you mean 'c'"),
    ],
)
def test_what_is_not_there_is_told(read: dict[str, str], knob: str, told: str) -> None:
    given = verifier.hold(changed("", ""), to="ucbvi-ch", read=read, knob=knob)
    entry = verifier.check(given, instances=["random"], regimes=["published"], budget=2.0, jobs=1, keep=False).record.algorithms[
        0
    ]
    messages = {re.sub(r"\d+", "n", error.message) for error in entry.errors}
    assert any(re.sub(r"\d+", "n", told) in message for message in messages), messages


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


class Foreign:
    """An algorithm that is here, as somebody's class: made of sizes, asked for actions, told of steps."""

    def __init__(self, original: type[Any], public: Any) -> None:
        self.c, self.steps = 1.0, []
        self.inner = original(public, lambda h, target=None, of="": self.c * original.published_width(public, of))

    def plan(self) -> None:
        """Plan, or take the tables as they are."""
        self.current = self.inner.plan()
        self.Q, self.V = self.current.Q, self.current.V

    def act(self, h: int, s: int) -> int:
        """Do what the plan says."""
        return int(self.current.policy[h, s])

    def update(self, h: int, s: int, a: int, r: float, s2: int, done: bool) -> None:
        """Learn step by step, or from whole episodes."""
        if isinstance(self.inner, StepByStep):
            self.inner.learn(h, s, a, r, s2)
            return
        self.steps.append((s, a, s2))
        if done:
            states, actions, following = map(np.array, zip(*self.steps, strict=True))
            self.inner.learn(np.append(states, following[-1]), actions)
            self.steps = []


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


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        (
            "None",
            "returned None; expected an action, a whole number from 0 to 1; is a `return` missing? "
            "(thesis.py:29, in choose_action)",
        ),
        ("99", "returned 99; expected an action, a whole number from 0 to 1 (thesis.py:29, in choose_action)"),
        (
            "self.Q[h + 9, state].argmax()",
            "IndexError: index 9 is out of bounds for axis 0 with size 4 (thesis.py:31, in choose_action)",
        ),
    ],
)
def test_what_an_agent_does_wrong_is_told_with_its_line(chosen: str, told: str) -> None:
    mine = changed("int(self.Q[h, state].argmax())", chosen)
    entry = verdict(verifier.hold(mine, to="ucbvi-ch", read={"Q": "Q"}), ("random",))
    said = {error.message.removeprefix(f"{error.where}: ").removeprefix("choose_action(h=h, state=s) ") for error in entry.errors}
    assert said == {told}


def test_a_target_is_a_file_and_a_class(tmp_path: Path) -> None:
    for target, told in (
        ("MyUCBVI", "names no agent"),
        ("none.py:A", "no file none.py"),
        (f"{FILE}:MyUCBV", "Did you mean 'MyUCBVI'"),
    ):
        with pytest.raises(UsageError, match=re.escape(told)):
            agent_in(target)
    broken = tmp_path / "broken.py"
    broken.write_text("import nowhere_at_all\n")
    with pytest.raises(UsageError, match="cannot be imported: ModuleNotFoundError"):
        agent_in(f"{broken}:A")
    broken.write_text("raise SystemExit(2)\n")
    with pytest.raises(UsageError, match="cannot be imported: SystemExit: 2"):
        agent_in(f"{broken}:A")
    taken = tmp_path / "json.py"
    taken.write_text("class A: pass\n")
    with pytest.raises(UsageError, match="has the name of the module 'json', which is in use"):
        agent_in(f"{taken}:A")
