"""The distillation step: the quadratically constrained quadratic program of eq. (8).

Minimise  sum_j sum_{(s,a) in D} (<theta^(j), phi(s,a)> - <xi, psi(s,a,w^(j))>)^2
subject to  ||theta^(j) - thetahat_h(w^(j))||_Lambda <= beta for each j,  ||xi||_2 <= H sqrt(m d).

With psi = phi (x) rho the objective is ||Phi_D (Theta - Xi R')||_F^2, where R has the rows rho(w^(j)) and Xi is xi as a d x m
matrix (phi index major). It is zero as soon as Theta = Xi R', so the exact path projects the estimates on the Theta of that
form; every column keeps its ball and the norm of Xi is checked; value 0 is then optimal. Otherwise a cone solver is called.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import PluginError
from verifier_settings.lifelong import Public


@dataclass(frozen=True)
class Distilled:
    """A minimiser of the program.

    Attributes
    ----------
    theta : (d, n) array
        theta^(j).
    xi : (dp,) array
    objective : float
        Value of the program at this point.
    """

    theta: Array
    xi: Array
    objective: float


class Distillation:
    """The program for one instance; its data at each step are Lambda, the estimates and beta.

    Parameters
    ----------
    public : Public
    """

    def __init__(self, public: Public) -> None:
        self.public = public
        self.R = public.rho[list(public.representatives)]
        self.norm_bound = public.H * float(np.sqrt(public.dp))
        self._inverse = np.linalg.pinv(self.R.T)
        self._projection = self._inverse @ self.R.T
        self._independent = bool(np.linalg.matrix_rank(self.R) == len(self.R))
        self._program: _ConeProgram | None = None

    def solve(self, gram: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, exactly where value 0 is reached next to the estimates, else by a cone solver.

        Parameters
        ----------
        gram : (d, d) array
            Lambda_h.
        estimate : (d, n) array
            thetahat_h(w^(j)).
        beta : float
            Radius of the balls.
        """
        return self.project(gram, estimate, beta) or self.solve_cone(gram, estimate, beta)

    def project(self, gram: Array, estimate: Array, beta: float) -> Distilled | None:
        """The exact path: the zero-objective point nearest to the estimates, or None if it is not feasible.

        The Lambda-norm acts on the rows of Theta and the subspace {Xi R'} on its columns, so the nearest point in the sum of
        squared Lambda-norms is the orthogonal projection of the columns, for every Lambda.
        """
        xi = estimate @ self._inverse
        if np.sqrt((xi * xi).sum()) > self.norm_bound:
            return None
        if self._independent:
            return Distilled(estimate, xi.ravel(), 0.0)
        theta = estimate @ self._projection
        if (_norms(theta - estimate, gram) > beta).any():
            return None
        return Distilled(theta, xi.ravel(), 0.0)

    def solve_cone(self, gram: Array, estimate: Array, beta: float) -> Distilled:
        """Solution of the program by an interior-point cone solver (Clarabel through cvxpy)."""
        if self._program is None:
            self._program = _ConeProgram(*self.features(), self.norm_bound)
        return self._program.solve(gram, estimate, beta)

    def features(self) -> tuple[list[Array], list[Array]]:
        """phi on D and psi(., w^(j)) on D, for each j: what the objective compares."""
        pairs = self.independent_pairs()
        return (
            [self.public.phi[pairs] for _ in self.public.representatives],
            [self.public.psi[pairs, w] for w in self.public.representatives],
        )

    def independent_pairs(self) -> list[int]:
        """D: a maximal set of (s,a) with independent phi."""
        return _independent_rows(self.public.phi)

    def pushed(self, solution: Distilled, gram: Array, estimate: Array, beta: float, error: Array) -> Distilled:
        """The legal minimiser farthest from the truth: each theta^(j) at the far edge of its ball, value still 0.

        Parameters
        ----------
        solution : Distilled
            Returned unchanged where no such point exists (dependent rho, or the norm constraint is in the way).
        gram, estimate, beta
            As for `solve`.
        error : (d, n) array
            Estimate minus truth, known to the harness only.
        """
        size = _norms(error, gram)
        direction = np.divide(error, size, out=np.zeros_like(error), where=size > 0)
        theta = estimate + beta * direction
        xi = theta @ self._inverse
        legal = self._independent and solution.objective == 0.0 and np.sqrt((xi * xi).sum()) <= self.norm_bound
        return Distilled(theta, xi.ravel(), 0.0) if legal else solution


class SpanDistillation(Distillation):
    """The program (39) of Remark 2, for psi of any structure: the inner sum runs over D(w^(j)).

    D(w) is a maximal set of pairs whose concatenated features (phi(s,a), psi(s,a,w)) are linearly independent; d + d'
    independent ones, as the paper asks, never exist, and its proof needs only that they span. The points of value 0 form a
    linear subspace that does not change during a run; the exact path projects the estimates on it in the Lambda-norm.
    """

    def __init__(self, public: Public) -> None:
        self.public = public
        self.norm_bound = public.H * float(np.sqrt(public.dp))
        self._program = None
        phi, psi = self.features()
        d, n = public.d, public.n
        rows = [np.hstack([np.kron(np.eye(n)[j], phi[j]), -psi[j]]) for j in range(n)]
        self._null = _null_space(np.vstack(rows))
        self._split = n * d

    def features(self) -> tuple[list[Array], list[Array]]:
        """phi and psi(., w^(j)) on D(w^(j)), for each j."""
        phi = self.public.phi
        chosen = [(w, _independent_rows(np.hstack([phi, self.public.psi[:, w]]))) for w in self.public.representatives]
        return [phi[pairs] for _, pairs in chosen], [self.public.psi[pairs, w] for w, pairs in chosen]

    def project(self, gram: Array, estimate: Array, beta: float) -> Distilled | None:
        """The exact path: the zero-objective point nearest to the estimates, of least xi, or None if it is not feasible."""
        d, n = estimate.shape
        root = np.linalg.cholesky(gram).T
        basis = self._null[: self._split].reshape(n, d, -1)
        weighted = np.matmul(root, basis).reshape(n * d, -1)
        y = np.linalg.lstsq(weighted, (root @ estimate).T.ravel(), rcond=None)[0]
        theta, xi = (self._null[: self._split] @ y).reshape(n, d).T, self._null[self._split :] @ y
        if np.linalg.norm(xi) > self.norm_bound or (_norms(theta - estimate, gram) > beta).any():
            return None
        return Distilled(theta, xi, 0.0)

    def pushed(self, solution: Distilled, gram: Array, estimate: Array, beta: float, error: Array) -> Distilled:
        """Solution itself: no adversarial minimiser is known for this program."""
        return solution


class _ConeProgram:
    """The program in cvxpy, compiled once: Lambda, the estimates and beta are parameters (DPP).

    The objective is the norm instead of its square: the same minimisers, and the solver's tolerance then bounds the residual
    itself and not its square.
    """

    def __init__(self, phi: list[Array], psi: list[Array], norm_bound: float) -> None:
        import cvxpy as cp

        n, d, dp = len(phi), phi[0].shape[1], psi[0].shape[1]
        self._phi, self._psi, self._norm_bound = phi, psi, norm_bound
        self._theta, self._xi = cp.Variable((d, n)), cp.Variable(dp)
        self._root, self._centre = cp.Parameter((d, d)), cp.Parameter((d, n))
        self._beta = cp.Parameter(nonneg=True)
        self._solver = cp.CLARABEL
        balls = [cp.norm2(self._root @ self._theta[:, j] - self._centre[:, j]) <= self._beta for j in range(n)]
        residual = cp.hstack([phi[j] @ self._theta[:, j] - psi[j] @ self._xi for j in range(n)])
        self._problem = cp.Problem(cp.Minimize(cp.norm2(residual)), [*balls, cp.norm2(self._xi) <= norm_bound])

    def solve(self, gram: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, moved the last 1e-9 or so into the constraints."""
        root = np.linalg.cholesky(gram).T
        self._root.value, self._centre.value, self._beta.value = root, root @ estimate, beta
        options: dict[str, Any] = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a solution that may be inaccurate: whether it is, the claims tell
            self._problem.solve(solver=self._solver, **options)
        if self._problem.status not in ("optimal", "optimal_inaccurate"):
            raise PluginError(f"the program (8) is always feasible, but the solver says {self._problem.status!r}")
        theta, xi = np.asarray(self._theta.value), np.asarray(self._xi.value)
        theta = estimate + (theta - estimate) * _shrink(_norms(theta - estimate, gram), beta)
        xi = xi * _shrink(np.linalg.norm(xi), self._norm_bound)
        residuals = [phi @ theta[:, j] - psi @ xi for j, (phi, psi) in enumerate(zip(self._phi, self._psi, strict=True))]
        return Distilled(theta, xi, float(sum((residual**2).sum() for residual in residuals)))


def _shrink(size: Any, limit: float) -> Array:
    """The factors, at most 1, that bring sizes down to a limit."""
    return np.minimum(1.0, limit / np.maximum(size, np.finfo(float).tiny))


def _null_space(matrix: Array) -> Array:
    """Orthonormal basis of the null space, as columns."""
    from scipy.linalg import null_space

    return np.asarray(null_space(matrix))


def _independent_rows(matrix: Array) -> list[int]:
    """A maximal set of linearly independent rows, well conditioned, by pivoted QR."""
    from scipy.linalg import qr

    _, triangle, pivots = qr(matrix.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    rank = int(np.count_nonzero(diagonal > diagonal[0] * max(triangle.shape) * np.finfo(float).eps))
    return [int(i) for i in pivots[:rank]]


def _norms(columns: Array, gram: Array) -> Array:
    return np.sqrt(np.maximum((columns * (gram @ columns)).sum(axis=0), 0.0))
