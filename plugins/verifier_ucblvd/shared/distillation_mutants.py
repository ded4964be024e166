"""Bugs in the distillation step, of algorithms that solve the program (8) or (39)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_settings.lifelong import Public
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.ucblvd.algorithm import UCBlvd


class KroneckerOrder(UCBlvd):
    """xi with the rho index major."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, its xi in the wrong order."""
        found = super().distil(h, target, estimate, beta)
        return replace(found, xi=found.xi.reshape(self.public.d, self.public.m).T.ravel())


class BlockShift(UCBlvd):
    """xi shifted by one block."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, its xi shifted."""
        found = super().distil(h, target, estimate, beta)
        return replace(found, xi=np.roll(found.xi, 1))


class WideBalls(UCBlvd):
    """Balls of radius 50 beta in the program, and a minimiser at their edge."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser of the wrong program."""
        gram = self.data.gram[h]
        solution = self.distillation.solve(gram, estimate, 50.0 * beta)
        return self.distillation.pushed(solution, gram, estimate, 50.0 * beta, np.ones_like(estimate))


class LongXi(UCBlvd):
    """xi with a component that psi does not see: another minimiser as long as the norm allows it."""

    length: ClassVar[float]

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser of larger norm, where psi does not span."""
        found = super().distil(h, target, estimate, beta)
        psi = self.public.psi.reshape(-1, self.public.dp)
        unseen = np.ones(self.public.dp) - np.linalg.pinv(psi) @ psi.sum(axis=1)
        return replace(found, xi=found.xi + self.length * unseen)


class NoNormBound(LongXi):
    """The constraint on xi forgotten, and a minimiser that uses it."""

    length = 100.0

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width, minimiser)
        self.distillation.norm_bound = 1e9


class NoNormCheck(UCBlvd):
    """The exact path taken also where its xi is longer than the program allows."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.distillation.norm_bound = np.inf


class NoBallCheck(UCBlvd):
    """The exact path taken also where its theta^(j) leave their balls."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """The projection on the points of value 0, if it is short enough."""
        found = self.distillation.project(self.data.gram[h], estimate, np.inf)
        return found or super().distil(h, target, estimate, beta)


class LooseInverse(UCBlvd):
    """The pseudo-inverse of the representatives drops singular values below a tenth of the largest."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, its xi from the wrong inverse."""
        public = self.public
        rho = public.rho[list(public.representatives)]
        return replace(super().distil(h, target, estimate, beta), xi=(estimate @ np.linalg.pinv(rho.T, rcond=0.1)).ravel())


class FirstSolve(UCBlvd):
    """Centres and radius of the balls are set when the program is first compiled, and kept."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.first: dict[int, tuple[Array, float]] = {}

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser of the first program of this step, under the current Gram matrix."""
        centre, radius = self.first.setdefault(h, (estimate.copy(), beta))
        return self.distillation.solve(self.data.gram[h], centre, radius)


class FirstContexts(UCBlvd):
    """The first n contexts taken as the representatives."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(replace(public, representatives=tuple(range(public.n))), width, **options)
