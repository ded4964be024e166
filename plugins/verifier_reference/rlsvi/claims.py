"""The claims of RLSVI, one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import widths
from verifier_properties.episodes.regret import expected_regret
from verifier_properties.episodic import randomised_values, regularised, tabular_model, value_noise
from verifier_reference.shared.claims import REPLAYED, TABULAR, assumption_claims, planning_claims
from verifier_reference.shared.rlsvi import NOISE, regret

WITHIN = "the noise makes up for the harness's errors, |R̂ − R + (P̂ − P)V*_{h+1}| ≤ √(β_k/(HS(n_k+1))), at all steps and pairs"
RECONSTRUCTED = "the text of the paper was not at hand; "
RARELY = "wherever Hoeffding's inequality proves it for the instance"


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 1", follows=(PSEUDO_CODE,))
    return (
        same("visits", tabular_model.step_visits, clause="MODEL", statement="n_k(h,s,a) counts the visits at step h"),
        same("reward", regularised.reward, clause="MODEL", statement="R̂_k(h,s,a) = Σ r / (n_k(h,s,a) + 1)",
            follows=(PSEUDO_CODE, "visits")),
        same("kernel", regularised.kernel, clause="MODEL", statement="P̂_k(y|h,s,a) = n_k(h,s,a,y) / (n_k(h,s,a) + 1)",
            follows=(PSEUDO_CODE, "visits")),
        same("width", widths.width_formula("1"), source="Theorem 1", clause="NOISE",
            statement="the noise as printed, times 1", regimes=("published",)),
        same("q-formula", regularised.perturbed, clause="PLAN", statement="Q_h = R̂_k + w_k + P̂_k V_{h+1}",
            follows=(PSEUDO_CODE, "reward", "kernel", "width-target")),
        same("noise-law", value_noise.noise_law(NOISE), source="Algorithm 1", clause="NOISE", kind=Kind.LAW,
            statement="w_k(h,s,a) ~ N(0, β_k/(n_k+1)), independent of each other and of the past, β_k = ½SH³log(2HSAk)",
            wrong_law="no noise", follows=(PSEUDO_CODE, "q-formula", "width", "plans-every-episode", "no-foresight")),
        *planning_claims("Algorithm 1", "PLAY"),
        same("value-size", regularised.value_size, source="Theorem 1, proof", clause="SIZE", kind=Kind.ALWAYS, status=Status.OURS,
            why=RECONSTRUCTED + "a bound of this kind is what the regret rests on",
            statement="|V_h(s)| ≤ (H − h + 1)(1 + max |w_k|)", assumes=TABULAR, follows=("q-formula", "value-function")),
    )  # fmt: skip


def _optimism_claims() -> tuple[Claim, ...]:
    lemma = partial(Claim, theorem="Lemma: stochastic optimism", source="stochastic optimism", clause="OPT", assumes=TABULAR)
    return (
        Claim("failures", randomised_values.failures(NOISE), source="validity of the confidence sets",
            theorem="Lemma: validity of the confidence sets", clause="EVENT", kind=Kind.EXPECTATION, status=Status.OURS,
            why=RECONSTRUCTED + "with the radius for which Φ(−1) is proved, the mean is above π²/6 for some MDPs",
            statement="E min(5, Σ_k 1{|R̂_k − R + (P̂_k − P)V*_{h+1}| > √(β_k/(HS(n_k+1))) somewhere}) ≤ π²/6, " + RARELY,
            regimes=("published",), assumes=TABULAR, follows=("reward", "kernel", "no-foresight")),
        lemma("comparison", randomised_values.comparison(NOISE), source="stochastic optimism, proof", kind=Kind.GIVEN,
            given=WITHIN + " from h on", statement="V_h(s) − V*_h(s) ≥ E_{P̂,π*}[Σ_{j≥h} w_k − √(β_k/(HS(n_k+1))) | s_h = s]",
            follows=("q-formula", "value-function")),
        lemma("stochastic-optimism", randomised_values.stochastic_optimism(NOISE), kind=Kind.LAW,
            wrong_law="values that are never optimistic",
            statement="P(V_1(s_1) ≥ V*_1(s_1) | the past) ≥ Φ(−1) for each k at which " + WITHIN,
            follows=("comparison", "noise-law")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, theorem="Theorem 1: regret", source="Theorem 1, proof", status=Status.OURS)
    return (
        ours("visit-sum", randomised_values.visit_sum, clause="SUM", kind=Kind.ALWAYS,
            why=RECONSTRUCTED + "this is the sum that the proof with all constants needs",
            statement="Σ_{k,h} 1/(n_k(h,s_h,a_h) + 1) ≤ HSA(1 + log K)", follows=("visits", "plans-every-episode")),
        ours("prediction-error", randomised_values.prediction_error, clause="REC", kind=Kind.IDENTITY,
            why=RECONSTRUCTED + "this is the lemma on value differences, at the pairs played",
            statement="δ_h − Pδ_{h+1} = w_k + R̂_k − R + (P̂_k − P)V_{h+1} at (s_h,a_h), δ = V − V^{π_k}",
            follows=("q-formula", "value-function", "greedy", "plays-policy")),
        ours(
            "regret",
            expected_regret(regret, randomised_values.rare(NOISE)),
            source="Theorem 1",
            clause="REGRET",
            kind=Kind.EXPECTATION,
            why=RECONSTRUCTED + "quoted as O(H³S^{3/2}√(AK)) up to logarithms; this is a proof with all constants",
            statement="E R_K ≤ Hπ²/6 + (1 + 2/Φ(−1))(1 + √(β_K m))√(HSAK(1+log K))(√H + √(SH(H−1)(2H−1)/6)), m = 2log(HSA) + 2, "
            + RARELY,
            regimes=("published",),
            assumes=TABULAR,
            follows=("failures", "stochastic-optimism", "prediction-error", "visit-sum", "value-size", "noise-law"),
            horizon=Horizon(lambda public, scale, K: regret(public, K, scale), lambda public, scale, K: public.H * K),
        ),
    )  # fmt: skip


CLAIMS = (*assumption_claims("MDP"), *_replay_claims(), *_optimism_claims(), *_regret_claims())
CLAUSES = (
    Clause("MDP", "§2", "finite MDP whose kernels and random rewards in [0, 1] may depend on the step"),
    Clause("MODEL", "Algorithm 1", "visits and estimates of each step, with n + 1 for n"),
    Clause("NOISE", "Algorithm 1, Theorem 1", "the law of the noise, and β_k"),
    Clause("PLAN", "Algorithm 1", "value iteration with noise in the rewards"),
    Clause("PLAY", "Algorithm 1", "greedy play, one plan for each episode"),
    Clause("EVENT", "validity of the confidence sets", "how often the estimates are outside of the plausible set"),
    Clause("OPT", "stochastic optimism", "optimism with a probability of at least Φ(−1)"),
    Clause("SIZE", "Theorem 1, proof", "how large values with noise are"),
    Clause("SUM", "Theorem 1, proof", "sum of 1/(n + 1)"),
    Clause("REC", "Theorem 1, proof", "value differences along what is played"),
    Clause("REGRET", "Theorem 1", "mean regret"),
    Clause("GHOST", "Theorem 1, proof", "E[V*_1 − V_1 | the past] ≤ E[(V_1 − E V_1)^+ | the past]/Φ(−1)",
        "follows from stochastic optimism for any random number: no implementation can break it alone"),
    Clause("REGRESSION", "Algorithm 1", "least squares on data with noise, towards a draw from the prior",
        "another way to draw the same noise; which of the two is printed, only the published text could settle"),
    Clause(
        "CONSTANTS",
        "validity of the confidence sets, stochastic optimism",
        "which radius goes with the factor ½ of β_k",
        "π²/6 and Φ(−1) are not both true for one radius, as one coin shows: which is meant only the published text could settle",
    ),
    Clause("RATE", "Theorem 1", "regret grows like √K", "a rate: measured by `verifier scale`, at part of the published noise"),
    Clause("GENERAL", "Osband et al. 2016", "value functions linear in features",
        "another algorithm; the theorem is about tables"),
)  # fmt: skip
