"""Mixtures of normal laws: likelihood ratios to the standard normal law that need no guess of how another law is wrong.

Mixed over a conjugate law of the mean, or of the precision, a likelihood ratio has a closed form in the sums of the numbers and
of their squares. Its mean is 1 under the standard normal law, as that of each law mixed. Of n numbers with variance v its
logarithm grows by about ``n (v - 1 - log v) / 2``, whatever v is, less half the logarithm of n.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def conjugate_mixtures(n: Array, total: Array, squares: Array) -> tuple[float, float]:
    """Normal laws whose precision has the law Gamma(1, 1), and ones of variance 1 whose mean has the law N(0, 1), by group.

    Parameters
    ----------
    n : (g,) array
        How many numbers each group has.
    total, squares : (g,) array
        Their sum, and the sum of their squares.

    Returns
    -------
    tuple of float
        Logarithms of the two likelihood ratios, of all groups together.
    """
    from scipy.special import gammaln

    scales = gammaln(1.0 + n / 2) - (1.0 + n / 2) * np.log1p(squares / 2) + squares / 2
    means = total**2 / (2 * (1.0 + n)) - np.log1p(n) / 2
    return float(scales.sum()), float(means.sum())
