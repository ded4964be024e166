"""Contextual linear MDP: its public part and its truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, cached_property
from verifier.base.errors import ContractError
from verifier.model.simulation import Simulation
from verifier_settings import mdp
from verifier_settings.phases import EpisodicFeatures
from verifier_settings.views import Problem


@dataclass(frozen=True, eq=False)
class Public(EpisodicFeatures):
    """Public part of an instance.

    Symbols as in the paper: ``S, A, W`` numbers of states, actions and contexts, ``H`` steps, ``K`` episodes, ``d`` and
    ``dp`` (d') the dimensions of phi and psi, ``m`` that of rho, ``ridge`` the regulariser lambda, ``delta`` the failure
    probability. Steps are counted from 0 here and from 1 in what users see.

    Attributes
    ----------
    phi : (S*A, d) array
        Features of the dynamics, row ``s*A + a``.
    rho : (W, m) array
        Features of the contexts; psi(s,a,w) = phi(s,a) (x) rho(w), phi index major (Assumption 3). Empty, shape (W, 0), where
        psi has no such structure.
    psi : (S*A, W, dp) array
        Features of the rewards.
    reward : (H, S*A, W) array
        r_h(s,a,w), known to the agent.
    representatives : tuple of int
        The contexts w^(1), ..., w^(n).
    coefficients : (1 or S*A, W, n) array
        c_j(s,a,w) with psi(s,a,w) = sum_j c_j(s,a,w) psi(s,a,w^(j)), of minimum l1 norm; one row where they do not depend on
        (s,a), as under Assumption 3.
    """

    S: int
    A: int
    W: int
    H: int
    K: int
    ridge: float
    delta: float
    phi: Array
    rho: Array
    psi: Array
    reward: Array
    representatives: tuple[int, ...]
    coefficients: Array

    @property
    def m(self) -> int:
        """Dimension of rho; 0 where psi has no Kronecker structure."""
        return int(self.rho.shape[1])

    @property
    def dp(self) -> int:
        """Dimension d' of psi."""
        return int(self.psi.shape[2])

    @property
    def n(self) -> int:
        """Number of representative contexts."""
        return len(self.representatives)

    @cached_property
    def L(self) -> float:
        """Largest sum_j |c_j(w)| (the paper prints it without the absolute values its proof needs)."""
        return float(np.abs(self.coefficients).sum(axis=2).max())


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    P : (H, S*A, S) array
        Transition kernel.
    mu : (H, d, S) array
        Its measures: P = phi mu.
    eta : (H, dp) array
        Reward parameter: r = psi eta.
    Q : (H, S, A, W) array
        Q*.
    V : (H+1, S, W) array
        V*.
    """

    P: Array
    mu: Array
    eta: Array
    Q: Array
    V: Array


@dataclass(frozen=True)
class Instance(Problem[Public, Truth]):
    """A contextual linear MDP with its task sequence.

    Parameters
    ----------
    public : Public
    truth : Truth
    tasks : str
        Name of the rule that chooses initial state and context (see `verifier_settings.lifelong.tasks`).
    """

    tasks: str

    @property
    def psi_rows(self) -> Array:
        """(S*A*W, dp) psi with one row per (s, a, w)."""
        return self.public.psi.reshape(-1, self.public.dp)

    @cached_property
    def psi_basis(self) -> Array:
        """Orthonormal basis, shape (S*A*W, rank), of what is linear in psi as a function of (s, a, w)."""
        return np.ascontiguousarray(self._psi_parts[0])

    @cached_property
    def psi_inverse(self) -> Array:
        """Pseudo-inverse of psi as an (S*A*W, dp) matrix, shape (dp, S*A*W)."""
        left, singular, right = self._psi_parts
        return np.asarray((right.T / singular) @ left.T)

    @cached_property
    def _psi_parts(self) -> tuple[Array, Array, Array]:
        """The singular value decomposition of psi as a matrix, without the values that are 0 up to rounding."""
        left, singular, right = np.linalg.svd(self.psi_rows, full_matrices=False)
        keep = singular > singular.max(initial=0.0) * max(self.psi_rows.shape) * EPS
        return left[:, keep], singular[keep], right[keep]


def make(
    *,
    phi: Array,
    mu: Array,
    rho: Array,
    E: Array,
    K: int,
    A: int,
    representatives: tuple[int, ...] | None = None,
    tasks: str = "iid",
    ridge: float = 1.0,
    delta: float = 0.1,
) -> Instance:
    """Build an instance from its linear structure.

    Parameters
    ----------
    phi : (S*A, d) array
        Features, row ``s*A + a``.
    mu : (H, d, S) array
        Measures; P = phi mu.
    rho : (W, m) array
        Context features.
    E : (H, d, m) array
        Reward parameters: r_h(s,a,w) = phi(s,a)' E_h rho(w).
    K : int
        Episodes.
    A : int
        Actions.
    representatives : tuple of int, optional
        Defaults to a maximal independent set of contexts, in order.
    tasks : str
        Name of the task rule.
    ridge, delta : float
        lambda and the failure probability.

    Returns
    -------
    Instance

    Raises
    ------
    ContractError
        If shapes disagree or a representative is no context. Whether the assumptions hold is not checked here: assumption
        claims do that, and instances that break them exist on purpose.
    """
    (SA, d), (H, d_mu, S), (W, m) = phi.shape, mu.shape, rho.shape
    if d != d_mu or SA != S * A or E.shape != (H, d, m):
        raise ContractError(
            f"phi {phi.shape}, mu {mu.shape}, rho {rho.shape}, E {E.shape}, A={A} do not fit; expected (S*A,d), "
            f"(H,d,S), (W,m), (H,d,m)"
        )
    chosen = _independent(rho) if representatives is None else representatives
    if not chosen or not all(0 <= w < W for w in chosen):
        raise ContractError(f"representatives {chosen} are not contexts; expected indices below {W}")
    psi = np.einsum("xi,wj->xwij", phi, rho).reshape(SA, W, d * m)
    coefficients = minimum_l1_coefficients(rho, rho[list(chosen)])[None]
    return assemble(phi, mu, rho, psi, E.reshape(H, d * m), K, A, tuple(chosen), coefficients, tasks, ridge, delta)


def assemble(
    phi: Array,
    mu: Array,
    rho: Array,
    psi: Array,
    eta: Array,
    K: int,
    A: int,
    representatives: tuple[int, ...],
    coefficients: Array,
    tasks: str = "iid",
    ridge: float = 1.0,
    delta: float = 0.1,
) -> Instance:
    """Build an instance from features of any structure (shapes as in `Public` and `Truth`), with its exact values."""
    S, W, H = len(phi) // A, psi.shape[1], len(eta)
    P = np.einsum("xi,his->hxs", phi, mu)
    reward = np.einsum("xwi,hi->hxw", psi, eta)
    public = Public(
        S=S, A=A, W=W, H=H, K=K, ridge=ridge, delta=delta, phi=phi, rho=rho, psi=psi, reward=reward,
        representatives=representatives, coefficients=coefficients,
    )  # fmt: skip
    Q, V = mdp.optimal_values(P, reward)
    for array in (phi, rho, psi, reward, coefficients):
        array.flags.writeable = False
    return Instance(public, Truth(P, mu, eta, Q, V), tasks)


def _independent(rho: Array) -> tuple[int, ...]:
    """Indices of the first maximal linearly independent set of rows."""
    chosen: list[int] = []
    for w in range(len(rho)):
        if np.linalg.matrix_rank(rho[[*chosen, w]]) > len(chosen):
            chosen.append(w)
    return tuple(chosen)


def minimum_l1_coefficients(rho: Array, R: Array) -> Array:
    """Coefficients c(w) of least l1 norm with rho(w) = R' c(w).

    Parameters
    ----------
    rho : (W, m) array
    R : (n, m) array
        Rows rho(w^(j)).

    Returns
    -------
    (W, n) array
        Unique when R has independent rows, else the solution of a linear program; where rho(w) is outside the span, the
        least-squares solution (the span assumption then fails and says so).
    """
    exact = np.asarray(rho @ np.linalg.pinv(R))
    basis = list(_independent(R))
    if len(basis) == len(R):
        return exact
    inverse = np.linalg.pinv(R[basis])
    out = np.zeros((len(rho), len(R)))
    out[:, basis] = rho @ inverse
    # By duality what the first independent rows give is least if some y has R_j'y = sign(c_j) there and |R_j'y| <= 1 everywhere.
    dual = np.sign(np.round(out[:, basis], 12)) @ inverse.T @ R.T
    least = np.isclose(out @ R, rho, rtol=0.0, atol=1e-12).all(axis=1) & (np.abs(dual) <= 1.0 + 1e-12).all(axis=1)
    for w in np.flatnonzero(~least):
        solved = _least_l1(rho[w], R)
        out[w] = exact[w] if solved is None else solved
    return out


def _least_l1(target: Array, R: Array) -> Array | None:
    """The solution c of R'c = target of least l1 norm, shape (n,), by linear programming; None if there is none."""
    from scipy.optimize import linprog  # it takes a third of a second to import, and few instances need it

    n = len(R)
    result = linprog(np.ones(2 * n), A_eq=np.hstack([R.T, -R.T]), b_eq=target, bounds=(0, None), method="highs")
    return result.x[:n] - result.x[n:] if result.status == 0 else None


def simulation(instance: Instance) -> Simulation:
    """Tables of an instance; context and initial state are uniform in each episode, in place of a task sequence."""
    public = instance.public
    uniform = np.full((public.S, public.W), 1.0 / (public.S * public.W))
    return Simulation(instance.truth.P, uniform, lambda h, row, w, rng: float(public.reward[h, row, w]), public.H)
