"""Errata of optimism, Lemma C.2 and the one-step-back inequality E.3 behind it, on instances of three steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws
from verifier_cvar.errata.hypotheses import low_rank
from verifier_cvar.shared import constants
from verifier_settings.cvar import Instance
from verifier_settings.cvar.instance import make

DELTA = 0.1

RATIO = math.sqrt(constants.KAPPA)
"""Lemma E.2's constants, where norms in one Gram matrix are compared with norms in the other."""

# The cap, at H = 3 ------------------------------------------------------------------------------------------------------


def fork() -> Instance:
    """H = 3, A = 2, K = 1: action 0 leads from the start to the fork, and from there to the prize; the decoy says it does not.

    States: 0 the start, 1 the fork, 2 the prize, which pays 1 in step 3, 3 nothing. All other actions lead to 3. Features are
    unit vectors: (1, 0) for action 0 at the start (step 1) and at the fork (step 2), (0, 1) for everything else.
    """
    phi = np.zeros((2, 2, 8, 2))
    phi[..., 1] = 1.0
    for h, row in ((0, 0), (1, 2)):
        phi[:, h, row] = 1.0, 0.0
    psi = np.zeros((2, 2, 2, 4))
    psi[:, :, 1, 3] = 1.0
    psi[:, 0, 0, 1] = psi[0, 1, 0, 3] = psi[1, 1, 0, 2] = 1.0
    reward = np.zeros((3, 8, 2))
    reward[..., 0] = 1.0
    reward[2, 4:6] = 0.0, 1.0
    return make(phi=phi, psi=psi, index=[1, 1], A=2, K=1, tau=1.0, reward=reward, delta=DELTA)


@dataclass(frozen=True)
class FirstIteration:
    """The fork after one iteration whose data do not have action 0 at the fork, nor, in D_1, at the start.

    Such a history has probability 3/8. Both models then have the same likelihood, and the decoy may be returned.

    Attributes
    ----------
    L : float
        log(|F| H k / delta) at k = 1.
    ridge : float
        lambda_1 = d L.
    alpha : float
        With all constants written out.
    """

    L: float
    ridge: float
    alpha: float

    @classmethod
    def of(cls, instance: Instance) -> FirstIteration:
        """The numbers of this instance."""
        public = instance.public
        return cls(public.log_class, public.ridge, constants.alpha(public.H, public.A, public.d, public.ridge, public.log_class))

    @property
    def norm(self) -> float:
        """||phi||_{Sigma-hat_1^-1} of action 0 at the start, whose feature D_1 does not have."""
        return 1.0 / math.sqrt(self.ridge)

    @property
    def ratios(self) -> tuple[float, float]:
        """Norms under Sigma-hat_1 = diag(lambda, lambda + 1) to those under Sigma_1 = (lambda + 1/2) I, by feature."""
        return math.sqrt((self.ridge + 0.5) / self.ridge), math.sqrt((self.ridge + 0.5) / (self.ridge + 1.0))

    def bonus(self, cap: float) -> float:
        """b_1 of action 0 at the start."""
        return min(self.alpha * self.norm, cap)


def cap_of_three_steps() -> Refutation:
    """Refutation with three steps: the bonus has to pay 2H, and its cap is 2."""
    instance = fork()
    found, H, f = FirstIteration.of(instance), instance.public.H, 2.0
    # both rho_2 and eta_2 are at the fork with probability 1/2, and a ~ U(A)
    error = 0.25 * f**2
    events = 0.5 * (error + error) <= 0.5 * found.L and all(1 / RATIO <= ratio <= RATIO for ratio in found.ratios)
    owed, printed, corrected = H * f, found.bonus(2.0), found.bonus(2.0 * H)
    instance_text = prose(
        "H = 3, A = d = 2, τ = 1. Action 0 leads from the start to the fork (step 1) and from the fork to a state that pays 1 "
        "(step 2); any other action leads to nothing. |F| = 2: the decoy has action 0 at the fork lead to nothing, so f_2 = 2 "
        "there. Features are unit vectors. k = 1, δ = 0.1, data without action 0 at the fork and, in D_1, at the start; the "
        "decoy has the likelihood of the truth and is returned. The events hold:"
    ) + table(
        ("quantity", "value", "needed"),
        [
            ("E_{½ρ_2+½η_2, a∼U} f_2²", error, f"≤ ½ζ_1 = {show(0.5 * found.L)}"),
            ("‖φ‖ under Σ̂_1 / under Σ_1", ", ".join(map(show, found.ratios)), "within constants"),
            ("α_1 ‖φ‖, all constants written out", found.alpha * found.norm, "as large as may be"),
        ],
    )
    holds = owed <= printed
    return Refutation(
        f"H E_(d_2) f_2 = {show(owed)} {sign(holds)} {show(printed)} = E_(d_1) b_1, for every α",
        holds,
        f"with the cap 2H = {2 * H}: {show(owed)} ≤ {show(corrected)}",
        owed <= corrected,
        instance_text,
        {**low_rank(instance), "the events": events},
    )


# The minimum inside the expectation ---------------------------------------------------------------------------------------


def follows(f: tuple[Fraction, Fraction], norm: tuple[Fraction, Fraction], pointwise: bool) -> tuple[bool, bool]:
    """Premise and conclusion of the last step of Lemma C.2 on two pairs (s,a) of probability 1/2 each.

    f are the values of E[f_{h+1} | s,a], norm those of sqrt(beta) ||phi||. Premise: f <= 2 and E f <= E norm, or f <= norm in
    each pair. Conclusion: E f <= E min(norm, 2).
    """
    small = max(f) <= 2
    premise = small and (all(x <= y for x, y in zip(f, norm, strict=True)) if pointwise else sum(f) <= sum(norm))
    return premise, sum(f) <= sum(min(y, Fraction(2)) for y in norm)


def minimum() -> Refutation:
    """Two pairs, one never seen and one known well."""
    f, norm = (Fraction(2), Fraction(2)), (Fraction(4), Fraction(0))
    premise, conclusion = follows(f, norm, pointwise=False)
    grid = [Fraction(i, 2) for i in range(10)]
    cases = [follows((a, b), (c, d), pointwise=True) for a, b, c, d in product(grid, repeat=4)]
    valid = sum(1 for before, _ in cases if before)
    instance = prose("Two pairs (s,a) of probability ½ under d_h, one never seen and one known well:") + table(
        ("", "(s,a)_1", "(s,a)_2", "mean"),
        [
            ("E[f_{h+1} | s,a]", *f, sum(f) / 2),
            ("√β ‖φ(s,a)‖", *norm, sum(norm) / 2),
            ("min(√β ‖φ(s,a)‖, 2)", *(min(y, Fraction(2)) for y in norm), sum(min(y, Fraction(2)) for y in norm) / 2),
        ],
    )
    return Refutation(
        f"E f = {sum(f) / 2} ≤ min(√β E‖φ‖, 2) = {min(sum(norm) / 2, Fraction(2))}, but E f = {sum(f) / 2} > "
        f"{sum(min(y, Fraction(2)) for y in norm) / 2} = E min(√β‖φ‖, 2)",
        conclusion,
        f"from E[f | s,a] ≤ √β‖φ(s,a)‖ in each pair it follows: all {valid} cases with values 0, ½, ..., 4½",
        all(after for before, after in cases if before),
        instance,
        {"f ≤ 2 and E f ≤ √β E‖φ‖": premise},
    )


# One step back ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneStepBack:
    """Lemma E.3 with A = d = B = 1: one pair, phi = 1, g the indicator of a state.

    Attributes
    ----------
    k : int
    L : float
        k zeta_k = log(|F| H k / delta); lambda_k = d L.
    learned, true : Fraction
        Probability of the state in the learned and in the true model.
    """

    k: int
    L: float
    learned: Fraction
    true: Fraction

    @property
    def f(self) -> Fraction:
        """The L1 distance of the two laws."""
        return 2 * abs(self.learned - self.true)

    @property
    def zeta(self) -> float:
        """zeta_k."""
        return self.L / self.k

    def bound(self, weight: float, spent: float) -> float:
        """||phi||_{Sigma^-1} sqrt(weight k A E_eta g^2 + B^2 lambda d + spent)."""
        return math.sqrt((weight * self.k * float(self.true) + self.L + spent) / (self.k + self.L))

    @property
    def printed(self) -> float:
        """The right side as printed: the last term is k B^2 zeta."""
        return self.bound(1, self.L)

    @property
    def corrected(self) -> float:
        """Bound with 2 k A E_eta g^2 and k B^2 zeta / 2."""
        return self.bound(2, self.L / 2)


def one_step_back() -> Refutation:
    """A model that is off by 1/40 after k iterations, k = 5000 and more."""
    H, size = 3, 2
    rows = []
    cases = []
    for k, gap in ((100, Fraction(1, 10)), (5000, Fraction(1, 40)), (10**6, Fraction(1, 500))):
        case = OneStepBack(k, math.log(size * H * k / DELTA), Fraction(1), 1 - gap)
        cases.append(case)
        rows.append((k, float(case.f**2), case.zeta, float(case.learned), case.printed, case.corrected))
    instance = prose(
        "A = d = 1, φ = 1, g the indicator of one state, which the learned model reaches surely and the true one with "
        "probability 0.9, 0.975, 0.998. H = 3, |F| = 2, δ = 0.1, λ_k = log(|F|Hk/δ) = kζ_k, Σ = k + λ_k. The event E f² ≤ "
        "ζ_k holds:"
    ) + table(("k", "f²", "ζ_k", "E_{d_{h+1}} g", "right side", "corrected right side"), rows)
    assumed = all(float(case.f**2) <= case.zeta for case in cases)
    holds = any(case.learned <= case.printed for case in cases)
    return Refutation(
        "; ".join(f"{case.learned} {sign(case.learned <= case.printed)} {show(case.printed)}" for case in cases),
        holds,
        "; ".join(f"{case.learned} ≤ {show(case.corrected)}" for case in cases),
        all(case.learned <= case.corrected for case in cases),
        instance,
        {
            "E f² ≤ ζ_k": assumed,
            "both are laws": are_laws([[p, 1 - p] for case in cases for p in (case.learned, case.true)]),
            "0 < δ < 1": 0 < DELTA < 1,
        },
    )


ERRATA = (
    Erratum(
        "capped-step",
        "Line 13 of Algorithm 1; last display of the proof of Lemma C.2",
        Grade.STEP,
        "H E_{d_{h+1}}[f_{h+1}] ≤ E_{d_h}[min(α‖φ̂_h‖_{Σ̂^-1}, 2)] under π* in the learned model, h = 1, ..., H − 2",
        "f is an L1 distance, up to 2, and the left side carries the factor H that α has absorbed: min(√β‖φ‖, 2) times H is "
        "min(α‖φ‖, 2H), not min(α‖φ‖, 2). A bonus capped at 2 pays for an unseen transition only if H = 1. (The last line of "
        "Lemma C.2 is not refuted by this; at H = 14 it is, see capped-regret.)",
        "The same with 2H for 2: bonuses min(α‖φ‖, 2H). The order of the regret does not change",
        ("ela/per-step-optimism",),
        cap_of_three_steps,
    ),
    Erratum(
        "minimum-inside",
        "Lemma C.2, from (20) to its last display",
        Grade.STEP,
        "From E_{d_{h+1}}[f_{h+1}] ≤ √β E_{d_h}‖φ̂_h‖ and f ≤ 2: H E_{d_{h+1}}[f_{h+1}] ≤ H E_{d_h}[min(√β‖φ̂_h‖, 2)]",
        "The minimum is concave, so E min(·, 2) ≤ min(E ·, 2): Jensen's inequality goes the other way. What is missing is the "
        "conditional form of Lemma E.3, which its proof gives: the second factor of Cauchy-Schwarz is bounded for each (s,a).",
        "E[f_{h+1} | s_h, a_h] ≤ min(√β‖φ̂_h(s_h, a_h)‖, 2) for each pair; then take expectations",
        ("ela/per-step-optimism",),
        minimum,
    ),
    Erratum(
        "one-step-back",
        "Lemma E.3, as used in Lemma C.2",
        Grade.STEP,
        "If E_{ρ, a∼U}[f²] ≤ ζ_k and 0 ≤ g ≤ B, then E_{d_{h+1}}[g] ≤ E_{d_h}‖φ̂_h‖_{Σ^-1} √(kA E_{η, a∼U}[g²] + B²λd + "
        "kB²ζ_k)",
        "Its proof bounds E(P̂G)² by E(P*G)² + B² E f², that is x² by y² + (x − y)². The cross term 2y(x − y) is of the "
        "order of f, not of f². (32) prints the condition without a square, E[f] ≤ ζ_k: under it x² − y² ≤ B²f and the "
        "inequality is true: literally read the lemma stands, but Lemma E.1 gives the square only, and Lemma C.2 uses that.",
        "x² ≤ 2y² + 2(x − y)² and |x − y| ≤ Bf/2 give √(2kA E_η[g²] + B²λd + kB²ζ_k/2)",
        ("ela/per-step-optimism",),
        one_step_back,
    ),
)  # fmt: skip
