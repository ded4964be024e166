"""Claims of ELA and of ELLA: data, models, bonuses, and what follows whoever plans."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier_cvar.shared import constants
from verifier_properties.cvar import low_rank_model, low_rank_optimism, model_learning, risk_planning, uniform_actions
from verifier_settings.cvar import Iterations

MODEL = ("transition-kernels", "feature-norms", "measure-norms", "realizability", "reward-laws")
EVENTS = "the model is within ζ_k of the truth (Lemma E.1) and norms are concentrated (Lemma E.2) in this iteration"
UNION = "printed with k for K, whose sum over k diverges, and without the factor 8"
zeta = constants.likelihood_error
events = model_learning.events(zeta)


def assumption_claims() -> tuple[Claim, ...]:
    """Assumptions of section 2, on every model of the class."""
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="A", source="Assumption 2.2")
    return (
        assume("transition-kernels", low_rank_model.transition_kernels, statement="⟨φ, ψ⟩ is a kernel, for every model in F"),
        assume("feature-norms", low_rank_model.feature_norms, statement="‖φ(s,a)‖ ≤ 1"),
        assume("measure-norms", low_rank_model.measure_norms, statement="‖Σ_s ψ(s)g(s)‖ ≤ √d for all g: S → [0,1]"),
        assume("realizability", low_rank_model.realizability, statement="P* is in F at every step"),
        assume("reward-laws", low_rank_model.reward_laws, statement="rewards have laws on [0, 1]"),
    )


def data_claims() -> tuple[Claim, ...]:
    """Lines 5-10 and the numbers of calls."""
    theorem = "Lines 5-10: the data"
    same = partial(Claim, theorem=theorem, kind=Kind.IDENTITY, clause="DAT", source="Lines 5-10")
    law = partial(Claim, theorem=theorem, kind=Kind.LAW, clause="DAT", source="Lines 5-10")
    count = partial(Claim, theorem="§4.1, §5.1: what is used", kind=Kind.IDENTITY, clause="CNT", source="§4.1")
    return (
        same("sizes", model_learning.sizes, statement="|D_h| = |D̃_h| = k", follows=(PSEUDO_CODE,)),
        same("data-handed", model_learning.data_handed, statement="the likelihood is that of D_h ∪ D̃_h",
            follows=(PSEUDO_CODE, "sizes")),
        same("roll-in", model_learning.roll_in,
            statement="a_t = π^{k−1}(s_t, c_t) before the uniform actions, c_{t+1} = (c_t − r_t)⁺", follows=(PSEUDO_CODE,)),
        law("uniform-actions", uniform_actions.uniform_actions, statement="the last one or two actions are uniform on A",
            wrong_law="an agent that always plays action 0", follows=(PSEUDO_CODE,)),
        law(
            "transitions",
            model_learning.transitions,
            statement="s_{h+1} has law P*_h(·|s_h,a_h)",
            unbreakable="the environment draws states from a stream of its own, in which no agent has a part",
        ),
        count("trajectories", model_learning.used("trajectories", lambda v: v.seen.trajectories, "H", "iteration"),
            statement="H trajectories per iteration", follows=(PSEUDO_CODE,)),
        count("likelihood-calls",
            model_learning.used("likelihood-calls", lambda v: v.seen.mle_calls, "1", "iteration h"),
            statement="one maximum likelihood per step and iteration", follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def learning_claims() -> tuple[Claim, ...]:
    """Lines 11-13, Lemmas E.1 and E.2."""
    claim = partial(Claim, theorem="Lines 11-13, Lemmas E.1, E.2: the model and its bonus")
    event = partial(claim, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",), assumes=MODEL)
    return (
        claim("likelihood-argmax", model_learning.likelihood_argmax, source="Line 11", clause="E1b",
            statement="the likelihood of the learned model is the largest in F", kind=Kind.ALWAYS,
            follows=(PSEUDO_CODE, "data-handed")),
        event("likelihood-event", model_learning.likelihood_error(zeta), source="Lemma E.1", clause="E1",
            statement="E_ρ f² + E_η f² ≤ ζ_k = 8 log(|F|HK/δ)/k for all k, h", status=Status.CORRECTED, why=UNION,
            follows=("likelihood-argmax", "data-handed", "uniform-actions", "roll-in", "transitions")),
        event("norm-concentration", model_learning.norm_concentration, source="Lemma E.2", clause="E2",
            statement="√(3/5) ≤ ‖v‖_{Σ̂⁻¹}/‖v‖_{Σ⁻¹} ≤ √3 for all v, all φ in F, all k, h", status=Status.OURS,
            why="the paper leaves the constants open",
            follows=("covariance", "sizes", "uniform-actions", "roll-in", "transitions")),
        claim("covariance", model_learning.covariance, source="Line 12", clause="BON",
            statement="Σ̂_h = Σ_{D_h} φ̂φ̂ᵀ + λI, with the features just learned", kind=Kind.IDENTITY,
            follows=(PSEUDO_CODE, "sizes", "likelihood-argmax")),
        claim("width", model_learning.width(constants.alpha), source="Theorem 4.1", clause="BON",
            statement="α = H√(κ(2A·8L + 4λd + 2·8L)), L = log(|F|HK/δ)", kind=Kind.IDENTITY, status=Status.OURS,
            why="printed up to a constant; this one covers what the repaired Lemma E.3 spends", regimes=("published",),
            follows=(PSEUDO_CODE,)),
        claim("bonus", model_learning.bonus_formula(lambda H: constants.cap(H, "corrected")), source="Line 13",
            clause="BON", statement="b̂_h = min(α‖φ̂‖_{Σ̂⁻¹}, 2H) for h ≤ H−2, else 0", kind=Kind.IDENTITY,
            status=Status.CORRECTED, why="printed with 2 for 2H: a bonus pays for H times an L1 distance, which is up to 2",
            follows=(PSEUDO_CODE, "covariance")),
    )  # fmt: skip


def value_claims() -> tuple[Claim, ...]:
    """CVaR and values of the policies: facts, and tests of the harness by a second route."""
    claim = partial(Claim, theorem="§2, §3, Lemmas C.3, E.5: values of policies")
    fact = partial(claim, kind=Kind.ALWAYS)
    return (
        claim("cvar-forms", risk_planning.cvar_forms, source="eq. (2)", clause="CV",
            statement="sup_c{c − E(c−R)⁺/τ} = (1/τ)∫_0^τ F⁻¹ for the return of (π^k, c^k)", kind=Kind.IDENTITY,
            unbreakable="two forms of one functional of a law, which the harness computes for any policy"),
        fact(
            "value-attained",
            risk_planning.value_attained,
            source="eq. (4)",
            clause="AU2",
            statement="c^k − V^{π^k}_1(s_1,c^k)/τ ≤ CVaR(R(π^k, c^k))",
            unbreakable="the left side is one term of the supremum that CVaR is, and the harness computes both for any policy",
        ),
        claim("simulation-lemma", low_rank_optimism.simulation_lemma, source="Lemma E.5", clause="E5",
            statement="V_{P̂,b} − V_{P*} = Σ_h E[−b_h + (P̂_h − P*_h)V_{h+1}], under either kernel", kind=Kind.IDENTITY,
            unbreakable="it telescopes for any policy, model of the class and bonuses, and the harness computes both sides"),
        fact("model-error", low_rank_optimism.model_error(sharp=False), source="Lemma C.3", clause="C3",
            statement="|V_{P*} − V_{P̂}|(s_1,c) ≤ H Σ_h E f_h, under either kernel",
            unbreakable="the simulation lemma for values without bonuses, which lie in [0, c], of any policy and model"),
        fact("model-error-sharp", low_rank_optimism.model_error(sharp=True), source="Lemma C.3", clause="C3",
            statement="|V_{P*} − V_{P̂}|(s_1,c) ≤ (c/2) Σ_h E f_h, under either kernel", status=Status.OURS,
            unbreakable="as model-error: the difference of two kernels has mean 0, so it meets a range c by c/2"),
        fact(
            "one-step-back",
            low_rank_optimism.one_step_back(learned=True),
            source="Lemma E.3",
            clause="E3",
            statement="E_{d_{h+1}}g ≤ E_{d_h}‖φ̂‖_{Σ⁻¹}√(2kA E_{η×U}g² + B²λd + kB²E_ρf²/2), under P̂ and π*",
            status=Status.CORRECTED,
            why="printed with E_{η×U}g² + B²E_ρf² for E(P̂G)², which drops the cross term",
            unbreakable="Cauchy-Schwarz with Σ as the laws of the data have it, for any policies and any models of the class",
        ),
        fact("one-step-back-true", low_rank_optimism.one_step_back(learned=False), source="Lemma E.4", clause="E4",
            statement="E_{d_{h+1}}g ≤ E_{d_h}‖φ*‖_{Σ⁻¹}√(kA E_{ρ×U}g² + B²λd), under P* and π^k",
            unbreakable="Cauchy-Schwarz with Σ as the laws of the data have it, for any policies"),
    )  # fmt: skip


def optimism_claims() -> tuple[Claim, ...]:
    """Lemma C.2."""
    claim = partial(
        Claim,
        theorem="Lemma C.2: optimism",
        kind=Kind.GIVEN,
        given=EVENTS,
        assumes=MODEL,
        regimes=("published", "oracle"),
    )

    def unpaid(view: Iterations) -> np.ndarray:
        errors = np.array([zeta(view.public, int(k)) for k in view.k])
        return np.asarray(view.public.H * np.sqrt(view.public.A * errors))

    return (
        claim("per-step-optimism", low_rank_optimism.per_step_optimism(events), source="proof of Lemma C.2", clause="OPTs",
            statement="H E_{d_{h+1}}f_{h+1} ≤ E_{d_h}b_h under P̂ and π*, h ≤ H−2", status=Status.CORRECTED,
            why="false with bonuses capped at 2 from H = 3 on", follows=("one-step-back", "covariance", "bonus", "width")),
        claim("optimism", low_rank_optimism.optimism(events, unpaid), source="Lemma C.2", clause="OPT",
            statement="V^{π*}_{P̂,b}(s_1,c*) − V^{π*}_{P*}(s_1,c*) ≤ H√(Aζ_k)", status=Status.CORRECTED,
            why="false with bonuses capped at 2", follows=("optimism-sharp", "uniform-actions")),
        claim("optimism-sharp", low_rank_optimism.optimism(events, low_rank_optimism.first_step_error), source="Lemma C.2",
            clause="OPT", statement="V^{π*}_{P̂,b}(s_1,c*) − V^{π*}_{P*}(s_1,c*) ≤ H E f_1", status=Status.OURS,
            why="only the error of the first step is left unpaid", follows=("per-step-optimism", "simulation-lemma", "bonus")),
    )  # fmt: skip


def sum_claims() -> tuple[Claim, ...]:
    """Facts that the regret bound adds up."""
    fact = partial(Claim, theorem="Appendix C: from bonuses to regret", kind=Kind.ALWAYS)
    return (
        fact("first-bracket", low_rank_optimism.first_bracket, source="appendix C", clause="TI",
            statement="V_{P*} − V_{P̂,b} ≤ Σ_h E b_h + (H + Σ_h max b_h) Σ_h E f_h, under P* and π^k", status=Status.CORRECTED,
            why="printed with 3H before Σ_h E f_h, for bonuses capped at 2", follows=("simulation-lemma", "bonus")),
        fact("trace", low_rank_optimism.trace, source="eq. (14)", clause="BT", statement="k E_{ρ×U}‖φ̂‖²_{Σ⁻¹} ≤ d",
            unbreakable="tr(Σ⁻¹(Σ − λI)) ≤ d for any weights, with Σ as the laws of the data have it"),
        Claim("expected-bonus", low_rank_optimism.expected_bonus(model_learning.concentrated), source="eq. (14)",
            theorem="Appendix C: from bonuses to regret", clause="BT",
            statement="E b_{h+1} ≤ E‖φ*_h‖_{Σ⁻¹}√(3Aα²d + 4H²λd), E b_1 ≤ α√(3Ad/k), under P* and π^k", kind=Kind.GIVEN,
            given="norms are concentrated (Lemma E.2) at the step of the bonus", status=Status.OURS,
            why="with 3 for the constant that Lemma E.2 leaves open; printed for bonuses capped at 2",
            follows=("one-step-back-true", "trace", "covariance", "bonus", "width", *MODEL)),
        fact("potential", low_rank_optimism.potential, source="eq. (16)", clause="POT",
            statement="Σ_{j≤k} E_{d^j_h}‖φ*‖_{Σ_j⁻¹} ≤ √(2dk log(1 + k/(dλ))) for every k, h",
            unbreakable="the elliptical potential lemma in expectation, for any policies: φ* and Σ_j are of the truth"),
    )  # fmt: skip


def count_claims(planner: bool) -> tuple[Claim, ...]:
    """Calls of the planner and what it simulates; none where planning is exact."""
    count = partial(Claim, theorem="§4.1, §5.1: what is used", kind=Kind.IDENTITY, clause="CNT", source="§5.1")
    calls, episodes = ("budgets", "budgets * T1 * (1 + T2)") if planner else ("0", "0")
    return (
        count("planner-calls", model_learning.used("planner-calls", lambda v: v.seen.planner_calls, calls, "iteration"),
            statement="one call of the planner per initial budget" if planner else "no call of a planner",
            follows=(PSEUDO_CODE,)),
        count("simulated-episodes",
            model_learning.used("simulated-episodes", lambda v: v.seen.simulated.sum(axis=1), episodes, "iteration"),
            statement="T1 + T1·T2 simulated episodes per call" if planner else "nothing is simulated", follows=(PSEUDO_CODE,)),
    )  # fmt: skip
