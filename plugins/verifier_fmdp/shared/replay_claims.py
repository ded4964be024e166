"""Claims about the assumptions, and identities: the algorithm recomputed from the transcript."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Property, Status
from verifier_properties.any_setting import measurability, widths
from verifier_properties.episodes import play, tabular_planning
from verifier_properties.factored import (
    assumptions,
    model,
    planning,
)

ASSUMED = ("product-kernel", "reward-range")
REPLAYED = "The algorithm, replayed"


def assumption_claims() -> tuple[Claim, ...]:
    """A factored MDP with rewards in [0, 1]."""
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="§2")
    return (
        assume("product-kernel", assumptions.product_kernel, statement="P(s'|x) = Π_j P_j(s'[j] | x[Z_j])"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r_i ≤ 1"),
    )


def width_claims() -> tuple[Claim, ...]:
    """Claims on the factors of the logarithms."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, clause="BONUS", source="Algorithms 2, 3")
    published = partial(same, regimes=("published",))
    return (
        published("width", widths.width_formula("1"), statement="L^P = ln(18nTSA/δ), times 1",
            follows=(PSEUDO_CODE,)),
        published("reward-width", widths.width_formula("1", widths.REWARD_WIDTH),
            statement="L^R_i = ln(18mT|X_i|/δ), times 1", follows=(PSEUDO_CODE,)),
        same("width-target", tabular_planning.asked_or_not, statement="the width of step h is asked with V_{h+1}",
            follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def play_claims(source: str) -> tuple[Claim, ...]:
    """Values, greedy play, and when the algorithm plans."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause="PLAY")
    return (
        same("value-function", tabular_planning.value_function(),
            statement="V_h = max_a Q_h, V_{H+1} = 0", follows=(PSEUDO_CODE, "q-formula")),
        same("greedy", tabular_planning.greedy, statement="π_h(s) = argmax_a Q_h(s,a)", follows=(PSEUDO_CODE,)),
        same("plays-policy", play.plays_policy, statement="a_h^k = π_h^k(s_h^k)", follows=(PSEUDO_CODE,)),
        Claim("no-foresight", measurability.foresight, source=source, theorem=REPLAYED, kind=Kind.ALWAYS, clause="PLAY",
            statement="π_k and a_h^k depend on what was observed before and on the agent's own numbers, and on nothing else",
            follows=(PSEUDO_CODE,)),
        same("plans-every-episode", play.plans_every_episode, statement="one plan for each episode", follows=(PSEUDO_CODE,)),
        Claim("value-range", tabular_planning.value_range, source=source, theorem=REPLAYED, clause="PLAY",
            statement="0 ≤ V_{k,h}(s) ≤ H", kind=Kind.ALWAYS, assumes=ASSUMED, follows=("q-formula", "value-function")),
    )  # fmt: skip


def model_claims(algorithm: str, printed: str = "") -> tuple[Claim, ...]:
    """The empirical model; `printed` says how an algorithm of the paper has the known pairs, where that is not as here."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="§2", clause="COUNT")
    return (
        same("visits", model.visits, statement="N_{k−1}(c): visits of the cell c = x[Z_j] before episode k, of all steps",
            follows=(PSEUDO_CODE,)),
        same("reward-visits", model.reward_visits, statement="the same of the scopes of the rewards", follows=(PSEUDO_CODE,)),
        same("kernel", model.kernel, statement="P̂_j(v|c) = N_{k−1}(c,v) / N_{k−1}(c) where N > 0",
            follows=(PSEUDO_CODE, "visits")),
        same("rewards", model.reward, statement="R̂_i(c): the mean of what was seen, 1 where nothing was",
            follows=(PSEUDO_CODE, "reward-visits")),
        Claim("known", model.known, source=algorithm, theorem=REPLAYED,
            statement="x is known where N_{k−1}(x[Z_j]) > 0 for every j", kind=Kind.IDENTITY,
            status=Status.CORRECTED if printed else Status.PRINTED, clause="KNOWN", why=printed, follows=(PSEUDO_CODE, "visits")),
    )  # fmt: skip


def bonus_claims(
    source: str,
    reward: Property,
    reward_formula: str,
    transition: Property,
    formula: str,
    cross: Property,
    *,
    moments: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
) -> tuple[Claim, ...]:
    """The bonus, split by factor and before any clip, and the backup.

    Parameters
    ----------
    source : str
    reward, transition, cross : Property
        Properties of CB^R_i, of CB^P_j, and of what of it comes from two factors.
    reward_formula, formula : str
        The same in words.
    moments : (tuple of str, tuple of str)
        The lines of empirical variances, and the like, that CB^R_i and CB^P_j are computed from.
    """
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source)
    of_rewards, of_transitions = moments
    return (
        same("reward-bonus", reward, clause="BONUS", statement=reward_formula,
            follows=(PSEUDO_CODE, "reward-visits", *of_rewards)),
        same("transition-bonus", transition, clause="BONUS", statement=formula,
            follows=(PSEUDO_CODE, "visits", "cross-term", *of_transitions)),
        same("cross-term", cross, clause="BONUS", statement="its part from the errors of two factors",
            follows=(PSEUDO_CODE, "visits")),
        same("q-formula", planning.q_formula, clause="Q",
            statement="Q_h = min(H, R̂ + (1/m)Σ CB^R_i + Σ CB^P_j + P̂V_{h+1}) where x is known, else H",
            follows=(PSEUDO_CODE, "known", "kernel", "rewards", "reward-bonus", "transition-bonus", "width-target")),
    )  # fmt: skip
