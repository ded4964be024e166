"""Claims that algorithms here have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.horizon import Horizon
from verifier.model.property import Property
from verifier_properties.any_setting import measurability
from verifier_properties.episodes import play, regret, tabular_planning
from verifier_properties.episodic import assumptions as episodic_assumptions
from verifier_properties.episodic import tabular_model

Planned = tuple[str, Property, str]
ASSUMPTIONS = "Assumptions"
REPLAYED = "The algorithm, replayed"
TABULAR = ("transition-kernel", "reward-range")


def assumption_claims(clause: str) -> tuple[Claim, ...]:
    """A finite MDP with rewards in [0, 1]."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause=clause, source="§2")
    return (
        assume("transition-kernel", episodic_assumptions.transition_kernel, statement="P(·|s,a) is a probability"),
        assume("reward-range", episodic_assumptions.reward_range, statement="0 ≤ r(s,a) ≤ 1"),
    )


def model_claims(source: str, kernel: str, clause: str) -> tuple[Claim, ...]:
    """Counts over all steps, and the empirical kernel, which stands in `kernel`."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, clause=clause)
    return (
        same("visits", tabular_model.visits, source=source, statement="N_k(s,a) counts all steps", follows=(PSEUDO_CODE,)),
        same("kernel", tabular_model.kernel, source=kernel, statement="P̂_k(y|s,a) = N_k(s,a,y) / N_k(s,a) where N_k(s,a) > 0",
            follows=(PSEUDO_CODE, "visits")),
    )  # fmt: skip


EVERY_EPISODE = ("plans-every-episode", play.plans_every_episode, "one plan for each episode")
"""Times at which an algorithm plans: the name of the claim, its property and its statement."""


def planning_claims(source: str, clause: str, planned: Planned = EVERY_EPISODE) -> tuple[Claim, ...]:
    """Values, greedy play, and when the algorithm plans, of algorithms that plan with the values of the next step."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause=clause, follows=(PSEUDO_CODE,))
    return (
        same("value-function", tabular_planning.value_function(),
            statement="V_h = max_a Q_h, V_{H+1} = 0", follows=(PSEUDO_CODE, "q-formula")),
        same("width-target", tabular_planning.asked, statement="the width is asked with V_{h+1}"),
        *play_claims(source, clause, planned),
    )  # fmt: skip


def play_claims(source: str, clause: str, planned: Planned = EVERY_EPISODE) -> tuple[Claim, ...]:
    """Greedy play, and when the algorithm plans."""
    when, rule, statement = planned
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause=clause, follows=(PSEUDO_CODE,))
    return (
        same("greedy", tabular_planning.greedy, statement="π_h(s) = argmax_a Q_h(s,a)"),
        same("plays-policy", play.plays_policy, statement="a_h^k = π_h^k(s_h^k)"),
        same(when, rule, statement=statement),
        same("no-foresight", measurability.foresight,
            statement="π_k and a_h^k depend on what was observed before and on the agent's own numbers, and on nothing else",
            kind=Kind.ALWAYS),
    )  # fmt: skip


def regret_bound_claims(
    theorem: str,
    bound: Callable[..., float],
    statement: str,
    why: str,
    follows: tuple[str, ...],
    assumes: tuple[str, ...] = TABULAR,
    failure_probability: float = 1.0,
) -> tuple[Claim, ...]:
    """The bound of a theorem that is printed without its constants.

    Parameters
    ----------
    theorem : str
    bound : callable
        In (public, K, scale of the width).
    statement : str
        With the constants.
    why : str
        What is printed, and whose the constants are.
    follows, assumes : tuple of str
    failure_probability : float
        The multiple of delta.
    """
    return (
        Claim("regret", regret.regret_bound(bound), source=theorem, theorem=f"{theorem}: regret", clause="REGRET",
            statement=statement, kind=Kind.PROBABILITY, failure_probability=failure_probability, status=Status.OURS, why=why,
            regimes=("published",), assumes=assumes, follows=follows,
            horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K)),
    )  # fmt: skip
