"""Competing curves for a quantity that grows: fitted to the smaller sizes, compared, and scored on a larger one.

All are fitted to the geometric mean over seeds with relative errors, so units of the value do not matter; each family is closed
under a change of the unit of size, so that does not matter either. That is why logarithms come with a free constant:
``a + b log n``, and ``n^e (a + b log n)``, which contains ``n^e log n`` and, over a few orders of magnitude, is hard to tell from
``n^e sqrt(log n)``.

The curve that is shown is the one that predicts best each of the sizes it is fitted to from the others. Which others fit as
well is said with it: over such sizes ``sqrt(n log n)`` and ``n^0.55`` are one curve, and no score can choose between them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array
from verifier.statistics.scaling import Interval, student

LEVEL = 0.05
"""Level of the bands, of the prediction, and of calling a curve incompatible with the data (over all sizes together)."""

NEGLIGIBLE = 0.01
"""A curve within 1% of all means counts as compatible, however small the noise."""


ROUNDING = 1e-6
"""Scores below count as equal; the simpler model is taken then."""


@dataclass(frozen=True)
class Model:
    """A family of curves with one or two parameters.

    Parameters
    ----------
    name, formula : str
        The formula in the size n.
    basis : tuple of callable
        Functions of the size, of which the curve is a linear combination; empty for the power with a free exponent.
    """

    name: str
    formula: str
    basis: tuple[Callable[[Array], Array], ...]

    @property
    def size(self) -> int:
        """Number of parameters."""
        return len(self.basis) or 2

    def fit(self, sizes: Array, means: Array) -> tuple[float, ...]:
        """Parameters by least relative squares; the exponent of the power by least squares of logarithms."""
        if not self.basis:
            slope, level = np.polyfit(np.log(sizes), np.log(means), 1)
            return math.exp(level), float(slope)
        columns = np.column_stack([function(sizes) / means for function in self.basis])
        scale = np.abs(columns).max(axis=0)
        found = np.linalg.lstsq(columns / scale, np.ones(len(sizes)), rcond=None)[0]
        return tuple(float(value) for value in found / scale)

    def curve(self, parameters: Sequence[float], sizes: Array) -> Array:
        """The curve at some sizes."""
        if not self.basis:
            return np.asarray(parameters[0] * np.asarray(sizes, dtype=float) ** parameters[1])
        terms = [value * function(sizes) for value, function in zip(parameters, self.basis, strict=True)]
        return np.asarray(sum(terms, np.zeros(len(sizes))))


def models(exponent: float) -> tuple[Model, ...]:
    """The competing curves, given the exponent of the claimed rate."""
    listed = [
        Model("constant", "a", (_one,)),
        Model("logarithm", "a + b log n", (_one, np.log)),
        Model("power", "a n^b", ()),
        Model("linear", "a + b n", (_one, _identity)),
    ]
    if exponent:
        power = f"n^{exponent:g}" if exponent != 1 else "n"
        listed.insert(3, Model("power with logarithm", f"{power} (a + b log n)", _with_logarithm(exponent)))
    return tuple(listed)


def _one(n: Array) -> Array:
    return np.ones(len(n))


def _identity(n: Array) -> Array:
    return np.asarray(n, dtype=float)


def _with_logarithm(exponent: float) -> tuple[Callable[[Array], Array], ...]:
    return (lambda n: np.asarray(n**exponent), lambda n: np.asarray(n**exponent * np.log(n)))


@dataclass(frozen=True)
class Fitted:
    """A model after fitting.

    Attributes
    ----------
    model : Model
    parameters : mapping
        By letter.
    score : float
        Root mean square of the relative errors with which each fitted size is predicted from the others; infinite where there are
        too few, or a prediction is not positive.
    compatible : bool
        Whether no mean, that of the held-out size included, is further from the curve than its noise explains.
    """

    model: Model
    parameters: Mapping[str, float]
    score: float
    compatible: bool


@dataclass(frozen=True)
class Comparison:
    """The models compared.

    Attributes
    ----------
    fitted : tuple of Fitted
    chosen : int
        Which of them predicts best.
    held_out : Interval
        Its prediction of the mean at the held-out size. The limits allow for the noise of both, and for the choice: they
        hold those of every model that the other sizes do not exclude.
    band : tuple of Interval
        Its curve at the sizes of the grid.
    """

    fitted: tuple[Fitted, ...]
    chosen: int
    held_out: Interval
    band: tuple[Interval, ...]

    @property
    def best(self) -> Fitted:
        """The chosen one."""
        return self.fitted[self.chosen]

    @property
    def rivals(self) -> tuple[Fitted, ...]:
        """The other models that the data cannot tell from the truth either."""
        return tuple(item for i, item in enumerate(self.fitted) if item.compatible and i != self.chosen)


def compare(sizes: Array, values: Array, exponent: float, grid: Array) -> Comparison:
    """Fit every model to all sizes but the largest, and predict that one.

    Parameters
    ----------
    sizes : (m,) array
        Increasing, at least three.
    values : (seeds, m) array
        Positive, at least two seeds.
    exponent : float
        Of the claimed rate.
    grid : (g,) array
        Sizes at which the chosen curve is wanted.
    """
    logs = np.log(values)
    wanted = np.concatenate([sizes, grid])
    fitted, curves, predictions = [], [], []
    last = len(sizes) - 1
    for model in models(exponent):
        whole, pseudo = _curves(model, sizes[:-1], logs[:, :-1], wanted)
        parameters = model.fit(sizes[:-1], np.exp(logs.mean(axis=0))[:-1])
        named = dict(zip("ab", parameters, strict=False))
        score = _score(model, sizes[:-1], np.exp(logs.mean(axis=0))[:-1])
        noise, distance = pseudo[:, : len(sizes)] - logs, whole[: len(sizes)] - logs
        fitted.append(Fitted(model, named, score, _compatible(noise, distance)))
        curves.append((whole, pseudo))
        if _compatible(noise[:, :last], distance[:, :last]) and math.isfinite(score):
            predictions.append(_centred(whole[last], student(noise[:, last], LEVEL / 2, LEVEL / 2)))
    chosen = min(range(len(fitted)), key=lambda i: (max(fitted[i].score, ROUNDING), fitted[i].model.size, i))
    whole, pseudo = curves[chosen]
    own = _centred(whole[last], student(pseudo[:, last] - logs[:, last], LEVEL / 2, LEVEL / 2))
    held_out = Interval(
        own.estimate, min(item.low for item in [own, *predictions]), max(item.high for item in [own, *predictions])
    )
    columns = range(len(sizes), len(wanted))
    band = tuple(_centred(whole[j], student(pseudo[:, j], LEVEL / 2, LEVEL / 2)) for j in columns)
    return Comparison(tuple(fitted), chosen, held_out, band)


def _curves(model: Model, sizes: Array, logs: Array, wanted: Array) -> tuple[Array, Array]:
    """The logarithm of the fitted curve at some sizes, and its pseudo-values from leaving out each seed in turn."""
    seeds = len(logs)
    whole = _log(model.curve(model.fit(sizes, np.exp(logs.mean(axis=0))), wanted))
    without = [np.exp(np.delete(logs, i, axis=0).mean(axis=0)) for i in range(seeds)]
    parts = np.array([_log(model.curve(model.fit(sizes, means), wanted)) for means in without])
    return whole, seeds * whole - (seeds - 1) * np.where(np.isfinite(parts), parts, whole)


def _centred(log_value: float, limits: Interval) -> Interval:
    """Limits moved to another centre, and out of the logarithm."""
    below, above = limits.low - limits.estimate, limits.high - limits.estimate
    return Interval(math.exp(log_value), math.exp(log_value + below), math.exp(log_value + above))


def _log(curve: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.log(curve))


def _score(model: Model, sizes: Array, means: Array) -> float:
    if len(sizes) <= model.size:
        return math.inf
    errors = []
    for i in range(len(sizes)):
        parameters = model.fit(np.delete(sizes, i), np.delete(means, i))
        errors.append(float(model.curve(parameters, sizes[i : i + 1])[0]) / means[i] - 1.0)
    return float(np.sqrt(np.mean(np.square(errors))))


def _compatible(pseudo: Array, distance: Array) -> bool:
    """Whether the noise of curve and means explains their distance at every size.

    Parameters
    ----------
    pseudo : (seeds, m) array
        Pseudo-values of the distance of the logarithms.
    distance : (seeds, m) array
        The distance of the curve from each seed.
    """
    from scipy.special import stdtrit

    seeds, m = pseudo.shape
    allowed = float(stdtrit(seeds - 1, 1.0 - LEVEL / (2 * m))) * pseudo.std(axis=0, ddof=1) / math.sqrt(seeds)
    return bool((np.abs(distance.mean(axis=0)) <= np.maximum(allowed, NEGLIGIBLE)).all())
