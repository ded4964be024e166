r"""Chernoff's bound on the probability that a gambler who bets against a law misses a wrong one.

The gambler's capital for the bet g is a product over independent runs of ``1 - g + g e``, where e is the e-value of a run. By
Markov's inequality for its power -s, with s > 0, it is below x with probability at most

    x^s prod_i E (1 - g + g e_i)^{-s},

with expectations under the wrong law. So what is needed of a run are logarithms of these moments, for each bet and some powers:
they add up over runs. The bound has the right exponent in the number of runs, unlike those from a variance alone. It holds for
each bet and power, hence for the best pair, which depends on the moments only and not on what was seen.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier.statistics.betting import BETS, log_growth

POWERS: tuple[float, ...] = tuple(2.0**k for k in range(-3, 4))
"""The powers s, from 1/8 to 8. For a normal logarithm the best one is 2.3, the z-value of a miss, over its deviation."""

RARE = 1e-30
"""Largest probability of a number of hits that is left out. The largest moment of an e-value of 0 is 150^8 < 1e18."""

LARGEST = 690.0
"""Logarithm of the largest evidence that is told apart."""

Moments: TypeAlias = tuple[float, ...]
"""Logarithms of E (1 - g + g e)^{-s}: all powers of the first bet, then those of the next one."""


def log_moments(log_e: Array, probability: Array) -> Moments:
    """Logarithms of the moments of one run, for all bets and powers.

    Parameters
    ----------
    log_e : (n,) array
        Values of the logarithm of the e-value under the wrong law, or lower bounds on them; -inf where nothing better is known.
    probability : (n,) array
        Of each value; they sum to 1.
    """
    from scipy.special import logsumexp

    possible = probability > 0.0
    growth = np.log1p(np.multiply.outer(BETS, np.expm1(np.minimum(log_e[possible], LARGEST))))
    logs = [logsumexp(np.log(probability[possible]) - power * growth, axis=1) for power in POWERS]
    return tuple(np.stack(logs, axis=1).ravel().tolist())


def sure_moments(expected: float) -> Moments:
    """Moments of a run whose e-value is known; expected is that number."""
    return tuple((-np.multiply.outer(log_growth(expected - 1.0), POWERS)).ravel().tolist())


@lru_cache(maxsize=64)  # all runs on an instance have the same
def log_binomial_moments(trials: int, rate: float, hit: float, miss: float, start: float = 0.0) -> Moments:
    """Moments of a run where log e is at least ``start + hit * k + miss * (trials - k)`` and k is binomial under the wrong law.

    Numbers of hits that are too improbable to matter are taken for an e-value of 0, the least there is.
    """
    from scipy.special import gammaln, xlog1py, xlogy

    hits = np.arange(trials + 1)
    orders = gammaln(trials + 1.0) - gammaln(hits + 1.0) - gammaln(trials - hits + 1.0)
    probability = np.exp(orders + xlogy(hits, rate) + xlog1py(trials - hits, -rate))
    kept = probability > RARE
    values = start + hit * hits + miss * (trials - hits)
    return log_moments(np.append(values[kept], -np.inf), np.append(probability[kept], probability[~kept].sum()))


def log_miss(log_moments: Array, capital: float) -> float:
    """Bound on the logarithm of the probability that no bet reaches the capital.

    Parameters
    ----------
    log_moments : (bets * powers,) array
        Sums over runs.
    capital : float
        Logarithm of what each bet has to reach.
    """
    return float(np.min(np.asarray(log_moments).reshape(len(BETS), -1) + np.asarray(POWERS) * capital))
