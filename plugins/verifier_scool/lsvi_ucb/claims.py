"""The claims of LSVI-UCB (Jin et al. 2020) for `LSVIUCBAgent`, and formulas of its own source.

The documentation promises "a version of" the algorithm, one kernel for all steps, and bonuses adapted from those of its UCBVI, in
place of the paper's. What rests on the bonus of the paper is therefore a question to the theorem cited, not to the library.

What is found, each derived from its source by hand:

* `value-function`: `run_lsvi` sets the weights after the last step to 0 but adds the bonus to them all the same, so the value
  after the last step is ``max_a min(bonus, v_max)`` instead of 0.
* `plays-policy`: `run_episode` updates the inverse of Lambda at every step, and `_optimistic_policy` uses it at once: within
  an episode bonuses shrink while the weights stay, so what is played is not the policy of any plan.
* `q-cap`: `_compute_q_vec`, on whose argmax the agent acts, has no minimum with H.
"""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier_properties.episodes import play, tabular_planning
from verifier_properties.episodic import adapted_values
from verifier_properties.episodic import assumptions as episodic_assumptions
from verifier_settings.episodic import Public

AGENT = "The agent, replayed"
THEOREM = "Theorem 3.1 and the lemmas behind it"
ASSUMED = ("reward-range", "linear-kernel", "feature-norms")
GAMMA, RIDGE = 1.0, 0.1


def largest_value(public: Public) -> float:
    """v_max at gamma = 1: H times the width of the declared range."""
    return public.H * (public.high - public.low)


SHIPPED = adapted_values.Pooled(ridge=RIDGE, gamma=GAMMA, scale=1.0, per_square=largest_value)


def _assumption_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="Assumption A")
    return (
        assume("reward-range", episodic_assumptions.reward_range, statement="0 ≤ r(s,a) ≤ 1"),
        assume("linear-kernel", episodic_assumptions.linear_kernel, statement="P(·|s,a) = ⟨φ(s,a), μ(·)⟩"),
        assume("feature-norms", episodic_assumptions.feature_norms, statement="‖φ‖ ≤ 1"),
    )


def _agent_claims() -> tuple[Claim, ...]:
    """Formulas of its own source, from the transcript."""
    same = partial(Claim, theorem=AGENT, kind=Kind.IDENTITY, status=Status.OURS, source="its source")
    return (
        same("gram", SHIPPED.gram(), clause="REG", statement="Λ = 0.1·I + Σ φφᵀ over all steps of all episodes before",
            follows=(PSEUDO_CODE,)),
        same("regression", SHIPPED.regression(), clause="REG",
            statement="w_h = Λ⁻¹ Σ φ [r + V_{h+1}(s′)] over all steps of all episodes before",
            follows=(PSEUDO_CODE, "gram", "value-function")),
        same("q-formula", SHIPPED.q_formula(), clause="Q", statement="Q_h = ⟨w_h, φ⟩ + ‖φ‖_{Λ⁻¹} + v_max ‖φ‖²_{Λ⁻¹}",
            follows=(PSEUDO_CODE, "gram", "regression")),
    )  # fmt: skip


def _theorem_claims() -> tuple[Claim, ...]:
    """Promises of the paper on the algorithm."""
    theorem = partial(Claim, theorem=THEOREM, assumes=ASSUMED)
    likely = partial(theorem, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",))
    return (
        theorem(
            "plays-policy",
            play.plays_policy,
            source="Lines 8 to 10",
            clause="PLAY",
            statement="a_h^k = argmax_a Q_h^k(s_h^k, a), Q of the start of the episode",
            kind=Kind.IDENTITY,
            why=(
                "theorem broken, Lines 8 to 10 act on the Q of the start of the episode: "
                "`run_episode` updates the inverse of Λ at every step and acts on it at once; within an episode bonuses "
                "shrink while the weights stay, so what is played is no plan's policy (compared is whether they agree: 1 or 0)"
            ),
            follows=(PSEUDO_CODE,),
        ),
        theorem(
            "value-function",
            tabular_planning.value_function(largest_value),
            source="Line 5",
            clause="Q",
            statement="V_{H+1} = 0 in the targets of the last step",
            kind=Kind.IDENTITY,
            why=(
                "theorem broken, Line 5 with V_{H+1} = 0: "
                "`run_lsvi` sets the weights after the last step to 0 but adds the bonus to them all the same, so the "
                "value there is max_a min(bonus, v_max)"
            ),
            follows=(PSEUDO_CODE,),
        ),
        theorem(
            "q-cap",
            adapted_values.cut_at_horizon,
            source="Line 6",
            clause="Q",
            statement="Q_h(s,a) ≤ H",
            kind=Kind.ALWAYS,
            why=(
                "theorem broken, Line 6 has a minimum with H: "
                "`_compute_q_vec`, on whose argmax the agent acts, has no minimum (one with v_max, which is H, is commented out)"
            ),
            follows=(PSEUDO_CODE,),
        ),
        likely("optimism", adapted_values.optimism, source="Lemma B.5", clause="OPT",
            statement="Q_h^k(s,a) ≥ Q*_h(s,a) for all k, h, s, a, once there is data",
            why="documented as adapted bonuses, for which the paper promises nothing",
            whys={"high-rewards": "v_max is H times the width of the declared range: V is cut at H/2, below V*"},
            follows=("regression", "q-formula", "value-function")),
    )  # fmt: skip


CLAIMS = (*_assumption_claims(), *_agent_claims(), *_theorem_claims())

CLAUSES = (
    Clause("MDP", "Assumption A", "linear MDP"),
    Clause("REG", "documentation", "least squares over all steps, kernels independent of the step"),
    Clause("Q", "Algorithm 1", "optimistic action values, 0 after the last step, cut at H"),
    Clause("PLAY", "Algorithm 1", "greedy play"),
    Clause("OPT", "Lemma B.5", "optimism"),
    Clause("REGRET", "Theorem 3.1", "regret",
        "its constant is not named, and the one of its proof belongs to another bonus: no number to hold a run against"),
    Clause("WIDTH", "Theorem 3.1", "beta = c d H √ι, λ = 1", "documented not to be used: bonuses are adapted from UCBVI's"),
    Clause("DISCOUNT", "documentation", "gamma < 1, the default", "another criterion than the theorem's, which has no discount"),
)  # fmt: skip
