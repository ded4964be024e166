"""The claims of UCBVI (Azar et al. 2017) for `UCBVIAgent`, and formulas of its own source.

The documentation promises the algorithm with a "custom exploration bonus", and no formula. What rests on the bonus of the paper
is therefore a question to the theorem cited, not to the library; the claims say so.

What is found, each derived from its source by hand:

* `bonus-formula`: `_update` counts visits over all steps but stores the new bonus for the step of the visit only
  (``B_sa[hh, state, action]``), so at all other steps the bonus of a pair is that of fewer visits, which is
  larger; at a step at which the pair was never met it stays at v_max[h], however well its transitions are known.
* `monotone`: ``min(Q_{k-1}, ...)`` of Algorithm 2 is missing. Q rises when the average of successors does, or
  when a pair turns out better than its uniform prior.
* `bonus-validity`, `optimism`: ``1 / sqrt(n) + v_max / n`` has neither the range H nor a logarithm in its first term. Where
  one choice is worth H or 0 with equal chance (instance `gamble`, H = 60), the estimate after n visits has the standard
  deviation 30 / sqrt(n): 3 at n = 100, where the bonus is 0.7. So the value of the choice is underestimated by more than its
  bonus far more often than delta, and with it Q falls below Q*.
  The documentation calls the bonus custom and promises neither.
* `cap`, and with it `optimism`: v_max is H times the *width* of the declared range of rewards. Rewards in [0.5, 1] lie inside
  what the theorem assumes, and there V is cut at H/2, below V*.
* Where rewards are drawn, the same bonus has to cover the error of the average of the rewards, too.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.base.arrays import Array
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.statement import identity
from verifier_properties.episodes import play, regret, tabular_planning
from verifier_properties.episodes.best_values import Q_BEST
from verifier_properties.episodic import adapted_values, tabular_confidence, tabular_model
from verifier_properties.episodic import assumptions as episodic_assumptions
from verifier_settings.episodic import Phases, Public

AGENT = "The agent, replayed"
THEOREM = "Theorems 1, 2 and the lemmas behind them"
ASSUMED = ("reward-range",)


def largest_value(public: Public) -> float:
    """v_max: H times the width of the declared range of rewards, 1 where that is 0."""
    return public.H * ((public.high - public.low) or 1.0)


def _steps_left(view: Phases) -> Array:
    """(H,) v_max[h] = (H - h) times the width of the range, h from 0."""
    public = view.public
    return (public.H - np.arange(public.H)) * (largest_value(public) / public.H)


VALUES = identity(
    "V", "cut(Q_best, v_max)", on=Phases, where="with_data", name="value-function", topic="Planning", local=(
        Q_BEST, adapted_values.WITH_DATA, Quantity(lambda view: np.asarray(largest_value(view.public)), "v_max", "", "v_max[0]"),
    ), description="V of every plan, once there is data, against the maximum of its own Q.",
)  # fmt: skip
SHIPPED = tabular_model.Bonus(
    lambda N, v_max: cut(1 / np.sqrt(N) + v_max / N, v_max), local=(Quantity(_steps_left, "v_max", "h", "v_max[h]"),)
)

CUSTOM = "documented as a custom bonus, for which the paper promises nothing"
CAP = (
    "theorem broken, §2 has any rewards in [0, 1], and Algorithm 2 a cut at H: v_max is H times the width of the declared range "
    "of rewards, so that where they lie in [0.5, 1] V is cut at H/2, below V*"
)


def _assumption_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="§2")
    return (
        assume("reward-range", episodic_assumptions.reward_range, statement="0 ≤ r(s,a) ≤ 1"),
        assume("noiseless", episodic_assumptions.noiseless, statement="rewards are not random"),
    )


def _agent_claims() -> tuple[Claim, ...]:
    """Formulas of its own source, from the transcript."""
    same = partial(Claim, theorem=AGENT, kind=Kind.IDENTITY, status=Status.OURS, source="its source")
    return (
        same("visits", tabular_model.visits, clause="MODEL", statement="N_sa counts all steps", follows=(PSEUDO_CODE,)),
        same("kernel", tabular_model.kernel, clause="MODEL", statement="P_hat(y|s,a) = N(s,a,y) / N(s,a)",
            follows=(PSEUDO_CODE, "visits")),
        same("rewards", tabular_model.rewards, clause="MODEL", statement="R_hat(s,a) = r(s,a) where N > 0",
            follows=(PSEUDO_CODE, "visits")),
        same(
            "bonus-formula",
            tabular_model.bonus_formula(
                SHIPPED, "B_sa of every plan at every step, against the formula at N_sa of the transcript."
            ),
            source="`_compute_bonus`",
            clause="BONUS",
            statement="B_h(s,a) = min(1/√N(s,a) + v_max[h]/N(s,a), v_max[h]) at every step h, N of all steps as in Algorithm 2",
            why=(
                "theorem broken, the bonus of Algorithm 2 is one of N_k(s,a), the visits of now, at every step h: `_update` "
                "counts visits over all steps, but stores the new bonus for the step of the visit only "
                "(`B_sa[hh, state, action]`); at all other steps it stays that of fewer visits, which is larger, and v_max[h] "
                "where the pair was never met at that step. Its size is documented as custom, and is not in question"
            ),
            follows=(PSEUDO_CODE, "visits"),
        ),
        same("q-backup", adapted_values.backup, clause="Q", statement="Q_h = R_hat + B_h + P_hat V_{h+1}, once there is data",
            follows=(PSEUDO_CODE, "kernel", "rewards", "bonus-formula")),
        same("value-function", VALUES, clause="Q",
            statement="V_h = min(max_a Q_h, v_max[0]), once there is data", follows=(PSEUDO_CODE, "q-backup")),
        same("plays-policy", play.plays_policy, clause="PLAY", statement="a_h^k = argmax_a Q_h(s_h^k, a)",
            follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def _theorem_claims() -> tuple[Claim, ...]:
    """Promises of the paper on the algorithm."""
    theorem = partial(Claim, theorem=THEOREM, assumes=(*ASSUMED, "noiseless"))
    likely = partial(theorem, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",))
    return (
        theorem("monotone", adapted_values.monotone, source="Algorithm 2", clause="MIN",
            statement="Q_{k,h}(s,a) ≤ Q_{k−1,h}(s,a), once there is data", kind=Kind.ALWAYS,
            why="theorem broken, Algorithm 2 has Q_{k,h} = min(Q_{k−1,h}, H, ...): the minimum with Q_{k−1,h} is missing, so "
            "that Q rises when the average of the successors does",
            follows=(PSEUDO_CODE,)),
        theorem("value-range", tabular_planning.value_range, source="Algorithm 2", clause="MIN", statement="0 ≤ V_{k,h}(s) ≤ H",
            kind=Kind.ALWAYS, follows=("q-backup", "value-function")),
        theorem("cap", adapted_values.cap_allows(largest_value), source="§2, Algorithm 2", clause="RANGE",
            statement="V_{k,h}(s) ≥ V*_h(s) where V_{k,h}(s) is cut, for any rewards in [0, 1]", kind=Kind.ALWAYS, why=CAP,
            follows=("value-function",)),
        likely(
            "bonus-validity",
            tabular_confidence.bonus_validity(None, below=True),
            source="Lemma 18, proof",
            clause="OPT",
            statement="(P − P̂_k)V*_{h+1}(s,a) ≤ b_{k,h}(s,a) for all k, h, s, a with N > 0",
            why=(
                f"{CUSTOM}: `sqrt(1/n) + v_max/n` has neither the range H nor a logarithm in its first term; with one choice "
                "worth H = 60 or 0 the estimate after 100 visits has standard deviation 3, the bonus is 0.7"
            ),
            follows=(PSEUDO_CODE, "kernel"),
        ),
        likely("optimism", adapted_values.optimism, source="Lemma 18", clause="OPT",
            statement="Q_{k,h}(s,a) ≥ Q*_h(s,a) for all k, h, s, a, once there is data",
            why=f"{CUSTOM}: it is smaller than the error it has to cover, see `bonus-validity`", whys={"high-rewards": CAP},
            follows=("bonus-validity", "q-backup", "value-function", "cap", *ASSUMED)),
        likely(
            "optimism-with-noise",
            adapted_values.optimism_with_noise,
            source="Lemma 18",
            clause="NOISE",
            statement="Q_{k,h}(s,a) ≥ Q*_h(s,a) for all k, h, s, a, once there is data, where rewards are drawn and estimated",
            status=Status.OURS,
            assumes=ASSUMED,
            why=f"{CUSTOM}: the theorem takes rewards as known; the agent estimates them, with nothing more in its bonus",
            follows=("rewards", "q-backup", "value-function", *ASSUMED),
        ),
        likely("regret", regret.regret_bound(tabular_model.hoeffding_regret), source="Theorem 1", clause="REGRET",
            statement="R_K ≤ 20H^{3/2}L√(SAK) + 250H²S²AL², L = ln(5HSAT/δ)", why=CUSTOM,
            follows=("optimism", "bonus-validity", "q-backup", "value-function", "monotone", "plays-policy")),
    )  # fmt: skip


CLAIMS = (*_assumption_claims(), *_agent_claims(), *_theorem_claims())

CLAUSES = (
    Clause("MDP", "§2", "finite MDP, deterministic rewards in [0, 1]"),
    Clause("MODEL", "documentation", "the empirical model, over all steps"),
    Clause("BONUS", "its source", "the simplified Bernstein bonus"),
    Clause("Q", "documentation", "backward induction on the empirical model"),
    Clause("PLAY", "its source", "greedy play"),
    Clause("RANGE", "§2", "rewards in any part of [0, 1]; those in [0.5, 1] lie inside what the theorem assumes"),
    Clause("BEYOND", "its source", "rewards outside [0, 1]", "neither paper nor documentation promises anything"),
    Clause("NOISE", "documentation", "rewards that are drawn, and estimated by their averages"),
    Clause("MIN", "Algorithm 2", "minimum with H and with the Q of the episode before"),
    Clause("OPT", "Lemma 18", "optimism"),
    Clause("REGRET", "Theorems 1, 2", "regret"),
    Clause("EARLY", "documentation", "episodes that end early", "the environment has a fixed number of steps"),
    Clause("OTHER", "documentation", "stage_dependent, real_time_dp, reward_free, gamma < 1", "not what is shipped by default"),
)
