"""Edge cases: small instances on which an implementation is likely to trip."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.lifelong.generators import onehot
from verifier_settings.lifelong.instance import Instance, make
from verifier_settings.linear import measures, simplex_features


def small(rng: np.random.Generator, *, S: int = 5, A: int = 2, d: int = 3, m: int = 2, H: int = 3, K: int = 40) -> Instance:
    """A small exact instance with one size changed."""
    return onehot(rng, S=S, A=A, d=d, m=m, H=H, K=K)


def with_contexts(
    rng: np.random.Generator, rho: Array, representatives: tuple[int, ...] | None = None, E: Array | None = None, K: int = 40
) -> Instance:
    """S = 5, A = 2 and d = H = 3, with these context features and random rewards, unless they are given."""
    phi, mu = simplex_features(rng, 5, 2, 3), measures(rng, 3, 3, 5)
    E = rng.random((3, 3, rho.shape[1])) ** 2 if E is None else E
    return make(phi=phi, mu=mu, rho=rho, E=E, K=K, A=2, representatives=representatives)


def few_representatives(rng: np.random.Generator) -> Instance:
    """n < m: two contexts in R^3."""
    return with_contexts(rng, np.eye(3)[:2])


def duplicate_contexts(rng: np.random.Generator) -> Instance:
    """Two names for the same task, both declared representatives (n = m, rho dependent)."""
    return with_contexts(rng, np.eye(3)[[0, 1, 1]], (0, 1, 2))


def copied_contexts(rng: np.random.Generator) -> Instance:
    """Contexts 2 and 3 are copies of 1 and 0 but no representatives: the plan must serve them all the same."""
    return with_contexts(rng, np.eye(2)[[0, 1, 1, 0]], (0, 1))


def later_representatives(rng: np.random.Generator) -> Instance:
    """The representatives are the first and the third context: the second is a copy of the first, the fourth of the third."""
    return with_contexts(rng, np.eye(2)[[0, 0, 1, 1]], (0, 2))


def signed_contexts(rng: np.random.Generator) -> Instance:
    """A context outside the triangle of the representatives: c = (2, -1) / sqrt(5), so L > 1 and L is not max_w sum_j c_j(w).

    Rewards stay in [0, 1]: those in direction 1 are at most twice those in direction 0. Assumption 2 fails.
    """
    rho = np.vstack([np.eye(2), np.array([2.0, -1.0]) / np.sqrt(5.0)])
    E = rng.random((3, 3, 2)) ** 2
    E[..., 1] *= E[..., 0]
    return with_contexts(rng, rho, (0, 1), E)


def dependent_representatives(rng: np.random.Generator) -> Instance:
    """Three representatives, the third halfway between the others: Assumption 2 fails and so does the exact path of (8)."""
    return with_contexts(rng, np.vstack([np.eye(3)[:2], [0.5, 0.5, 0.0]]), (0, 1, 2), K=60)


def opposed_representatives() -> Instance:
    """Two contexts that want opposite actions and a third halfway between: the exact path of (8) leaves its balls in any run.

    One state, phi(a) = e_a and r(a, w) = rho_a(w), so V*_2 is 1, 1 and 1/2, which no function linear in rho is. Nothing is
    random but the contexts: after n_a plays of a, the estimate of theta_a is n_a / (n_a + 1) V*_2, and the squared radius that
    the realised errors need is sum_a 1 / (n_a + 1). The exact path moves theta^(3) by a third of n_a / (n_a + 1) in each
    direction, in the norm of Lambda squared by sum_a n_a^2 / (n_a + 1) / 9. That is more from 11 plays on, if all were of one
    action, and earlier if not. A plan with so many plays is made before the 30th: at a plan with at most 10 of them det Lambda
    is (n_1 + 1)(n_2 + 1), which grows least, by the factor e that is due for the next, where they go to the action with more.
    """
    rho = np.vstack([np.eye(3)[:2], [0.5, 0.5, 0.0]])
    E = np.broadcast_to(np.eye(2, 3), (2, 2, 3))
    return make(phi=np.eye(2), mu=np.ones((2, 2, 1)), rho=rho, E=E, K=40, A=2, representatives=(0, 1, 2))


def rank_deficient(rng: np.random.Generator) -> Instance:
    """phi spans 3 of 4 dimensions, so D has 3 elements; two actions have collinear features."""
    d = 4
    phi = np.zeros((10, d))
    phi[:, :3] = simplex_features(rng, 5, 2, 3)
    mu = measures(rng, 3, d, 5)
    return make(phi=phi, mu=mu, rho=np.eye(2), E=rng.random((3, d, 2)) ** 2, K=40, A=2)


def constant_rewards(rng: np.random.Generator, *, reward: float) -> Instance:
    """Instance with equal rewards: every action is optimal, all argmax are ties."""
    return make(
        phi=simplex_features(rng, 5, 3, 3), mu=measures(rng, 3, 3, 5), rho=np.eye(2), E=np.full((3, 3, 2), reward), K=40, A=3
    )


def zero_context(rng: np.random.Generator) -> Instance:
    """A context with rho(w) = 0, so psi vanishes on it; P_h V(., w) does not, and Assumption 2 fails."""
    return with_contexts(rng, np.vstack([np.eye(2), np.zeros(2)]), (0, 1))


def absorbing(rng: np.random.Generator) -> Instance:
    """State 0 is absorbing and pays nothing."""
    S, A, H = 4, 2, 3
    mu = rng.dirichlet(np.full(S, 0.5), size=(H, S * A))
    mu[:, :A] = np.eye(S)[0]
    E = rng.random((H, S * A, 2)) ** 2
    E[:, :A] = 0.0
    return make(phi=np.eye(S * A), mu=mu, rho=np.eye(2), E=E, K=60, A=A)


def strong_ridge(rng: np.random.Generator) -> Instance:
    """lambda = 4."""
    return onehot(rng, S=5, A=2, d=3, m=2, H=3, K=60, ridge=4.0)


def weak_ridge(rng: np.random.Generator) -> Instance:
    """lambda = 1/4, delta = 0.02."""
    return onehot(rng, S=5, A=2, d=3, m=2, H=3, K=40, ridge=0.25, delta=0.02)
