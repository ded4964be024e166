"""Rounding of inverses that are kept by rank-one updates, as most implementations of a regression keep them.

Sherman and Morrison: with P = Lambda^{-1}, the inverse of Lambda + phi phi' is P - (P phi)(P phi)'/(1 + phi' P phi). An error E
made in one update is never corrected. To first order, with an error E it is the exact inverse of Lambda' - Lambda' E Lambda', and
every later update adds its phi phi' to this matrix and leaves the rest alone. So the errors of a chain of updates add up as
perturbations of Lambda, which a batch solve does not have, and those of early updates, when P was large, stay.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def perturbations(gram: Array, met: Array) -> Array:
    """Bounds (n, d, d) on what each of n updates adds to the perturbation of Lambda, in units of the machine's rounding.

    Let p = sqrt(diag P), sigma = sum_a p_a |phi_a| and s = phi' P phi <= sigma^2. As P is positive, |P_ab| <= p_a p_b. So
    P phi, of entries at most p_a sqrt(s), is computed up to d p_a sigma; 1 + s up to d (sigma^2 + sigma sqrt(s)), beside its own
    rounding; the quotient (P phi)(P phi)'/(1 + s) has three roundings more, and the subtraction one. Together |E| <= c p p' with

        c = 1 + [ 2 d sigma sqrt(s) + s (3 + d (sigma^2 + sigma sqrt(s)) / (1 + s)) ] / (1 + s).

    Then |v' E w| <= c (p' |v|) (p' |w|), and (p' |v|)^2 <= d v' diag(P) v. With v = Lambda' u the perturbation Lambda' E Lambda'
    is at most M = c d Lambda' diag(P) Lambda' as a form: |u' (Lambda' E Lambda') w| <= sqrt(u' M u) sqrt(w' M w), and so are sums
    of them for sums of M (Cauchy and Schwarz).

    Parameters
    ----------
    gram : (d, d) array
        Lambda before the first of them.
    met : (n, d) array
        The features that are added.

    Returns
    -------
    (n, d, d) array
        M of each update, positive semidefinite.
    """
    d = met.shape[1]
    after = gram + np.cumsum(met[:, :, None] * met[:, None, :], axis=0)
    inverse = np.linalg.inv(np.concatenate([gram[None], after[:-1]]))
    variance = np.maximum(np.diagonal(inverse, axis1=1, axis2=2), 0.0)
    sigma = (np.sqrt(variance) * np.abs(met)).sum(axis=1)
    s = np.maximum(((inverse @ met[:, :, None])[..., 0] * met).sum(axis=1), 0.0)
    product = d * sigma * np.sqrt(s)
    c = 1.0 + (2.0 * product + s * (3.0 + (d * sigma**2 + product) / (1.0 + s))) / (1.0 + s)
    return np.asarray(after @ ((d * c[:, None] * variance)[:, :, None] * after))
