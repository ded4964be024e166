"""UCBlvd (Algorithm 2): plan for the representative tasks, distil into one value function, replan rarely."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongPlan, Public
from verifier_ucblvd import widths
from verifier_ucblvd.distillation import Distillation, Distilled
from verifier_ucblvd.rare_switching import RareSwitching


class UCBlvd(RareSwitching):
    """Algorithm 2 of the paper.

    Parameters
    ----------
    public : Public
    width : Width
    minimiser : {"exact", "farthest"}
        Which minimiser of the program (8) to take. It is not unique: ``exact`` keeps theta^(j) at the least-squares
        estimate wherever that is optimal, ``farthest`` pushes each theta^(j) to the edge of its ball, away from the truth
        (it needs the oracle regime). The factor 2 of the bonus pays for the second.
    """

    name: ClassVar[str] = "ucblvd"
    title: ClassVar[str] = "UCBlvd (Algorithm 2)"
    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle", "oracle[minimiser=farthest]")
    instances: ClassVar[tuple[str, ...]] = ("*", "!rotation*")
    yields = frozenset({"theta", "xi"})

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width)
        if minimiser not in ("exact", "farthest"):
            raise ContractError(f"ucblvd: minimiser {minimiser!r} is not known; expected 'exact' or 'farthest'")
        self.minimiser = minimiser
        self.distillation = Distillation(public)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 2: beta = c H (d + sqrt(m d)) sqrt(log(m d T / delta))."""
        return widths.beta(public, public.dp)

    @classmethod
    def multiplier(cls, public: Public) -> float:
        """Multiplier 2 L, eq. (7)."""
        return 2.0 * public.L

    def log_det(self) -> Array:
        """Log determinants of Lambda_h, shape (H,)."""
        return self.data.log_det()

    def weight(self, left: Array) -> Array:
        """log(1 + ||phi||^2) over what is left, (H, S*A, 1)."""
        return (self.data.gain(self.public.phi) / left[:, None])[..., None]

    def plan(self) -> LifelongPlan:
        """Lines 6-7 and eq. (7), for every context at once."""
        public, data = self.public, self.data
        reps = list(public.representatives)
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, public.W))
        Q = np.empty((public.H, public.S, public.A, public.W))
        estimate, theta = np.empty((2, public.H, public.d, public.n))
        xi = np.empty((public.H, public.dp))
        for h in reversed(range(public.H)):
            target = self.target(V, h)[:, reps]
            beta = self.width(h, target)
            estimate[h] = inverse[h] @ (data.transitions[h] @ target)
            distilled = self.distil(h, target, estimate[h], beta)
            theta[h], xi[h] = distilled.theta, distilled.xi
            mean = self.reward(h) + public.psi @ xi[h]
            Q[h] = self.optimistic(mean, beta * bonus[h][:, None]).reshape(public.S, public.A, public.W)
            V[h] = self.value(Q[h])
        return LifelongPlan(np.arange(public.W), np.array(reps), Q, self.greedy_policy(Q), data.gram.copy(), estimate, theta, xi)

    def reward(self, h: int) -> Array:
        """r_h(s,a,w), known; shape (S*A, W)."""
        return self.public.reward[h]

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser of the program (8) at step h."""
        gram = self.data.gram[h]
        solution = self.distillation.solve(gram, estimate, beta)
        if self.minimiser == "farthest":
            return self.distillation.pushed(solution, gram, estimate, beta, self.width.error(h, target))
        return solution
