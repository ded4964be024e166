"""The radii and the explicit bounds of the paper; logarithms are natural, T = K H.

A radius is asked for by scale and size, as horizons are: `scale` is the factor of the regime, K the number of episodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from verifier_settings.reward_free import Public


def ball(public: Public, K: float) -> float:
    """d log(1 + K/(H d lambda)) + log(H/delta): twice the log of the volume that the noise of a fixed target has to leave."""
    return public.d * math.log(1 + K / (public.H * public.d * public.ridge)) + math.log(public.H / public.delta)


def bias(public: Public) -> float:
    """Bias that the regulariser adds to an error: sqrt(lambda) ||mu_h V|| <= H sqrt(lambda d)."""
    return public.H * math.sqrt(public.d * public.ridge)


def cover(public: Public, K: float, length: float, factor: float) -> float:
    """Lemma C.5 for balls of radius eps = zeta = H sqrt(lambda) / (2 K sqrt(d)).

    d log(1 + 4 L / eps) + d^2 log(1 + 8 sqrt(d) B^2 / (lambda eps^2)), where L bounds the norm of w and B the factor of the norm.
    """
    d, epsilon = public.d, public.H * math.sqrt(public.ridge / public.d) / (2 * K)
    return d * math.log(1 + 4 * length / epsilon) + d**2 * math.log(1 + 8 * math.sqrt(d) * (factor / epsilon) ** 2 / public.ridge)


def exploration_radius(public: Public, K: float | None = None) -> float:
    """Eq. (20): beta_E = sqrt(H) sqrt(ball + log cover(L = K / lambda, B = 3 beta_E)) + H sqrt(lambda d) + 1."""
    n = float(public.K if K is None else K)
    return _fixed(
        lambda beta: math.sqrt(public.H * (ball(public, n) + cover(public, n, n / public.ridge, 3 * beta))) + bias(public) + 1
    )


def fixed_target_radius(public: Public, K: float | None = None) -> float:
    """Lemma A.11: beta_P1 = sqrt(H) sqrt(ball) + H sqrt(lambda d), for V* of a reward that no data had an influence on."""
    n = float(public.K if K is None else K)
    return math.sqrt(public.H * ball(public, n)) + bias(public)


def any_target_radius(public: Public, K: float | None = None) -> float:
    """Radius for V* of all rewards at once, those chosen after the data included.

    V*_h = max_a <phi, v> with ||v|| <= W + H sqrt(d). A net of these functions at distance zeta has a logarithm of at most
    d log(1 + 4 (W + H sqrt(d)) / (2 zeta)), which the union over it adds to that of the ball, and what is off the net adds 1.
    """
    n, d, H = float(public.K if K is None else K), public.d, public.H
    length = public.reward_norm + H * math.sqrt(d)
    net = d * math.log(1 + 4 * length * n * math.sqrt(d) / (H * math.sqrt(public.ridge)))
    return math.sqrt(H * (ball(public, n) + net)) + bias(public) + 1


def difference_radius(public: Public, K: float | None = None) -> float:
    """Lemma A.12: beta_P2, for V-hat - V*, whose variance the weights bound."""
    return planning_radius(public, K) - fixed_target_radius(public, K)


def planning_radius(public: Public, K: float | None = None) -> float:
    """Theorem 4.2: beta_P = beta_P1 + beta_P2, of which beta_P2 depends on the sum."""
    n, H, d = float(public.K if K is None else K), public.H, public.d
    known, growth = fixed_target_radius(public, n) + bias(public) + 1, math.log(1 + n / (H * d * public.ridge))

    def radius(beta: float) -> float:
        G = math.log(4 * n**2 * H / public.delta) + cover(public, n, public.reward_norm + n / public.ridge, beta)
        return known + 8 * math.sqrt(H / d * growth * G) + 4 * math.sqrt(H) * G / d**1.5

    return _fixed(radius)


def largest_radius(public: Public, K: float | None = None) -> float:
    """max(beta_E, beta_P)."""
    return max(exploration_radius(public, K), planning_radius(public, K))


def _fixed(radius: Callable[[float], float]) -> float:
    """The only fixed point of a concave increasing map that is positive at 0, by doubling and bisection."""
    high = 1.0
    while radius(high) > high:
        high *= 2
    low = 0.0
    while high - low > 1e-15 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if radius(middle) > middle else (low, middle)
    return high


def largest_error(public: Public, K: float) -> float:
    """Largest error of a weighted least-squares estimate, in the norm of Lambda-hat, for values in [0, H].

    H sqrt(lambda d) of bias, and ||sum x eta / sigma^2|| <= sqrt(sum eta^2 / sigma^2) <= sqrt(H K) of noise: |eta| <= H, and no
    weight sigma^2 is below H.
    """
    return bias(public) + math.sqrt(public.H * K)


def information(public: Public, K: float) -> float:
    """Lemma C.6: 2 d log(1 + K/(lambda H d)), the most that sum_k min(1, ||phi/sigma||^2) can be at a step."""
    return 2 * public.d * math.log(1 + K / (public.ridge * public.H * public.d))


def azuma(public: Public, largest: float, terms: float, failures: float) -> float:
    """M sqrt(2 n log(failures / delta))."""
    return largest * math.sqrt(2 * terms * math.log(failures / public.delta))


def at_least(public: Public, radius: float, bonuses: int) -> float:
    """beta_E, or sqrt(H)/n if that is larger: from there on min(n beta ||phi||, H) <= n beta sigma-hat min(||phi/sigma-hat||, 1).

    No weight sigma-hat is below sqrt(H), so n beta sigma-hat >= H. Values of exploration are at most n = 4 bonuses a step
    (Lemmas A.18 and A.20); W/H is at most n = 2 of them above P V + zeta (Lemma A.19).
    """
    return max(radius, math.sqrt(public.H) / bonuses)


def weight_sum(public: Public, radius: float, K: float | None = None) -> float:
    """Lemma A.19 with d^10, which its proof has, for the printed d^9."""
    n, H, d, ridge = float(public.K if K is None else K), public.H, public.d, public.ridge
    T, radius = n * H, at_least(public, radius, 2)
    return (
        2 * H * T
        + 12 * H**3 * d**10 * math.log(1 + 2 * d**7 / (ridge * H))
        + 2 * d**1.5 * H**2 * math.sqrt(ridge)
        + 2 * d**2 * azuma(public, H**2 + H, T, H)
        + 8 * d**5 * H * (1 + 2 * H) ** 2 * radius**2 * math.log(1 + n / (H * d * ridge))
    )


def exploration_sum(public: Public, radius: float, weights: float, K: float | None = None) -> float:
    """Lemma A.20: 4 beta_E sqrt(sum sigma^2) sqrt(2 H d log(1 + K/(lambda H d))) + H sqrt(2 T log(1/delta))."""
    n, radius = float(public.K if K is None else K), at_least(public, radius, 4)
    return 4 * radius * math.sqrt(weights * public.H * information(public, n)) + azuma(public, public.H, n * public.H, 1)


def certificate(public: Public, radii: tuple[float, float], weights: float, K: float | None = None) -> float:
    """E V~(b) after K episodes: (A.20 + A.21) / (K alpha), alpha = min(1, beta_E / beta_P).

    V~(alpha b) >= alpha V~(b) for alpha <= 1, alpha b <= r_k for every k, and V~(r_k) <= V_k by Lemma A.7.
    """
    n, alpha = float(public.K if K is None else K), min(1.0, radii[0] / radii[1])
    total = exploration_sum(public, radii[0], weights, n) + azuma(public, public.H, n, 1)
    return total / (n * alpha)


def enlarged_steps(public: Public) -> float:
    """Lemma C.7: how often the threshold 1/d^3 can be exceeded at a step, 3 d / log(1+c^2) log(1 + 1/(H lambda log(1+c^2)))."""
    log = math.log(1 + public.d**-6.0)
    return 3 * public.d / log * math.log(1 + 1 / (public.H * public.ridge * log))


def enlarged_steps_sharp(public: Public) -> float:
    """The largest n with n log(1+c^2) <= d log(1 + n/(H d lambda)): each of them multiplies the determinant by 1+c^2."""
    d, log = public.d, math.log(1 + public.d**-6.0)

    def excess(n: float) -> float:
        return n * log - d * math.log(1 + n / (public.H * d * public.ridge))

    high = 1.0
    while excess(high) <= 0:
        high *= 2
    low = 0.0
    while high - low > 0.25:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) > 0 else (middle, high)
    return math.floor(high)
