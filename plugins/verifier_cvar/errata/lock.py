"""Erratum of Theorem 4.1: a bonus capped at 2 is too small to make ELA look behind a lock, and its regret is linear."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from verifier.base.arrays import Array
from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_cvar.errata.hypotheses import low_rank
from verifier_cvar.shared import constants
from verifier_settings.cvar import Instance, augmented, generators
from verifier_settings.cvar.instance import make

START, SAFE = 0, 2
STAY, ENTER = 0, 1
"""Actions at the start: go to safety, or into the lock."""

BLIND = 2
"""Steps in which the way through the lock has bonuses that no data reduce: 2 and 3."""


@dataclass(frozen=True)
class Lock:
    """`generators.clip` with a safety that pays more than half of what the room pays; tau = 1.

    From the start action 1 leads into the lock, from there action 1 into the room, which pays 1 from step 4 on; action 0 leads to
    safety, which pays `pay` from step 4 on; anything else leads to the trap, which pays nothing. The decoy differs from the
    truth in step 3 only, where it has the room lead to the trap, and it is returned when likelihoods tie.

    Attributes
    ----------
    H : int
        Steps, at least 6.
    pay : Fraction
        A multiple of 1/5.
    delta : float
    """

    H: int = 14
    pay: Fraction = Fraction(4, 5)
    delta: float = 0.01

    def instance(self, K: int = 1) -> Instance:
        """The tables, for K iterations."""
        base = generators.clip(np.random.default_rng(0), K=K, H=self.H).public
        reward = np.zeros((self.H, 4, 3, 6))
        reward[..., 0] = 1.0
        reward[3:, 1] = np.eye(6)[5]
        reward[3:, SAFE] = np.eye(6)[int(5 * self.pay)]
        return make(
            phi=base.phi, psi=base.psi, index=[1] * (self.H - 1), A=base.A, K=K, tau=1.0,
            reward=reward.reshape(self.H, 12, 6), delta=self.delta,
        )  # fmt: skip

    @cached_property
    def first(self) -> Instance:
        """The instance of the first iteration, which has the least lambda_k."""
        return self.instance()

    @property
    def gap(self) -> Fraction:
        """CVaR* less what any policy gets that does not enter the lock."""
        return (1 - self.pay) * (self.H - 3)

    # For every run ----------------------------------------------------------------------------------------------------------

    @property
    def unseen(self) -> Fraction:
        """The probability that the first iteration, played uniformly, does not show what the room leads to.

        It would be seen at step 3 of the two trajectories with uniform actions in step 3 whose transition is kept, each of which
        is in the room with probability 1/9.
        """
        return Fraction(8, 9) ** 2

    @property
    def balance(self) -> float:
        """The ratio r such that the plan stays in safety as long as lambda + N > r (lambda + N') in each comparison.

        N' counts the feature of resting in safety in D_h, N that of falling into the trap (h = 4, ..., H-2), or N' that of
        entering the lock and N that of resting (h = 1). In the decoy the way through the lock has the bonus of entering, at most
        2 in step 2 and 3 each and the trap's from step 4 on; safety has (H-3) pay and the bonuses of resting. A bonus min(alpha
        ||phi||, 2) exceeds another by at most 2(1 - sqrt(r)), for every alpha, and there are H-4 comparisons: staying is
        better if 4 + 2(H-4)(1 - sqrt(r)) <= (H-3) pay.
        """
        return (1.0 - (float(self.pay) * (self.H - 3) - 2.0 * BLIND) / (2.0 * (self.H - 4))) ** 2

    def unbalanced(self, ridge: float) -> float:
        """Bound on the probability that some comparison fails at some k, for any lambda_k >= ridge; by Ville's inequality.

        In each sample of D_h the first count is as likely to grow as the second, or less: with uniform actions resting has
        probability 1/3 only in safety, where falling has 1/3 too. Hence exp(theta N' - (theta/r) N) is a supermartingale if
        exp(theta) + exp(-theta/r) = 2, and lambda + N <= r (lambda + N') means that it has reached exp(theta lambda (1/r - 1)).
        """
        r = self.balance
        low, high = 0.0, math.log(2.0)  # the sum is below 2 between 0 and the root
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if math.exp(middle) + math.exp(-middle / r) <= 2.0 else (low, middle)
        return (self.H - 4) * math.exp(-low * ridge * (1.0 / r - 1.0))

    @property
    def stuck(self) -> float:
        """Lower bound on the probability that no policy ever enters the lock: the gap is at least `gap` for all k."""
        return float(self.unseen) - self.unbalanced(self.first.public.ridge)

    # After k iterations in safety -------------------------------------------------------------------------------------------

    def bonuses(self, instance: Instance, cap: float) -> Array:
        """(H, 12) bonuses after K iterations in safety in which each action was drawn K/3 times in each D_h."""
        public = instance.public
        phi, b = public.phi[0], np.zeros((public.H, public.X))
        for h in range(public.H - 2):
            state = START if h == 0 else SAFE
            rows = phi[h, state * public.A : (state + 1) * public.A]
            gram = public.ridge * np.eye(public.d) + public.K / public.A * rows.T @ rows
            norm = np.sqrt(((phi[h] @ np.linalg.inv(gram)) * phi[h]).sum(axis=1))
            b[h] = np.minimum(constants.alpha(public.H, public.A, public.d, public.ridge, public.log_class) * norm, cap)
        return b

    def objectives(self, instance: Instance, b: Array) -> tuple[float, float]:
        """max_c { c - V_1(s_1, c)/tau } in the decoy for the best plan that stays and for the best that enters."""
        public = instance.public
        P, grid = public.kernels[0], public.fine
        V, _ = augmented.optimal(P, public.reward, b, grid, public.S)
        Q = augmented.action_values(V[1], P, public.reward, b, 0, grid)
        best = (grid.levels - Q[START] / public.tau).max(axis=-1)
        return float(best[STAY]), float(best[ENTER])

    def lemma(self, instance: Instance, b: Array) -> tuple[float, float]:
        """Lemma C.2: V of pi* at c*, in the decoy with bonuses less in truth; and H sqrt(A zeta_k), zeta_k with the factor 8."""
        public, truth = instance.public, instance.truth
        V = augmented.evaluate(public.kernels[0], public.reward, b, truth.fine.policy, public.fine)
        c = truth.fine.budget
        allowed = public.H * math.sqrt(public.A * constants.likelihood_error(public, public.K))
        return float(V[0, START, c] - truth.fine.V[0, START, c]), allowed

    def step_back(self, instance: Instance, b: Array) -> float:
        """The least of E b_h - H E f_{h+1} over h <= H-2, under pi* in the decoy: b_2 - 2H where the room comes next."""
        public, truth = instance.public, instance.truth
        policy, c = truth.fine.policy, np.array(truth.fine.budget)
        masses = augmented.masses(public.kernels[0], public.reward, policy, c, START, public.fine, public.S).sum(axis=-1)
        f = np.zeros((public.H, public.X))
        f[:-1] = np.abs(public.kernels[0] - truth.P).sum(axis=-1)
        paid, owed = (masses * b).sum(axis=-1), public.H * (masses * f).sum(axis=-1)
        return float((paid[: public.H - 2] - owed[1 : public.H - 1]).min())


ITERATIONS = (3, 3 * 10**3, 3 * 10**5, 3 * 10**8)


def capped_regret() -> Refutation:
    """The plans of ELA with either cap, and the probability that the printed one leads nowhere."""
    lock = Lock()
    H, rows, owed, lemma = lock.H, [], [], []
    for k in ITERATIONS:
        instance = lock.instance(k)
        small, large = (lock.bonuses(instance, constants.cap(H, reading)) for reading in ("printed", "corrected"))
        rows.append((k, *lock.objectives(instance, small), *lock.objectives(instance, large)))
        owed.append(lock.step_back(instance, large))
        lemma.append((lock.lemma(instance, small), lock.lemma(instance, large)))
    public, gap = lock.first.public, float(lock.gap)
    bound = H**3 * public.A * public.d**2 * math.sqrt(math.log(public.M / lock.delta))
    instance_text = prose(
        f"H = {H}, A = d = 3, |F| = 2, τ = 1, δ = {lock.delta}. From the start action 1 leads into a lock, action 1 from "
        f"there into a room, which pays 1 in steps 4, ..., {H}; action 0 leads to safety, which pays {lock.pay}; the trap "
        f"pays nothing. The "
        "decoy has the room lead to the trap in step 3 and has the likelihood of the truth until this is seen; ties go to it. "
        f"Iteration 1 does not show it with probability (8/9)² = {lock.unseen}. After that policies stay in safety, D and D̃ "
        f"end "
        "two uniform actions later, and the bonuses on the way are 2 + 2 at most plus those of the trap, which uniform "
        "actions in "
        f"safety reduce as fast as those of resting there: all but a probability {show(lock.unbalanced(public.ridge))} of "
        f"runs, for all k, any α_k and any λ_k ≥ λ_1 = {show(public.ridge)} (Ville's inequality). c − V/τ of the best plans "
        f"in the decoy, for "
        "mean counts and α with all constants:"
    ) + table(("k", "stay, cap 2", "enter, cap 2", f"stay, cap {2 * H}", f"enter, cap {2 * H}"), rows)
    stays = all(stay > enter for _, stay, enter, _, _ in rows)
    refuted = stays and lock.stuck > lock.delta
    (left, right), (left_large, right_large) = lemma[-1]
    enters = rows[-1][4] > rows[-1][3]
    return Refutation(
        f"with probability ≥ {show(lock.stuck)} > δ the regret is ≥ {show(gap)} K for every K: above any C √K, e.g. H³Ad²√(K "
        f"log(|F|/δ)) from K = {(bound / gap) ** 2:.1e} on; Lemma C.2 at k = {ITERATIONS[-1]:.0e}: {show(left)} "
        f"{sign(left <= right)} {show(right)}, even with ζ_k eight times as large",
        not refuted or left <= right,
        f"cap {2 * H}: the plan enters in the end ({show(rows[-1][4])} > {show(rows[-1][3])}), which shows the truth; H E f "
        f"≤ E b in each step; {show(left_large)} ≤ {show(right_large)}",
        enters and min(owed) >= 0.0 and all(a <= c for _, (a, c) in lemma),
        instance_text,
        low_rank(lock.first),
    )


ERRATA = (
    Erratum(
        "capped-regret",
        "Algorithm 1, Line 13; Theorems 4.1, 5.1 and B.3; Lemma C.2",
        Grade.FALSE,
        "With bonuses min(α‖φ̂‖_{Σ̂^-1}, 2), with probability 1 − δ: Regret(K) = Õ(τ⁻¹H³Ad²√(K log(|F|/δ)))",
        "Values differ by up to H, bonuses by 2 per step. What lies behind a lock is never seen by D or D̃ unless a policy "
        "enters, and two bonuses of 2 do not make up for a model that is wrong by more than 4: no α helps. (The decoy wins "
        "ties here. Were these broken at random, K decoys instead of one, each with its own way out of the room, would do "
        "the same for K iterations at the price of log K in the bound.)",
        "The cap 2H. The order of the bound stays: H + 2H² takes the place of 3H before Σ_h E f_h, as in the printed H³",
        ("ela/per-step-optimism",),
        capped_regret,
    ),
)  # fmt: skip
