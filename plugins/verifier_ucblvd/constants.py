"""The paper's constants and explicit bounds, with every "absolute constant" written out."""

from __future__ import annotations

import math

from verifier.settings.lifelong import Public

C_BETA = 2.5
"""The absolute constant c of the confidence width.

The paper only says that some c works. Writing out all constants of Lemmas 2, 3, 5, 6 (see `explicit_width`) needs c between
1.3 and 2.4 for sizes from d = m = 1, H = 2 to d = 10, m = 3, H = 5 and K from 100 to 10,000, so c = 1 is not covered by the proof
and c = 2.5 is; a test compares the two on every instance of the catalogue.
"""


def beta(public: Public, dimensions: int) -> float:
    """The confidence width c H (d + sqrt(d')) sqrt(log(dimensions T / delta)).

    Theorem 1 has dimensions = d d', Theorem 2 has d' = m d. The square root is lost in some renderings of the paper.

    Parameters
    ----------
    public : Public
    dimensions : int

    Returns
    -------
    float
        In units of value times features.
    """
    return beta_at(public, dimensions, public.K)


def beta_at(public: Public, dimensions: int, K: float) -> float:
    """`beta` for another number of episodes.

    For lambda other than 1 the bias term H sqrt(lambda d) grows with lambda while the noise term does not shrink with it,
    so the factor sqrt(lambda) that Lemmas 3 and 5 put in front applies for lambda >= 1 only.
    """
    logarithm = math.log(max(dimensions * K * public.H / public.delta, math.e))
    return C_BETA * public.H * (public.d + math.sqrt(public.dp)) * math.sqrt(max(public.ridge, 1.0) * logarithm)


def log_covering(public: Public, width: float, epsilon: float, multiplier: float) -> float:
    """Lemmas 21, 22: log covering number of the value functions at scale epsilon.

    The class is clip(max_a [<z, psi> + multiplier width ||phi||_Y]), with ||z|| <= (1 + H) sqrt(d').
    """
    z = (1 + public.H) * math.sqrt(public.dp)
    bonus = 8 * (multiplier * width) ** 2 * math.sqrt(public.d) / (public.ridge * epsilon**2)
    return public.dp * math.log(1 + 4 * z / epsilon) + public.d**2 * math.log(1 + bonus)


def log_covering_lsvi(public: Public, width: float, epsilon: float, k: float) -> float:
    """Lemma 21: as `log_covering`, with z = eta (norm sqrt(d')) and y = theta-hat covered apart.

    The paper bounds y by ||theta|| <= H sqrt(d); what enters the value function is theta-hat, of norm at most H sqrt(d k / lambda).
    """
    y = public.H * math.sqrt(public.d * max(k, 1.0) / public.ridge)
    bonus = 8 * width**2 * math.sqrt(public.d) / (public.ridge * epsilon**2)
    return (
        public.dp * math.log(1 + 4 * math.sqrt(public.dp) / epsilon)
        + public.d * math.log(1 + 4 * y / epsilon)
        + public.d**2 * math.log(1 + bonus)
    )


def noise_bound(public: Public, width: float, k: float, *, multiplier: float, contexts: int) -> float:
    """Lemmas 2 and 6 with their constants: the bound on || sum_t phi_t [V(s'_t) - P V] ||_{Lambda^-1} after k episodes.

    4 H^2 [ (d/2) log((k + lambda)/lambda) + log N(eps) + log(1/delta') ] + 8 k^2 eps^2 / lambda with eps = d H / k and
    delta' = delta / (contexts H), so that it holds for all steps and contexts at once; k = 0 gives 0.

    Parameters
    ----------
    public : Public
    width : float
        beta, which enters the class of value functions.
    k : float
        Episodes seen.
    multiplier : float
        2 L for UCBlvd (Lemma 22); 0 selects the class of Lifelong-LSVI (Lemma 21).
    contexts : int
        For how many contexts it has to hold.
    """
    if k <= 0:
        return 0.0
    H, d, ridge = public.H, public.d, public.ridge
    epsilon = d * H / k
    cover = log_covering(public, width, epsilon, multiplier) if multiplier else log_covering_lsvi(public, width, epsilon, k)
    inside = d / 2 * math.log((k + ridge) / ridge) + cover + math.log(contexts * H / public.delta)
    return math.sqrt(4 * H**2 * inside + 8 * k**2 * epsilon**2 / ridge)


def explicit_width(public: Public, *, multiplier: float, contexts: int) -> float:
    """The least beta for which the proof of Lemma 3 (Lemma 5) goes through: beta = H sqrt(lambda d) + noise_bound(beta).

    The noise bound grows like sqrt(log beta), so iterating it converges from any start.
    """
    width = public.H * math.sqrt(public.ridge * public.d)
    for _ in range(100):
        width = public.H * math.sqrt(public.ridge * public.d) + noise_bound(
            public, width, public.K, multiplier=multiplier, contexts=contexts
        )
    return width


def martingale_bound(public: Public, K: float) -> float:
    """2 H sqrt(T log(d T / delta)), the Azuma term of Theorems 1 and 2.

    Azuma for differences of range 4H would give 2H sqrt(2 T log(1/delta)). Given the past, each xi lies in an interval of length
    2H, and Hoeffding's lemma then gives H sqrt(2 T log(1/delta)): the printed value holds for every delta.
    """
    T = K * public.H
    return 2 * public.H * math.sqrt(T * math.log(max(public.d * T / public.delta, math.e)))


def elliptical(public: Public, K: float) -> float:
    """sqrt(2 d K log(1 + K / lambda)), the potential term as the theorems print it."""
    return math.sqrt(2 * public.d * K * math.log(1 + K / public.ridge))


def regret_bound_lsvi(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 1: 2H sqrt(T log(dT/delta)) + 2 H beta sqrt(2 d K log(1 + K/lambda))."""
    width = scale * beta_at(public, public.d * public.dp, K)
    return martingale_bound(public, K) + 2 * public.H * width * elliptical(public, K)


def regret_bound_ucblvd(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 2: 2H sqrt(T log(dT/delta)) + 8 H L beta sqrt(2 d K log(1 + K/lambda))."""
    width = scale * beta_at(public, public.dp, K)
    return martingale_bound(public, K) + 8 * public.H * public.L * width * elliptical(public, K)


def planning_bound(public: Public, K: float) -> float:
    """Theorem 2: d H log(1 + K/(d lambda)) planning calls after the first."""
    return public.d * public.H * math.log(1 + K / (public.d * public.ridge))
