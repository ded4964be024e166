"""The claims of LSVI-UCB (Jin et al. 2020), and of the documentation of the agent, for `LSVIUCBAgent`."""

from __future__ import annotations

from functools import partial

from verifier import Claim, Clause, Kind, Status
from verifier.settings.episodic import Public
from verifier_properties import adapted_values, episodic_assumptions, episodic_planning, regret, replay

AGENT = "The agent, replayed"
THEOREM = "Theorem 3.1 and the lemmas behind it"
ASSUMED = ("reward-range", "linear-kernel", "feature-norms")
GAMMA, RIDGE = 0.99, 0.1


def largest_value(public: Public) -> float:
    """v_max: (1 - gamma^H) / (1 - gamma) times the width of the declared range."""
    return (public.high - public.low) * (1 - GAMMA**public.H) / (1 - GAMMA)


SHIPPED = adapted_values.Pooled(ridge=RIDGE, gamma=GAMMA, scale=1.0, per_square=largest_value)

same = partial(Claim, theorem=AGENT, kind=Kind.IDENTITY, status=Status.OURS, source="documentation")
theorem = partial(Claim, theorem=THEOREM, assumes=ASSUMED)
likely = partial(theorem, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",))
assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="Assumption A")

CLAIMS = (
    assume("reward-range", episodic_assumptions.reward_range, statement="0 ≤ r(s,a) ≤ 1"),
    assume("linear-kernel", episodic_assumptions.linear_kernel, statement="P(·|s,a) = ⟨φ(s,a), μ(·)⟩"),
    assume("feature-norms", episodic_assumptions.feature_norms, statement="‖φ‖ ≤ 1"),
    same("gram", SHIPPED.gram(), clause="REG", statement="Λ = 0.1·I + Σ φφᵀ over all steps of all episodes before"),
    same(
        "regression",
        SHIPPED.regression(),
        clause="REG",
        statement="w_h = Λ⁻¹ Σ φ [r + 0.99 V_{h+1}(s′)] over all steps of all episodes before",
    ),
    same("q-formula", SHIPPED.q_formula(), clause="Q", statement="Q_h = ⟨w_h, φ⟩ + ‖φ‖_{Λ⁻¹} + v_max ‖φ‖²_{Λ⁻¹}"),
    same("greedy", episodic_planning.greedy, clause="PLAY", statement="the policy is argmax_a Q_h(s,a)"),
    same("plans-every-episode", episodic_planning.plans_every_episode, clause="PLAY", statement="one plan for each episode"),
    theorem(
        "plays-policy",
        replay.plays_policy,
        source="Lines 8 to 10",
        clause="PLAY",
        statement="a_h^k = argmax_a Q_h^k(s_h^k, a), Q of the start of the episode",
        kind=Kind.IDENTITY,
        why=(
            "`run_episode` updates the inverse of Λ at every step and acts on it at once: within an episode bonuses "
            "shrink while the weights stay, so what is played is no plan's policy"
        ),
    ),
    theorem(
        "value-function",
        episodic_planning.value_function(largest_value),
        source="Line 3",
        clause="Q",
        statement="V_h = min(max_a Q_h, v_max), V_{H+1} = 0",
        kind=Kind.IDENTITY,
        why=(
            "`run_lsvi` sets the weights after the last step to 0 but adds the bonus to them all the same, so the "
            "value there is max_a min(bonus, v_max)"
        ),
    ),
    theorem(
        "q-cap",
        adapted_values.cut_at_horizon,
        source="Line 6",
        clause="Q",
        statement="Q_h(s,a) ≤ H",
        kind=Kind.ALWAYS,
        why="the minimum with H is commented out in `_compute_q_vec`, on whose argmax the agent acts",
    ),
    Claim(
        "values-fit",
        adapted_values.fits(largest_value),
        source="documentation",
        theorem=AGENT,
        clause="RANGE",
        statement="V*_h(s) ≤ v_max, at which values are cut",
        kind=Kind.ALWAYS,
        status=Status.OURS,
        why=(
            "gamma = 0.99 although the horizon is finite, so v_max = (1 − 0.99^H)/(1 − 0.99) is below H; and any range "
            "of rewards is accepted"
        ),
    ),
    likely(
        "optimism",
        adapted_values.optimism,
        source="Lemma B.5",
        clause="OPT",
        statement="Q_h^k(s,a) ≥ Q*_h(s,a) for all k, h, s, a, once there is data",
    ),
    likely(
        "regret",
        regret.regret_bound(adapted_values.linear_regret),
        source="Theorem 3.1",
        clause="REGRET",
        statement="R_K ≤ √(d³H⁴K) log(2dT/p)",
        status=Status.CORRECTED,
        why="printed with an unnamed constant, which is taken to be 1: too small rather than too large",
    ),
)
CLAUSES = (
    Clause("MDP", "Assumption A", "linear MDP"),
    Clause("REG", "documentation", "least squares over all steps, kernels independent of the step"),
    Clause("Q", "Algorithm 1", "optimistic action values, 0 after the last step, cut at H"),
    Clause("PLAY", "Algorithm 1", "greedy play"),
    Clause("RANGE", "documentation", "any declared range of rewards"),
    Clause("OPT", "Lemma B.5", "optimism"),
    Clause("REGRET", "Theorem 3.1", "regret"),
    Clause("WIDTH", "Theorem 3.1", "beta = c d H √ι, λ = 1", "documented not to be used: bonuses are adapted from UCBVI's"),
)
