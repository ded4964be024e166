from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from verifier.base.errors import PluginError
from verifier_settings.lifelong import Public, generators
from verifier_ucblvd.distillation import Distillation, Distilled

from ...settings.lifelong.runs import generator

FEASIBLE = 1e-7


class Problem:
    """The program (8) with random data; `kind` says what is special about the context features."""

    def __init__(self, seed: int, kind: str, radius: float, scale: float = 1.0) -> None:
        rng = self.rng = generator(seed)
        d, m = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        R = rng.normal(size=(m, m)) / np.sqrt(m)
        if kind == "orthonormal":
            R = np.linalg.qr(rng.normal(size=(m, m)))[0]
        elif kind == "dependent":
            R = np.vstack([R, R.mean(axis=0)])
        elif kind == "parallel":
            R = R[:1] + 0.05 * R
        instance = generators.onehot(rng, S=4, A=2, d=d, m=m, H=2, K=1)
        psi = np.einsum("xi,wj->xwij", instance.public.phi, R).reshape(8, len(R), -1)
        self.public: Public = replace(instance.public, rho=R, psi=psi, W=len(R), representatives=tuple(range(len(R))))
        visits = rng.integers(0, 9, size=8)
        self.gram = np.eye(d) + (self.public.phi.T * visits) @ self.public.phi
        self.estimate = scale * rng.normal(size=(d, len(R)))
        self.beta = radius
        self.distillation = Distillation(self.public)
        self.R, self.bound = R, self.public.H * np.sqrt(d * m)
        self.phi = self.public.phi[self.distillation.independent_pairs()]

    def value(self, theta: np.ndarray, Xi: np.ndarray) -> float:
        return float(((self.phi @ (theta - Xi @ self.R.T)) ** 2).sum())

    def distances(self, theta: np.ndarray) -> np.ndarray:
        offset = theta - self.estimate
        return np.sqrt(np.maximum(np.einsum("ij,ik,kj->j", offset, self.gram, offset), 0.0))

    def check_feasible(self, solution: Distilled, slack: float = FEASIBLE) -> None:
        size = np.sqrt(np.einsum("ij,ik,kj->j", self.estimate, self.gram, self.estimate))
        assert (self.distances(solution.theta) <= self.beta * (1 + slack) + 1e-9 * size).all()
        assert np.linalg.norm(solution.xi) <= self.bound * (1 + slack)

    def random_feasible(self) -> tuple[np.ndarray, np.ndarray]:
        direction = self.rng.normal(size=self.estimate.shape)
        length = np.sqrt(np.einsum("ij,ik,kj->j", direction, self.gram, direction))
        theta = self.estimate + direction / length * self.beta * self.rng.random(len(self.R))
        Xi = theta @ np.linalg.pinv(self.R.T)
        Xi = Xi + self.rng.normal(size=Xi.shape) * self.rng.choice([0.0, 0.1, 1.0])
        return theta, Xi * min(1.0, self.bound / np.linalg.norm(Xi))


KINDS = ("orthonormal", "independent", "dependent", "parallel")
RADII = (1e-3, 0.3, 5.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radius", RADII)
def test_where_the_exact_path_answers_it_is_right(kind: str, radius: float) -> None:
    answered = 0
    for seed in range(25):
        problem = Problem(seed, kind, radius)
        exact = problem.distillation.project(problem.gram, problem.estimate, radius)
        if exact is None:
            continue
        answered += 1
        problem.check_feasible(exact, 1e-12)
        assert exact.objective == 0.0
        assert problem.value(exact.theta, exact.xi.reshape(problem.public.d, problem.public.m)) < 1e-20
        if seed % 5 == 0:
            cone = problem.distillation.solve_cone(problem.gram, problem.estimate, radius)
            problem.check_feasible(cone)
            assert cone.objective < 1e-13
    assert answered >= (0 if kind == "dependent" and radius < 5 else 2)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("radius", RADII)
def test_where_it_declines_no_feasible_point_is_better_than_the_solver(kind: str, radius: float) -> None:
    for seed in range(6):
        problem = Problem(seed, kind, radius, scale=4.0)
        if problem.distillation.project(problem.gram, problem.estimate, radius) is not None:
            continue
        cone = problem.distillation.solve(problem.gram, problem.estimate, radius)
        problem.check_feasible(cone)
        Xi = cone.xi.reshape(problem.public.d, problem.public.m)
        assert cone.objective == pytest.approx(problem.value(cone.theta, Xi), rel=1e-12, abs=1e-14)
        for _ in range(300):
            assert cone.objective <= problem.value(*problem.random_feasible()) + 1e-9
        for _ in range(300):  # the program is convex: no feasible direction from the answer may go down
            theta, other = problem.random_feasible()
            t = 1e-3
            moved = problem.value(cone.theta + t * (theta - cone.theta), Xi + t * (other - Xi))
            assert moved >= cone.objective - 1e-7 * (1 + cone.objective)


def slsqp(problem: Problem) -> float:
    d, n, m = problem.public.d, len(problem.R), problem.public.m
    root = np.linalg.cholesky(problem.gram).T

    def split(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x[: d * n].reshape(d, n), x[d * n :].reshape(d, m)

    constraints: list[Any] = [
        {"type": "ineq", "fun": lambda x: problem.beta**2 - ((root @ (split(x)[0] - problem.estimate)) ** 2).sum(axis=0)},
        {"type": "ineq", "fun": lambda x: problem.bound**2 - (split(x)[1] ** 2).sum()},
    ]
    start = np.concatenate([problem.estimate.ravel(), np.zeros(d * m)])
    found = minimize(
        lambda x: problem.value(*split(x)),
        start,
        method="SLSQP",
        constraints=constraints,
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return float(found.fun)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
def test_another_solver_finds_the_same_value(kind: str) -> None:
    compared = 0
    for seed in range(12):
        problem = Problem(seed, kind, 0.3, scale=4.0)
        if problem.distillation.project(problem.gram, problem.estimate, problem.beta) is None:
            cone = problem.distillation.solve_cone(problem.gram, problem.estimate, problem.beta)
            assert cone.objective == pytest.approx(slsqp(problem), rel=1e-4, abs=1e-6)
            compared += 1
    assert compared >= 2


def test_the_point_pushed_to_the_edge_is_a_minimiser() -> None:
    pushed = 0
    for seed in range(40):
        problem = Problem(seed, KINDS[seed % 4], 0.4)
        solution = problem.distillation.solve(problem.gram, problem.estimate, problem.beta)
        error = problem.rng.normal(size=problem.estimate.shape)
        found = problem.distillation.pushed(solution, problem.gram, problem.estimate, problem.beta, error)
        problem.check_feasible(found)
        if found is solution:
            continue
        pushed += 1
        assert found.objective == 0.0
        assert problem.value(found.theta, found.xi.reshape(problem.public.d, problem.public.m)) < 1e-20
        np.testing.assert_allclose(problem.distances(found.theta), problem.beta, rtol=1e-9)
        along = np.einsum("ij,ik,kj->j", found.theta - problem.estimate, problem.gram, error)
        np.testing.assert_allclose(along, problem.beta * np.sqrt(np.einsum("ij,ik,kj->j", error, problem.gram, error)), rtol=1e-9)
    assert pushed >= 10


def test_nothing_is_pushed_where_there_is_no_error() -> None:
    problem = Problem(0, "orthonormal", 0.4)
    solution = problem.distillation.solve(problem.gram, problem.estimate, problem.beta)
    found = problem.distillation.pushed(solution, problem.gram, problem.estimate, problem.beta, np.zeros_like(problem.estimate))
    np.testing.assert_array_equal(found.theta, problem.estimate)


def test_the_pairs_of_the_objective_are_independent_and_span() -> None:
    for seed in range(10):
        rng = generator(seed)
        phi = rng.normal(size=(8, 2)) @ rng.normal(size=(2, 4)) / 9
        public = replace(generators.onehot(rng, S=4, A=2, d=4, m=2, H=2, K=1).public, phi=phi)
        chosen = Distillation(public).independent_pairs()
        assert len(chosen) == np.linalg.matrix_rank(phi[chosen]) == 2


def test_a_solver_that_fails_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(0, "orthonormal", 0.4)
    problem.distillation.solve_cone(problem.gram, problem.estimate, problem.beta)
    program = problem.distillation._program
    assert program is not None
    monkeypatch.setattr(type(program._problem), "status", "infeasible")
    with pytest.raises(PluginError, match="always feasible"):
        problem.distillation.solve_cone(problem.gram, problem.estimate, problem.beta)
