"""Claims of policies that play the arm of largest index."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind
from verifier.base.arrays import Array
from verifier_properties.any_setting import measurability, widths
from verifier_properties.episodes import play
from verifier_properties.episodic import arms, assumptions, tabular_model
from verifier_properties.episodic.tabular_model import Bonus
from verifier_settings.episodic import Run

REPLAYED = "The algorithm, replayed"
NEAR = "|x̄ − μ| is within the harness's own bonus at every arm, at this plan"


def play_claims(source: str) -> tuple[Claim, ...]:
    """One plan a round, and its arm is played."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause="PLAY", follows=(PSEUDO_CODE,))
    return (
        same("plays-policy", play.plays_policy, statement="the arm of the plan is played"),
        same("plans-every-episode", play.plans_every_episode, statement="one plan for each round"),
        same("no-foresight", measurability.foresight, kind=Kind.ALWAYS,
            statement="the arm depends on what was observed before and on the agent's own numbers, and on nothing else"),
    )  # fmt: skip


def count_claims(source: str, of: str) -> tuple[Claim, ...]:
    """Plays, means and the width that was asked for; `of` says what it is a multiple of."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause="INDEX", follows=(PSEUDO_CODE,))
    return (
        same("visits", tabular_model.visits, statement="N counts the plays of each arm"),
        same("reward", tabular_model.rewards, statement="x̄ is the mean of what the arm paid, where N > 0",
            follows=(PSEUDO_CODE, "visits")),
        same("width", widths.width_formula("1"), statement=of, regimes=("published",)),
    )  # fmt: skip


def largest_claims(source: str) -> tuple[Claim, ...]:
    """The arm of largest index is the plan's, and is played."""
    return (
        Claim("largest-index", arms.largest_index, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause="PLAY",
            follows=(PSEUDO_CODE, "visits"),
            statement="an arm that was never played, if there is one; else the arm of largest index"),
        *play_claims(source),
    )  # fmt: skip


def assumption_claims(source: str) -> tuple[Claim, ...]:
    """Rewards in [0, 1]."""
    return (
        Claim("reward-range", assumptions.reward_range, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="BANDIT",
            source=source, statement="rewards are in [0, 1]"),
    )  # fmt: skip


def index_claims(bonus: Bonus, source: str, statement: str, note: str = "") -> tuple[Claim, ...]:
    """Means, bonuses, indices and play, recomputed from the transcript.

    Parameters
    ----------
    bonus : Bonus
        The harness's own.
    source, statement : str
        Where it stands, and what it is.
    note : str
        For readers of a failure: which other bonus has the guarantee, too.
    """
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, follows=(PSEUDO_CODE,))
    return (
        *count_claims(source, "the bonus as printed, times 1"),
        same("bonus-formula", arms.bonus_formula(bonus), clause="INDEX", statement=statement, why=note,
            follows=(PSEUDO_CODE, "visits")),
        same("index-formula", arms.index_formula(bonus), clause="INDEX", statement="the index is x̄ + b, where N > 0",
            why=note, follows=(PSEUDO_CODE, "reward", "bonus-formula")),
        *largest_claims(source),
    )  # fmt: skip


def optimism_claims(bonus: Bonus, theorem: str) -> tuple[Claim, ...]:
    """Statements that hold while the bonus covers the errors of all arms."""
    given = partial(
        Claim, theorem=f"{theorem}, proof", source=f"{theorem}, proof", kind=Kind.GIVEN, clause="NEAR", given=NEAR,
        assumes=("reward-range",),
    )  # fmt: skip
    return (
        given("bonus-validity", arms.validity(bonus), statement="|x̄ − μ| ≤ b, where N > 0", follows=("reward", "bonus-formula")),
        given("optimism", arms.optimism(bonus), statement="the index is at least μ, where N > 0",
            follows=("bonus-validity", "index-formula")),
        given("gap-of-played", arms.gap_of_played(bonus), statement="μ* − μ_I ≤ 2b_I of the arm I played, once all were played",
            follows=("optimism", "largest-index")),
    )  # fmt: skip


RANKED = ("the arm a that loses most", *(f"the arm a that loses {which} most" for which in ("second", "third", "fourth")))
"""Arms that lose, by what they lose. Those after the fourth are in the sum over all of them alone."""


def plays_of_arm_claims(
    mean: Callable[..., Claim],
    bound: Callable[[Array, float], Array],
    of: Callable[[Run], Array] = arms.gaps,
    *,
    statement: str,
    source: str,
    follows: tuple[str, ...],
    why: str = "",
) -> tuple[Claim, ...]:
    """A claim for each arm that loses, on how often it is played; the sum over all of them is another claim.

    Parameters
    ----------
    mean : callable
        Makes a claim in expectation.
    bound, of : callable
        As in `verifier_properties.episodic.arms.plays_of_arm`.
    statement : str
        About the arm a.
    source, follows, why : str or tuple of str
        As in `Claim`.
    """  # fmt: skip
    return tuple(
        mean(f"plays-of-arm-{rank}", arms.plays_of_arm(rank, bound, of), source=source, clause="PLAYS", why=why,
            statement=f"{statement}, of {which}", follows=follows)
        for rank, which in enumerate(RANKED, 1)
    )  # fmt: skip


def index_clauses(source: str) -> tuple[Clause, ...]:
    """Clauses of a policy that plays the arm of largest index."""
    return (
        Clause("BANDIT", source, "arms with rewards in [0, 1], drawn independently"),
        Clause("INDEX", source, "the index of each arm"),
        Clause("PLAY", source, "each arm once, then the arm of largest index"),
    )
