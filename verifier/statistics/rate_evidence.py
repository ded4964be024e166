r"""E-processes for a failure rate against a nominal one, by beta-binomial mixtures, and the interval they leave.

One Bernoulli per trial: did the event fail? With S failures and F clean trials so far, the likelihood ratio of rate q
to rate delta is ``LR(q) = (q/delta)^S ((1-q)/(1-delta))^F``. If a trial fails with (conditional) probability p, its
factor has expectation ``p q/delta + (1-p)(1-q)/(1-delta)``, which is linear in p and 1 at p = delta. Hence

* q > delta: at most 1 for every p <= delta. Any mixture of LR(q) over q in (delta, 1] is a nonnegative
  supermartingale, starting at 1, under every rate <= delta: it is `log_evidence_above`.
* q < delta: at most 1 for every p >= delta. Any mixture over q in [0, delta) is evidence against every rate >= delta:
  it is `log_evidence_below`.

By Ville's inequality either reaches 1/level with probability at most level, over all time. A prior on the whole of
(0, 1) would be wrong: its components on the null's side have expectation above 1, and clean trials alone would let "the
rate is at most delta" be rejected.

The priors are chosen on the *relative* scale, ``q = delta u`` below and ``1 - q = (1-delta) v`` above, with u ~
Beta(1/2, 1) and v ~ Beta(1, 1): the density ``q^(-1/2)`` cut off at delta, and the uniform one on (delta, 1]. At fixed
u each factor increases with delta, so evidence is monotone in delta, and inverting the tests gives an interval whose
ends agree with the decisions exactly. Both integrals are incomplete beta functions.

References
----------
H. Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Stat. 41 (1970).
A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, Game-theoretic statistics and safe anytime-valid inference, Stat. Sci. 38
(2023).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from verifier.base.arrays import Array
from verifier.base.errors import UsageError
from verifier.statistics.checks import counts, error_level, probability

BELOW_SHAPE = 0.5
"""u ~ Beta(1/2, 1): much weight near rate 0, so that clean trials certify soon."""

ABOVE_SHAPE = 1.0
"""v ~ Beta(1, 1): the uniform prior on (delta, 1] has no blind spot between a rare and a constant failure."""

_UNDERFLOW = 1e-250


def log_evidence_above(failures: ArrayLike, trials: ArrayLike, delta: float) -> Array:
    """Logarithm of the e-process against "the rate is at most delta".

    Parameters
    ----------
    failures, trials : int or int arrays, broadcast against each other
        With 0 <= failures <= trials.
    delta : float
        Nominal rate, in (0, 1).

    Returns
    -------
    float array
        0 without trials; increasing in failures, decreasing in clean trials and in delta.

    Raises
    ------
    UsageError
        If the counts or delta are out of range.
    """
    failed, clean, rate = _checked(failures, trials, delta)
    return _log_mixture(clean, failed, 1.0 - rate, rate, ABOVE_SHAPE)


def log_evidence_below(failures: ArrayLike, trials: ArrayLike, delta: float) -> Array:
    """Logarithm of the e-process against "the rate is at least delta".

    Parameters
    ----------
    failures, trials : int or int arrays, broadcast against each other
        With 0 <= failures <= trials.
    delta : float
        Nominal rate, in (0, 1).

    Returns
    -------
    float array
        0 without trials; decreasing in failures, increasing in clean trials and in delta.

    Raises
    ------
    UsageError
        If the counts or delta are out of range.
    """
    failed, clean, rate = _checked(failures, trials, delta)
    return _log_mixture(failed, clean, rate, 1.0 - rate, BELOW_SHAPE)


def rate_interval(failures: int, trials: int, level: float = 0.01) -> tuple[float, float]:
    """Confidence sequence for the rate, from trials consumed one by one.

    Parameters
    ----------
    failures, trials : int
        With 0 <= failures <= trials.
    level : float
        Probability, in (0, 1), of ever missing the rate, on either side.

    Returns
    -------
    (float, float)
        The rates which neither `log_evidence_above` nor `log_evidence_below` rejects at this level.

    Raises
    ------
    UsageError
        If an argument is out of range.
    """
    failed, tried = counts(failures, trials)
    side = error_level("the level of the interval", level)
    clean = tried - failed
    return 1.0 - _upper(clean, failed, side, ABOVE_SHAPE), _upper(failed, clean, side, BELOW_SHAPE)


def _checked(failures: ArrayLike, trials: ArrayLike, delta: float) -> tuple[Array, Array, float]:
    """Failures and clean trials as floats, after checking that they are counts."""
    rate = probability("delta", delta, "It is the failure rate the claim allows.")
    try:
        failed, tried = np.asarray(failures), np.asarray(trials)
        if failed.dtype.kind not in "biu" or tried.dtype.kind not in "biu":
            raise TypeError("not whole numbers")
        bad = (failed < 0) | (tried < 0) | (failed > tried)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f"{failures!r} failures in {trials!r} trials; expected whole numbers. Count trials one by one."
        ) from error
    if np.any(bad):
        place = np.unravel_index(int(np.argmax(bad)), bad.shape)
        few, many = np.broadcast_to(failed, bad.shape)[place], np.broadcast_to(tried, bad.shape)[place]
        raise UsageError(
            f"{few} failures in {many} trials; expected 0 <= failures <= trials. "
            "Count at most one failure per trial, and pass (failures, trials) in this order."
        )
    return failed.astype(np.float64), tried.astype(np.float64) - failed.astype(np.float64), rate


def _log_mixture(rare: Array, common: Array, x: float, y: float, shape: float) -> Array:
    r"""Logarithm of ``int_0^1 shape u^(shape-1) u^rare ((1 - x u)/(1 - x))^common du``, with y = 1 - x.

    Substituting t = x u this is ``shape x^-A y^-common B(A, common + 1) I_x(A, common + 1)`` with A = shape + rare.
    Where the regularised incomplete beta function I underflows it is
    ``(shape / A) y 2F1(A + common + 1, 1; A + 1; x)``.
    """
    from scipy.special import betainc, betaincc, betaln

    A, B = shape + rare, common + 1.0
    inside = betainc(A, B, x) if x <= 0.5 else betaincc(B, A, y)
    log_x, log_y = (math.log(x), math.log1p(-x)) if x <= 0.5 else (math.log1p(-y), math.log(y))
    with np.errstate(divide="ignore"):
        value = np.asarray(np.log(inside) + betaln(A, B) - A * log_x - common * log_y + math.log(shape), dtype=np.float64)
    tiny = inside < _UNDERFLOW
    if np.any(tiny):
        A, B = np.broadcast_arrays(A, B)
        value[tiny] = np.log(shape / A[tiny]) + log_y + np.log(_tail_series(A[tiny], B[tiny], x))
    return value


def _tail_series(A: Array, B: Array, x: float) -> Array:
    """2F1(A + B, 1; A + 1; x) by the continued fraction of the incomplete beta function.

    Converges fast for x below A / (A + B), the only place it is used (Numerical Recipes, section 6.4; Lentz's method).
    """
    c = np.ones_like(A)
    d = 1.0 / (1.0 - (A + B) * x / (A + 1.0))
    value = d.copy()
    for m in range(1, 1000):
        even = m * (B - m) * x / ((A + 2 * m - 1) * (A + 2 * m))
        odd = -(A + m) * (A + B + m) * x / ((A + 2 * m) * (A + 2 * m + 1))
        d, c = 1.0 / (1.0 + even * d), 1.0 + even / c
        value = value * d * c
        d, c = 1.0 / (1.0 + odd * d), 1.0 + odd / c
        value = value * d * c
        if np.all(np.abs(d * c - 1.0) < 1e-14):
            break
    return value


@cache  # the cells of a campaign ask again and again for the same few counts
def _upper(rare: int, common: int, level: float, shape: float) -> float:
    """Smallest rate at which the evidence for "less" reaches 1 / level; 1 if there is none.

    Bisection in log odds, from rare / (rare + common), where every likelihood ratio is at most 1; the outer end is
    returned.
    """
    if common == 0:
        return 1.0
    few, many = np.asarray(float(rare)), np.asarray(float(common))
    enough = -math.log(level)

    def crossed(odds: float) -> bool:
        x, y = _expit(odds), _expit(-odds)
        return float(_log_mixture(few, many, x, y, shape)) >= enough

    low, high = (math.log(rare / common) if rare else -500.0), 500.0
    if not crossed(high):
        return 1.0
    while high - low > 1e-10:
        middle = 0.5 * (low + high)
        if crossed(middle):
            high = middle
        else:
            low = middle
    return _expit(high)


def _expit(odds: float) -> float:
    if odds >= 0:
        return 1.0 / (1.0 + math.exp(-odds))
    return math.exp(odds) / (1.0 + math.exp(odds))
