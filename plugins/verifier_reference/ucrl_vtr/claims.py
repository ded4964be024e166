"""The claims of UCRL-VTR on linear mixtures, one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import widths
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import mixtures
from verifier_properties.episodic import planning as episodic_planning
from verifier_reference.shared import ucrl_vtr as constants
from verifier_reference.shared.claims import ASSUMPTIONS, REPLAYED, assumption_claims, planning_claims, regret_bound_claims

MIXTURE = ("transition-kernel", "base-kernels", "linear-mixture", "coefficient-norm")
ASSUMED = (*MIXTURE, "reward-range")
EVENT = "θ is in the ellipsoid around the harness's θ̂_k at this plan"
LINEAR = "the paper proves it for confidence sets of function classes, which are wider; on linear mixtures it is ours, "


def _mixture_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="MIXTURE")
    return (
        assume("linear-mixture", mixtures.linear_mixture, source="Definition 1", statement="P = Σ_i θ_i P_i"),
        assume("base-kernels", mixtures.base_kernels, source="Definition 1", statement="every P_i(·|s,a) is a probability",
            status=Status.OURS,
            why="the paper has signed measures, and Corollary 2 bounds features by H√m, which is so for probabilities"),
        assume("coefficient-norm", mixtures.coefficient_norm, source="§C.1.2", statement="‖θ‖₂ ≤ B"),
    )  # fmt: skip


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 3", follows=(PSEUDO_CODE,))
    return (
        same("features", mixtures.features, clause="VTR", statement="X_h(s,a) = (P_1 V_{h+1}, …, P_m V_{h+1})(s,a)",
            follows=(PSEUDO_CODE, "width-target")),
        same("gram", mixtures.gram, clause="VTR", statement="M_k = λI + Σ_{j<k,h} X_h^j X_h^jᵀ",
            follows=(PSEUDO_CODE, "features")),
        same("regression", mixtures.regression, clause="VTR", statement="θ̂_k = M_k⁻¹ Σ_{j<k,h} X_h^j V_{h+1}^j(s_{h+1}^j)",
            follows=(PSEUDO_CODE, "gram")),
        same("width", widths.width_formula("1"), source="§C.1.3", clause="RADIUS",
            statement="the radius of its formula, times 1", regimes=("published",)),
        same(
            "radius-formula",
            mixtures.radius_formula,
            source="§C.1.3",
            clause="RADIUS",
            statement="√β_k = √λ B + (H/2)√(2 log(1/δ) + log(det M_k / λ^m)), the same at all steps",
            status=Status.CORRECTED,
            why="§C.2 has H − h + 1 for H at step h, with which an ellipsoid of all steps is too small; λ, B and δ are left open",
            follows=(PSEUDO_CODE, "gram"),
        ),
        same("bonus", mixtures.bonus_formula, clause="Q", statement="b_h(s,a) = √β_k ‖X_h(s,a)‖ in the norm of M_k⁻¹",
            follows=(PSEUDO_CODE, "features", "gram", "radius-formula")),
        same("q-formula", mixtures.q_formula, clause="Q", statement="Q_h = min(max(r + ⟨X_h, θ̂_k⟩ + b_h, 0), H)",
            follows=(PSEUDO_CODE, "features", "regression", "bonus")),
        *planning_claims("Algorithm 3", "PLAY"),
        same("value-range", tabular_planning.value_range, clause="Q", statement="0 ≤ V_h(s) ≤ H", kind=Kind.ALWAYS,
            follows=("q-formula", "value-function")),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="§C.1: confidence", assumes=MIXTURE)
    likely = partial(claim, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",))
    return (
        claim("estimate-decomposition", mixtures.estimate_decomposition, source="§C.1.2", clause="CONF",
            statement="θ̂_k − θ = M_k⁻¹(Σ X noise − λθ)", kind=Kind.IDENTITY, follows=("regression",)),
        claim("bias", mixtures.bias, source="Theorem 14", clause="CONF", statement="λ‖θ‖ ≤ √λ B in the norm of M_k⁻¹",
            kind=Kind.ALWAYS, follows=("gram",)),
        likely("noise-event", mixtures.noise_event, source="Theorem 14", clause="CONF",
            statement="‖Σ X [V_{h+1}(s_{h+1}) − P V_{h+1}]‖ ≤ (H/2)√(2 log(1/δ) + log(det M_k / λ^m)) in the norm of M_k⁻¹",
            follows=("gram", "value-range", "no-foresight")),
        likely(
            "confidence-event",
            mixtures.confidence,
            source="Theorem 14, §C.1.3",
            clause="CONF",
            statement="‖θ̂_k − θ‖ ≤ √β_k in the norm of M_k, for all k",
            follows=("estimate-decomposition", "noise-event", "bias", "radius-formula", "width"),
            horizon=Horizon(
                lambda public, scale, K: scale * constants.largest_radius(public, K),
                lambda public, scale, K: public.H * (K * public.H) ** 0.5,
            ),
        ),
    )  # fmt: skip


def _optimism_claims() -> tuple[Claim, ...]:
    given = partial(Claim, theorem="Lemma 4: optimism and regret of an episode", kind=Kind.GIVEN, given=EVENT, assumes=MIXTURE)
    horizon = Horizon(
        lambda public, scale, K: scale * constants.largest_radius(public, K) * (public.m / (K * public.H)) ** 0.5,
        lambda public, scale, K: float(public.H),
    )
    return (
        given("bonus-validity", mixtures.validity, source="§3.1", clause="OPT", statement="|⟨X_h, θ̂_k⟩ − P V_{h+1}| ≤ b_h",
            follows=("regression", "features", "bonus"), horizon=horizon),
        given("optimism", episodic_planning.optimism(episodic_planning.regression_event), source="§3.1", clause="OPT",
            statement="Q_h(s,a) ≥ Q*_h(s,a) for all s, a, h", status=Status.OURS,
            why="the paper has it at s_1, for one θ; the largest value at each pair by itself is at least as large",
            follows=("bonus-validity", "q-formula", "value-function"), assumes=ASSUMED, horizon=horizon),
        given("regret-recursion", mixtures.regret_recursion, source="Lemma 4", clause="REC",
            statement="δ_h ≤ P δ_{h+1} + 2 b_h at visited pairs, δ = V − V^π", status=Status.OURS,
            why="the paper has the width of the confidence set at the pair, which on an ellipsoid is 2 b_h at most",
            follows=("bonus-validity", "q-formula", "value-function", "greedy", "plays-policy"), assumes=ASSUMED),
        given("pathwise-regret", mixtures.pathwise_regret, source="Lemma 4", clause="REC",
            statement="R_k ≤ Σ_{j≤k,h} [ξ_{h+1}^j + 2 b_h^j], ξ = P δ_{h+1} − δ_{h+1}(s_{h+1}), for every prefix k",
            given=EVENT + ", and at all plans so far", status=Status.OURS, why="Lemma 4, summed over episodes",
            follows=("regret-recursion", "optimism"), assumes=ASSUMED),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    always = partial(
        Claim, theorem="Corollary 2: regret", kind=Kind.ALWAYS, clause="SUM", status=Status.OURS, assumes=("base-kernels",)
    )
    frozen = "Lemma 8 is about the eluder dimension; this is the elliptical potential, for a matrix kept during an episode"
    return (
        always("potential", mixtures.frozen_potential, source="Lemma 8",
            statement="Σ_k log(1 + a_k) ≤ log(det M_{K+1} / λ^m), a_k = Σ_h ‖X_h^k‖² in the norm of M_k⁻¹", why=frozen,
            follows=("gram", "plans-every-episode")),
        always("determinant-trace", mixtures.determinant_trace, source="Theorem 14", statement="log det M_k ≤ m log(λ + (k−1)H³)",
            why="the paper leaves the determinant as it is", follows=("gram", "features", "value-range")),
        always("sum-of-bonuses", mixtures.bonus_sum(constants.bonus_sum), source="Lemma 8",
            statement="Σ_k √(H min(1, a_k)) ≤ √(2TG), G = m log(1 + TH²/λ)", why=frozen,
            follows=("potential", "determinant-trace")),
        always("large-episodes", mixtures.large_episodes, source="Lemma 8",
            statement="#{k: a_k > 1} ≤ log(det M_{K+1} / λ^m) / log 2", why=frozen, follows=("potential",)),
        *regret_bound_claims(
            "Corollary 2",
            constants.regret,
            "R_K ≤ H√(2T log(1/δ)) + 2√β_K √(2TG) + HG/log 2, G = m log(1 + TH²/λ)",
            "the paper names the order only, and 2δ in Theorem 1, of which this is a case; " + LINEAR + "with all constants",
            (
                "pathwise-regret", "confidence-event", "sum-of-bonuses", "large-episodes", "determinant-trace", "value-range",
                "no-foresight",
            ),
            ASSUMED,
            2.0,
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims("MDP"),
    *_mixture_claims(),
    *_replay_claims(),
    *_confidence_claims(),
    *_optimism_claims(),
    *_regret_claims(),
)
CLAUSES = (
    Clause("MDP", "§2", "finite-horizon MDP, the same at all steps, with known rewards in [0, 1]"),
    Clause("MIXTURE", "Definition 1, §C.1", "linear mixture of known kernels, with bounded coefficients"),
    Clause("VTR", "Algorithm 3", "regression of the values met on what the base kernels expect"),
    Clause("RADIUS", "§C.1.3", "the radius of the ellipsoid"),
    Clause("Q", "Algorithm 3", "optimistic action values, cut to [0, H]"),
    Clause("PLAY", "Algorithm 3", "greedy play, one plan per episode"),
    Clause("CONF", "Theorem 14", "the coefficients are in the ellipsoid"),
    Clause("OPT", "§3.1", "optimism"),
    Clause("REC", "Lemma 4", "regret of an episode"),
    Clause("SUM", "Lemma 8", "sums of bonuses"),
    Clause("REGRET", "Corollary 2", "regret"),
    Clause("RATE", "Corollary 2", "regret grows like √T",
        "a rate: measured by `verifier scale`, at part of the published radius"),
    Clause("JOINT", "Algorithm 1", "the one model of the confidence set whose value at s_1 is largest",
        "a program without a solver in general; Algorithm 3, which is checked, takes the largest value at each pair"),
    Clause("SETS", "Theorem 1, Theorem 5",
        "confidence sets and regret for any class of models, by covering numbers and the eluder dimension",
        "of the general algorithm; what its constants are for linear mixtures only the published formulas could settle"),
    Clause("STEP", "§C.2", "the noise of step h taken as (H − h + 1)/2",
        "not implied, see the errata; whether the published figures used it only published text could settle"),
    Clause("AZUMA", "Theorem 1, proof", "martingale term", "a fact about any algorithm with values in [0, H]"),
    Clause("LOWER", "Theorem 3", "lower bound", "about all algorithms at once: no run of one can refute it"),
    Clause("MIS", "§4", "misspecified models", "left by the paper for later"),
    Clause("MORE", "§C.3, §C.4", "ε-greedy and next-state variants", "other algorithms, for which nothing is claimed"),
)  # fmt: skip
