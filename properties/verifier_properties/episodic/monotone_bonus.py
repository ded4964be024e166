"""The bonus of MVP (Zhang, Ji and Du 2021), and why the values it makes are optimistic.

With values in [0, H], p = Phat(.|s,a), n visits and a logarithm iota that is handed out as the width,

    b = c_1 sqrt(Var(p, V) iota / n) + c_2 sqrt(H rhat iota / n) + c_3 H iota / n,   (c_1, c_2, c_3) = (460/9, 2 sqrt 2, 544/9).

Bonuses with the variance of V in place of that of V* usually need a term for the difference of the two. This one does not, since

    f(v) = p v + max{c sqrt(Var(p, v) iota / n), d H iota / n},   c = 20/3, d = 400/9,

does not decrease in v: where the root is the larger one, sqrt(Var(p, v)) >= (d / c) H sqrt(iota / n), and the derivative in v(s)
is p(s) [1 - c sqrt(iota / n) (p v - v(s)) / sqrt(Var(p, v))] >= p(s) (1 - c^2 / d), as p v - v(s) <= H. It is not negative if and
only if c^2 <= d (values 0 and H with a small chance of 0 come arbitrarily near), and here c^2 = d. Now b - c_2 sqrt(H rhat iota /
n) - 16 H iota / n is at least the maximum in f, as c_1 >= c and c_3 = d + 16, and half of it in turn at least the deviations of
Bernstein's empirical inequality. Hence, for any v <= V_{h+1} in [0, H],

    rhat + p V_{h+1} + b >= F(v),   F(v) = rhat + c_2 sqrt(H rhat iota / n) + 16 H iota / n + f(v).

With v = V*_{h+1} that is optimism: the event is F(V*_{h+1}) >= r + P V*_{h+1}.

The update itself, with b as it is printed, may well fall when V_{h+1} rises: a sum in place of the maximum is not monotone, for
any constants (the derivative is as above, and nothing bounds the variance). A test has an example. But it lies above F.

Views: `verifier_settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.oracle import Oracle
from verifier.model.statement import at_most
from verifier_properties.episodes import regret
from verifier_properties.episodic.doubled_quantities import QUANTITIES
from verifier_properties.episodic.doubled_replay import Doubled, Steps, doubled, per_visit, spread_of_best
from verifier_properties.episodic.tabular_model import Bonus
from verifier_settings.episodic import Instance, Phases, Public, Run, Truth, bonuses, tolerances
from verifier_settings.episodic.environment import EpisodicTranscript
from verifier_settings.sessions import oracle_width
from verifier_settings.views import Problem

TOPIC = "Optimism"

C_VARIANCE, C_REWARD, C_SMALL = 460 / 9, 2 * sqrt(2.0), 544 / 9
"""Constants c_1, c_2, c_3."""
ROOT, LEAST = 20 / 3, 400 / 9
"""c and d of f."""


def reward_term(public: Public, reward: Array, share: Array) -> Array:
    """c_2 sqrt(H rhat iota / n), with share = iota / n; 0 where rhat is negative."""
    return C_REWARD * np.sqrt(_product(public.H * np.maximum(reward, 0.0), share))


def propagated(public: Public, mean: Array, reward: Array, variance: Array, share: Array) -> Array:
    """F(v), from p v and Var(p, v)."""
    largest = np.maximum(ROOT * np.sqrt(_product(variance, share)), LEAST * public.H * share)
    return np.asarray(mean + (reward + reward_term(public, reward, share) + (C_SMALL - LEAST) * public.H * share) + largest)


def _product(factor: Array, share: Array) -> Array:
    """Product of two arrays, where 0 times infinity is 0."""
    return np.multiply(factor, share, out=np.zeros(np.broadcast_shapes(factor.shape, share.shape)), where=factor > 0)


def _share(view: Phases) -> Array:
    """(p, H, X) iota / n, with the width handed out; (p, 1, X) where that is the same at all steps."""
    width = view.width[:, :1] if (view.width == view.width[:, :1]).all() else view.width
    return per_visit(width[:, :, None], doubled(view).visits[:, None])


MONOTONE = Bonus(
    lambda w, H, n, r_bar, Var_p: (
        C_VARIANCE * np.sqrt(Var_p * w / n) + C_REWARD * np.sqrt(H * np.maximum(r_bar, 0.0) * w / n) + C_SMALL * H * w / n
    ),
    local=QUANTITIES,
    visits="n",
    reward="r_bar",
    backup="pV",
)
"""b for V_{h+1} of the plan."""


# Monotone in V --------------------------------------------------------------------------------------------------------


def below(view: Phases) -> Array:
    """(S+3, p, H, S) values v <= V_{h+1} of the plans: V* where that is smaller, V with one state worth 0, or less everywhere."""
    V, S = view.V[:, 1:], view.public.S
    rng = np.random.Generator(np.random.PCG64(0))
    without = np.where(np.eye(S, dtype=bool)[:, None, None], np.minimum(V, 0.0), V)
    shares = rng.random((2, *V.shape))
    return np.concatenate([np.minimum(view.truth.V[1:], V)[None], without, V - shares * np.maximum(V, 0.0)])


def _of_propagated(view: Phases) -> Array:
    """(p, H, X) rounding of F, and of Q.

    F is not affected by rounding under its root: that is the larger arm only where the variance is above (d / c)^2 H^2 iota / n,
    and an error e of it then is one of at most e / (2H).
    """
    public = view.public
    squared = tolerances.variance(public, doubled(view).visits) / (2 * public.H)
    return np.asarray((tolerances.backup(public, view.start)[:, None] + squared)[:, None] + MONOTONE.rounding(view))


def _in_range(view: Phases) -> BoolArray:
    """(p, H) whether V_{h+1} lies in [0, H], and the width is no error."""
    inside = (view.V[:, 1:] >= 0.0) & (view.V[:, 1:] <= view.public.H * (1 + 8 * EPS))
    return np.asarray(inside.all(axis=2) & (view.width > 0))


def _propagated(view: Phases) -> Array:
    """(S+3, p, H, X) min(H, F(v)) of the values v of `below`, or (S+3, 1, 1, 1) where all are H.

    Where v >= 0, F(v) is at least F(0), in which v is not, and F is evaluated at the pairs where F(0) < H for some plan.
    """
    public, found, share, H = view.public, doubled(view), view.once(_share), float(view.public.H)
    nothing, reward = np.zeros(()), found.reward[:, None]
    pairs = np.flatnonzero(~(propagated(public, nothing, reward, nothing, share) >= H).all(axis=(0, 1)))
    if not pairs.size:
        return np.full((public.S + 3, 1, 1, 1), H)
    values, kernel = below(view), found.kernel[:, None, pairs]
    mean, variance = bonuses.expected(kernel, values), bonuses.spread(kernel, values)
    least = np.full((*values.shape[:3], public.X), H)
    least[..., pairs] = np.minimum(propagated(public, mean, reward[..., pairs], variance, share[..., pairs]), H)
    return least


@at_most("least", on=Phases, where="inside", local=(
    Quantity(_propagated, "least", "v plan h pair", "min(H, F(v))", 0.0, "H"),
    Quantity(lambda view: view.Q, "Q_h", "plan h s a", rounding=_of_propagated),
    Quantity(_in_range, "inside", "plan h", "0 ≤ V_{h+1} ≤ H"),
))  # fmt: skip
def propagation(Q_h: Any) -> Any:
    """Q_h of every plan against min(H, F(v)) for many v <= V_{h+1}, F from the transcript; where values lie in [0, H]."""
    return Q_h


def covered(view: Phases) -> BoolArray:
    """(p, H) whether F(V*_{h+1}) >= r + P V*_{h+1} at every pair seen."""
    return np.asarray((_shortfall(view) <= 0.0).all(axis=2))


def _shortfall(view: Phases) -> Array:
    """(p, H, X) r + P V*_{h+1} - F(V*_{h+1}) of the harness's own model; negative where nothing was seen."""
    return view.once(_missing) - view.once(_added)


def _missing(view: Phases) -> Array:
    """(p, H, X) r - rhat + (P - Phat) V*_{h+1}."""
    return missing(view.instance, doubled(view))


def missing(instance: Problem[Public, Truth], found: Doubled) -> Array:
    """(..., H, X) r - rhat + (P - Phat) V*_{h+1}; 0 where nothing was seen."""
    truth, following = instance.truth, instance.truth.V[1:]
    kernels = truth.P.reshape(-1, *found.kernel.shape[-2:])  # of each step, or one of all
    error = truth.rewards - found.reward[..., None, :] + bonuses.expected(kernels - found.kernel[..., None, :, :], following)
    return np.where(found.visits[..., None, :] > 0, error, 0.0)


def _added(view: Phases) -> Array:
    """(p, H, X) F(v) - rhat - p v at v = V*_{h+1}."""
    reward = doubled(view).reward[:, None]
    return propagated(view.public, np.zeros(()), reward, view.once(spread_of_best), view.once(_share)) - reward


class LogarithmError(Oracle):
    """The oracle of iota: the least with which F(V*_{h+1}) >= r + P V*_{h+1} at every pair seen.

    F rises with iota. Either arm of its maximum makes the condition a quadratic one in sqrt(iota); the smaller solution counts.
    """

    instance: Instance
    transcript: EpisodicTranscript

    def __init__(self, instance: Instance, transcript: EpisodicTranscript) -> None:
        super().__init__(instance, transcript)
        self._episodes, self._model = -1, Doubled(*np.zeros((3, 0)))

    def _doubled(self) -> Doubled:
        """Model at the present time, replayed once for each plan."""
        episodes = self.transcript.episodes
        if self._episodes != episodes:
            self._episodes, self._model = episodes, Steps(self.instance, self.transcript, episodes).doubled(episodes)
        return self._model

    def error(self, step: int, target: Array) -> Array:
        """r - rhat + (P - Phat) V*_{h+1} at every pair, shape (X,)."""
        return np.asarray(missing(self.instance, self._doubled())[step])

    def width(self, step: int, target: Array) -> float:
        """The least iota of the step."""
        public, found, needed = self.instance.public, self._doubled(), np.maximum(self.error(step, target), 0.0)
        deviation = np.sqrt(bonuses.spread(found.kernel, self.instance.truth.V[step + 1]))
        reward = C_REWARD * np.sqrt(public.H * np.maximum(found.reward, 0.0))
        small = (C_SMALL - LEAST) * public.H
        root = least_root(small, reward + ROOT * deviation, needed)
        other = least_root(small + LEAST * public.H, reward, needed)
        return oracle_width(float((found.visits * np.minimum(root, other) ** 2).max()))


def least_root(square: Array | float, linear: Array, needed: Array) -> Array:
    """The least x >= 0 with square x^2 + linear x >= needed, for square > 0."""
    return np.asarray(2 * needed / np.maximum(linear + np.sqrt(linear**2 + 4 * square * needed), np.finfo(float).tiny))


def _of_best(view: Phases) -> Array:
    """(p, H, X) F(V*_{h+1}) with rhat and Phat of the plan and the width handed out; 0 where nothing was seen."""
    kernel, reward, following = view.reported("kernel")[:, None], view.reported("reward")[:, None], view.truth.V[1:]
    mean, variance = bonuses.expected(kernel, following), bonuses.spread(kernel, following)
    return np.where(view.once(_seen)[:, None], propagated(view.public, mean, reward, variance, view.once(_share)), 0.0)


def _seen(view: Phases) -> BoolArray:
    """(p, X) whether a pair was seen."""
    return np.asarray(doubled(view).visits > 0)


@at_most("best", on=Phases, where="seen", needs=("kernel", "reward"), local=(
    Quantity(
        lambda view: (view.truth.rewards + np.matmul(view.truth.kernel, view.truth.V[1:, :, None])[..., 0])[None],
        "best", "plan h pair", "r + PV*_{h+1}", 0.0, "H",
    ),
    Quantity(_of_best, "F", "plan h pair", "F(V*_{h+1})", rounding=lambda view: tolerances.backup(view.public, view.start)),
    Quantity(_seen, "seen", "plan pair", "n > 0"),
))  # fmt: skip
def coverage(F: Any) -> Any:
    """r + P V*_{h+1} against F(V*_{h+1}) with rhat and Phat of the plan and the width handed out, at all pairs seen."""
    return F


# Regret ---------------------------------------------------------------------------------------------------------------


def slack(view: Run) -> Array:
    """(K, H) what a step adds to the regret: rhat - r + b + (Phat - P) V_{h+1} at the pair, or H where nothing was seen."""
    rows, steps, public = view.pairs, np.arange(view.public.H), view.public
    plan = (np.searchsorted(view.plans, np.arange(len(rows)), side="right") - 1)[:, None]
    visits, kernel, reward, bonus, V = (view.history[name] for name in ("visits", "kernel", "reward", "bonus", "V"))
    error = ((kernel[plan, rows] - view.truth.kernel[steps, rows]) * V[plan, steps + 1]).sum(axis=2)
    added = reward[plan, rows] - view.truth.rewards[steps, rows] + bonus[plan, steps, rows] + error
    return np.where(visits[plan, rows] > 0, added, float(public.H))


recursion = replace(regret.recursion(slack), needs=frozenset({"visits", "kernel", "reward", "bonus", "V"}), looks_back=True)
"""delta_h <= E[delta_{h+1} | s_h, a_h] + `slack` at every visited (k, h), all of what the plans report."""
