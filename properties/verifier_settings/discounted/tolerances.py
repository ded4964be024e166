"""Rounding that the comparisons of this setting allow, each derived from the sizes it depends on."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.discounted import solver
from verifier_settings.discounted.models import MixtureEstimates
from verifier_settings.discounted.played import PlayedEpochs

TOTAL = 1e-9
"""Relative rounding of a total over the run: terms are off by `solver.rounding`, 1e-10 for 5 states and gamma = 0.999, and adding
T of them adds T eps, 1e-10 for T = 6e5."""


def estimate(view: PlayedEpochs, updated: bool = True) -> Array:
    """(p, X, A) Phat_k V_k by two routes.

    Counting: X products of a count and a value, divided once. Regression: that of the parameter times the longest feature, and
    what a chain of updates adds.

    Parameters
    ----------
    view : PlayedEpochs
    updated : bool
        Whether the algorithm may have kept its inverse by rank-one updates (`rank_one`): it loses digits that a batch solve
        keeps, and is right all the same.
    """
    public = view.public
    counted = np.full(view.Q.shape, 8 * EPS * (public.X + 2) * public.H)
    if not isinstance(view.estimates, MixtureEstimates):
        return counted
    longest = np.linalg.norm(view.mixture.phi, axis=2).max(axis=1)
    found = counted + (parameter(view, updated=False) * longest)[:, None, None]
    return found + chain(view, view.mixture.phi).reshape(found.shape) if updated else found


def parameter(view: PlayedEpochs, updated: bool = True) -> Array:
    """(p,) theta_k by two routes, one of which may multiply by a computed inverse; Euclidean norm.

    Up to the unit, an inverse is off by |Lambda^{-1}| |Lambda| |Lambda^{-1}| entry by entry (Higham 2002, section 14.3), and that
    bounds, times |b|, also what rounding in Lambda and b does to a solution (section 7.2).
    """
    return view.once(_updated if updated else _solved)


def _solved(view: PlayedEpochs) -> Array:
    spread = np.matmul(view.mixture.inverse_error, np.abs(view.mixture.moments)[..., None])[..., 0]
    return np.asarray(unit(view) * (np.linalg.norm(spread, axis=1) + np.linalg.norm(view.truth.theta)))


def _updated(view: PlayedEpochs) -> Array:
    each = np.broadcast_to(np.eye(view.public.d), view.mixture.gram.shape)
    return np.asarray(view.once(_solved) + np.linalg.norm(chain(view, each), axis=1))


def chain(view: PlayedEpochs, rows: Array) -> Array:
    """(p, n) u' E b for rows u (p, n, d), E being what a chain of rank-one updates makes of the inverse, at most."""
    solved = np.matmul(rows, view.mixture.inverse)
    size = _form(view, view.mixture.theta[:, None, :])
    return np.asarray(EPS * np.sqrt(_form(view, solved) * size))


def _form(view: PlayedEpochs, rows: Array) -> Array:
    """(p, n) u' M u for rows u (p, n, d), M the perturbations of all updates before the epoch."""
    before = view.total("chain") - view.chain
    return np.maximum(np.vecdot(np.matmul(rows, before), rows), 0.0)


def unit(view: PlayedEpochs) -> Array:
    """(p,) relative rounding of a regression: of its solution, 8 d eps, and of sums of n products added in two orders, 4 n eps.

    Rounding errors do not average out here: where V hardly changes, equal products are added and rounded the same way.
    """
    return 4 * EPS * (2 * view.public.d + view.steps_before + 1.0)


def gram_norm(view: PlayedEpochs) -> Array:
    """(p,) a parameter in the norm of Lambda_k: its rounding times the root of the trace."""
    return parameter(view, updated=False) * np.sqrt(np.trace(view.mixture.gram, axis1=1, axis2=2))


def norm(view: PlayedEpochs, updated: bool = True) -> Array:
    """(p, X, A) what the width is multiplied by, by two routes; parameters as for `estimate`.

    Counting: one root. Regression: the square is off by |phi|' |Lambda^{-1}| |Lambda| |Lambda^{-1}| |phi| units, see `parameter`;
    the root of that bounds the error of the root where the square is smaller, else its quotient by the root does.
    """
    if not isinstance(view.estimates, MixtureEstimates):
        return 4 * EPS * np.ones(view.Q.shape)
    found, size = view.estimates, np.abs(view.estimates.phi)
    square = (np.matmul(size, found.inverse_error) * size).sum(axis=2).reshape(view.Q.shape) * unit(view)[:, None, None]
    if updated:
        square = square + EPS * _form(view, np.matmul(found.phi, found.inverse)).reshape(view.Q.shape)
    root = np.sqrt(square)
    return np.minimum(root, np.divide(square, found.norm, out=root.copy(), where=found.norm > 0))


def backup(view: PlayedEpochs) -> Array:
    """(p,) r + g P V_k (X products of size at most H) against the estimate of the algorithm."""
    return view.once(estimate).reshape(view.count, -1).max(axis=1) + 8 * EPS * (view.public.X + 4) * (view.public.H + 1)


def log_weights(view: PlayedEpochs) -> Array:
    """(p,) the largest numbers that the logarithms of a planning step are made of.

    From one step to the next these are finite |log pi| and eta H; in the closed form pi_k = softmax(log pi_0 + eta sum Q_i) they
    are eta (Q_1 + ... + Q_k), which is far larger where actions hardly differ.
    """
    logs = [np.abs(np.where(np.isfinite(table), table, 0.0)) for table in (view.previous_log_policy, view.log_policy)]
    total = np.abs(view.total("previous_Q")).max(axis=(1, 2))
    return np.maximum(*(table.max(axis=(1, 2)) for table in logs)) + view.eta * (view.public.H + total)


def logarithm(view: PlayedEpochs) -> Array:
    """(p,) log pi_k, or eta V_k, of one planning step: A exponentials, a logarithm, terms as large as the weights."""
    return 16 * EPS * (view.public.A + log_weights(view))


def value(view: PlayedEpochs) -> Array:
    """(p,) V_k: the logarithm divided by eta."""
    return view.once(logarithm) / view.eta + 16 * EPS * view.public.H


def average(view: PlayedEpochs) -> Array:
    """(p,) an average of functions in [0, H] under an occupancy, and values V_k, V_{k+1}, in one statement about an epoch."""
    public = view.public
    occupancy = 4 * solver.rounding(public.X, public.gamma) * public.X * (public.H + 1)
    return view.once(backup) + 4 * view.once(value) + occupancy
