"""The claims of FMDP-BF for knapsacks, one per checkable clause of section 5 and Appendix H."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier_properties.any_setting import measurability, widths
from verifier_properties.episodes import play
from verifier_properties.knapsack import assumptions, budget, confidence, optimism, regret, replay

REPLAYED = "Algorithm 4, replayed"
LOST = "the displayed equations of Algorithm 4 are lost in the rendering at hand; these are (3) to (5) with d + 1 factors"
ASSUMED = ("laws", "unit-costs", "reward-range")
EVENT = "the harness's bonus covers |R̂ − R| + |(P̂ − P)V*| at every known pair and budget, at this plan and from this step on"


def assumption_claims() -> tuple[Claim, ...]:
    """Assumptions 1 and 2, and rewards in [0, 1]."""
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="SET")
    return (
        assume("laws", assumptions.laws, source="§5.1", statement="P(·|s,a) and C_i(·|s,a) are probabilities"),
        assume("unit-costs", assumptions.unit_costs, source="Assumption 1", statement="B_i, C_i(s,a) ∈ ℕ/m"),
        assume("reward-range", assumptions.reward_range, source="§2", statement="r ∈ [0, 1]"),
    )


def data_claims() -> tuple[Claim, ...]:
    """Counts, step by step until an episode is over, for each (s,a)."""
    same = partial(
        Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Appendix H.2", clause="COUNT", follows=(PSEUDO_CODE, "visits")
    )
    return (
        same("visits", replay.visits, statement="N_{k−1}(s,a) counts the steps taken, the one that ends an episode included",
            follows=(PSEUDO_CODE,)),
        same("known-set", replay.known, statement="(s,a) is known if N_{k−1}(s,a) > 0"),
        same("kernel", replay.kernel, statement="P̂_S(s'|s,a) = N(s,a,s')/N(s,a)"),
        same("cost-laws", replay.costs, statement="P̂_{C,i}(c|s,a) = N(s,a,c_i = c)/N(s,a), whatever is left of the budget"),
        same("reward-estimate", replay.reward, statement="R̂(s,a) = mean reward, 1 where N = 0"),
        same("reward-variance", replay.reward_variance, statement="σ̂²_R(s,a) = mean(r²) − mean(r)²"),
    )  # fmt: skip


def bonus_claims() -> tuple[Claim, ...]:
    """The bonus before the cut, split by factor and term."""
    same = partial(
        Claim,
        theorem=REPLAYED,
        kind=Kind.IDENTITY,
        source="Appendix H.2",
        clause="BONUS",
        status=Status.OURS,
        why=LOST,
        follows=(PSEUDO_CODE, "kernel", "cost-laws"),
    )
    return (
        same("width", widths.width_formula("1"), regimes=("published",), follows=(PSEUDO_CODE,),
            statement="L = log(18(d+1)TSA Π(B_i m + 1)/δ), times 1"),
        same("variance", replay.variance, statement="σ̂²_{P,i} = E_{0:i−1} Var_i E_{i+1:d} V̄_{h+1}(s', b − c)"),
        same("correction", replay.correction, statement="u_i = E_{0:i}(E_{i+1:d}(V̄ − V̲)_{h+1}(s', b − c))²"),
        same("cross-term", replay.cross, regimes=("published", "scaled"), follows=(PSEUDO_CODE, "visits", "width"),
            statement="η_i = √(16H²L/N) Σ_j[(4s_jL/N)^{1/4} + √(4s_jL/3N)] + Σ_j Hφ_iφ_j"),
        same("reward-bonus", replay.reward_bonus, statement="CB^R = √(2σ̂²_R L/N) + 8L/(3N)",
            follows=(PSEUDO_CODE, "visits", "reward-variance", "width")),
        same("transition-bonus", replay.transition_bonus, regimes=("published", "scaled"),
            follows=(PSEUDO_CODE, "variance", "correction", "cross-term"),
            statement="CB^P_i = √(4σ̂²_{P,i}L/N) + √(2u_iL/N) + η_i, at every (s, a, b)"),
    )  # fmt: skip


def plan_claims() -> tuple[Claim, ...]:
    """Value iteration over states and budgets, and greedy play."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 4", clause="PLAN", follows=(PSEUDO_CODE,))
    backup = (
        PSEUDO_CODE,
        "known-set",
        "kernel",
        "cost-laws",
        "reward-estimate",
        "reward-bonus",
        "transition-bonus",
        "width-target",
    )
    return (
        same("q-formula", replay.q_formula, follows=backup,
            statement="Q̄_h(s,a,b) = min(H, R̂ + CB_h + P̂V̄_{h+1}(·, b − c)), H where unknown"),
        same("lower-formula", replay.lower_formula, follows=backup,
            statement="V̲_h(s,b) = max(0, R̂ − CB_h + P̂V̲_{h+1})(s, π_h(s,b), b)"),
        same("value-function", replay.value_function, statement="V̄_h = max_a Q̄_h, V̄_{H+1} = 0"),
        same("width-target", replay.asked, statement="the width is asked with V̄_{h+1}", regimes=("published", "scaled")),
        same("greedy", replay.greedy, statement="π_h(s,b) = argmax_a Q̄_h(s,a,b)"),
        same("plays-policy", play.plays_policy, statement="a_h = π_h(s_h, b_h), b_h = B − what the episode has cost so far"),
        same("plans-every-episode", play.plans_every_episode, statement="one plan for each episode"),
        same("no-foresight", measurability.foresight, kind=Kind.ALWAYS,
            statement="π_k and a_h depend on what was observed before and on the agent's own numbers, and on nothing else"),
        Claim("value-range", replay.value_range, source="Algorithm 4", theorem=REPLAYED, clause="PLAN", kind=Kind.ALWAYS,
            statement="0 ≤ V̄_h(s,b) ≤ H", assumes=ASSUMED, follows=("q-formula", "value-function")),
    )  # fmt: skip


def budget_claims() -> tuple[Claim, ...]:
    """Hard budgets in every episode."""
    over = partial(Claim, theorem="§5.1: budgets", source="§5.1", clause="RB", follows=(PSEUDO_CODE,))
    exact = partial(
        Claim, theorem="§5.3, Appendix H.1: what a budget is worth", regimes=("oracle[model=exact]",), follows=("embedding",)
    )
    return (
        over("stops", budget.stops, kind=Kind.IDENTITY,
            statement="no step is asked for in an episode after some Σ_t c_{t,i} > B_i"),
        over(
            "within-budget", budget.within_budget, kind=Kind.ALWAYS,
            statement="Σ_{t<h} c_{t,i} ≤ B_i before every step h that is played",
            unbreakable="the environment ends an episode with the step after which a cumulative cost exceeds its budget, and "
            "plays no further one, whoever asks for it",
        ),
        exact(
            "embedding", budget.embedded_values, source="§5.3", clause="RE", kind=Kind.IDENTITY,
            follows=("q-formula", "value-function"),
            statement="with the true laws V_h(s,b) = V*_h(s,b) of the factored MDP in which an overspent budget is never left",
        ),
        exact("first-example", budget.first_example, source="Appendix H.1, first instance", clause="H1a", kind=Kind.IDENTITY,
            statement="with the true laws V_1(s_0, B) = 0.5 = Q_1(a_1), and Q_1(a_2) = 0.4"),
        exact("second-example", budget.second_example, source="Appendix H.1, second instance", clause="H1b", kind=Kind.IDENTITY,
            status=Status.CORRECTED,
            why="as printed the cost 1 of a_0 ends the episode, so that nothing depends on what is " "left; here it is 0.5",
            statement="with the true laws V_1(s_0, B) = 0.75, and the best policy that does not see the budget has 0.5"),
    )  # fmt: skip


def optimism_claims() -> tuple[Claim, ...]:
    """Optimism and pessimism over (s, b, h)."""
    given = partial(
        Claim, theorem="Theorem 4: optimism", source="Appendix H.2, as Lemmas F.9 to F.12", clause="RO", kind=Kind.GIVEN,
        given=EVENT, assumes=ASSUMED,
    )  # fmt: skip
    likely = partial(
        Claim, source="Appendix H.2, as Lemma D.2", theorem="Theorem 4: optimism", clause="RO", kind=Kind.PROBABILITY,
        failure_probability=1.0, regimes=("published",), assumes=ASSUMED, status=Status.OURS,
        why="the events behind the bonuses; for independent samples of a pair, with a union over pairs, values and visits",
    )  # fmt: skip
    estimates = ("visits", "kernel", "cost-laws", "reward-estimate", "no-foresight")
    return (
        likely("law-confidence", confidence.laws, follows=("visits", "kernel", "cost-laws", "no-foresight"),
            statement="|P̂ − P| ≤ √(2P(1 − P)l/N) + l/(3N) for every next state and cost, l = log(2(S + Σn_i + 1)SAT/δ)"),
        likely("reward-confidence", confidence.rewards, follows=("visits", "reward-estimate", "no-foresight"),
            statement="|R̂ − R| ≤ √(l/(2N)), with the same l"),
        Claim("coverage", optimism.coverage, source="Appendix H.2, as Lemma F.9", theorem="Theorem 4: optimism", clause="RO",
            kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",), assumes=ASSUMED, status=Status.CORRECTED,
            why="the printed logarithm has no δ in it", follows=(*estimates, "reward-bonus", "transition-bonus"),
            statement="|R̂ − R| + |(P̂ − P)V*_{h+1}(·, b − c)| ≤ CB_h(s,a,b) for all k, h, b and known (s,a)"),
        given("bonus-validity", optimism.validity, follows=("reward-bonus", "transition-bonus"),
            statement="|R̂ − R| + |(P̂ − P)V*_{h+1}(·, b − c)| ≤ CB_h(s,a,b) at known (s,a)"),
        given("optimism", optimism.optimism, statement="V̄_h(s,b) ≥ V*_h(s,b) for all s, b",
            follows=("bonus-validity", "q-formula", "value-function")),
        given("pessimism", optimism.pessimism, statement="V̲_h(s,b) ≤ V*_h(s,b) for all s, b",
            follows=("bonus-validity", "lower-formula")),
    )  # fmt: skip


def regret_claims() -> tuple[Claim, ...]:
    """The steps of the proof of the regret bound that have no constants in them."""
    step = partial(Claim, theorem="Theorem 4: regret", clause="REC", assumes=ASSUMED, status=Status.OURS)
    return (
        step("regret-recursion", regret.recursion, source="Theorem 4, as Appendix E.3", kind=Kind.ALWAYS,
            follows=("q-formula", "value-function", "greedy", "plays-policy"),
            statement="(V̄ − V^π)_h(s_h,b_h) − E(V̄ − V^π)_{h+1}(s', b − c) ≤ R̂ + CB + P̂V̄_{h+1} − R − PV̄_{h+1}",
            why="an inequality, because values are cut; H − R − PV̄ where a pair is unknown"),
        step(
            "pathwise-regret", regret.pathwise, source="Theorem 4, as Appendix E.3", kind=Kind.GIVEN, given=EVENT,
            follows=("optimism", "regret-recursion"),
            statement="Σ_{j≤k} (V* − V^{π_j})_1(s_1,B) ≤ Σ_{j≤k,h} (ξ_{j,h} + R̂ + CB + P̂V̄ − R − PV̄) for all k, ξ martingale "
            "differences of V̄ − V^π",
            why="the sum before its terms are bounded",
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *data_claims(),
    *bonus_claims(),
    *plan_claims(),
    *budget_claims(),
    *optimism_claims(),
    *regret_claims(),
)

CLAUSES = (
    Clause("SET", "§5.1, Assumptions 1, 2", "episodic MDP with d costs in multiples of one unit and known supports"),
    Clause("COUNT", "Appendix H.2", "transitions, costs and rewards are estimated for each (s,a)"),
    Clause("BONUS", "Appendix H.2", "the bonuses of rewards, next states and costs"),
    Clause("PLAN", "Algorithm 4", "optimistic and pessimistic value iteration over (s,b), greedy play"),
    Clause("RB", "§5.1", "an episode ends when a cumulative cost exceeds its budget"),
    Clause("RE", "§5.3", "the problem is a factored MDP"),
    Clause("H1a", "Appendix H.1", "the first example"),
    Clause("H1b", "Appendix H.1", "the second example"),
    Clause("RO", "Appendix H.2", "optimism and pessimism at all states and budgets"),
    Clause("REC", "Theorem 4", "the recursion of the regret"),
    Clause(
        "T4", "Theorem 4", "regret of order √(dHSAT(log(SAT) + d log(Bm)))",
        "a rate without an explicit constant: measured in K and in the units m of costs by `verifier scale`; for d, S, A and H "
        "there is no family of instances. Its logarithm has no δ, and costs must be independent: see the errata",
    ),
)  # fmt: skip
