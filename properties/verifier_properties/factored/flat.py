"""The special case n = m = d = 1: UCBVI-CH on flat states and actions, by the harness.

Views: `verifier_settings.factored.Phases` and `Run`.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.model.measurement import Inequality, Part, equality
from verifier.model.property import Property, phase_property
from verifier_settings import mdp
from verifier_settings.factored import Instance, Phases, Public, Run, tolerances

TOPIC = "Regret"


def flat_log(public: Public) -> float:
    """L = ln(18 T S A / delta), of the transitions and, as the scope of the reward has S A cells, of the rewards."""
    return float(np.log(18 * public.T * public.S * public.A / public.delta))


def flat_bonus(public: Public, visits: Array, reward_width: Array, width: Array) -> Array:
    """sqrt(2 L / N) + sqrt(2 H^2 L / N) with L times the widths; N is 1 at least."""
    L = flat_log(public)
    return (np.sqrt(2 * reward_width * L) + public.H * np.sqrt(2 * width * L)) / np.sqrt(np.maximum(visits, 1.0))


def _staying(view: Phases) -> Array:
    """(p, X, S) the visits of each pair, as moves to the state that is left."""
    return np.repeat(np.eye(view.public.S), view.public.A, axis=0) * view.history.transitions.sum(axis=2, keepdims=True)


def _mean(view: Phases, pairs: IntArray, moves: Array) -> Array:
    """(p, H, n) Rhat + Phat V_{h+1} at n pairs, for transitions (p, n, S), with V of the plan."""
    n = np.maximum(view.history.visits_of_pairs[:, pairs], 1.0)
    return (view.earned[:, pairs] / n)[:, None] + np.matmul(view.V[:, 1:], np.swapaxes(moves, 1, 2)) / n[:, None]


def _q_formula(view: Phases) -> Inequality:
    """Q_h against min(H, Rhat + bonus + Phat V_{h+1}), H where nothing was seen, with V of the plan.

    Means are evaluated at the pairs that were seen before some plan of the batch: of a large problem they are few.
    """
    public, visits, H = view.public, view.history.visits_of_pairs[:, None], float(view.public.H)
    pairs = np.flatnonzero(visits.any(axis=(0, 1)))
    mean, none = _mean(view, pairs, view.history.transitions_of(pairs)), np.zeros((1, 1, 1))
    same = bool((view.width == view.width[:, :1]).all())  # what does not depend on the step is evaluated for one
    root = flat_bonus(public, visits, none, (view.width[:, :1] if same else view.width)[:, :, None])
    reward = flat_bonus(public, visits, view.reward_width[:, None, None], none)
    size = np.maximum(1.0, np.abs(view.V).max(axis=(1, 2)) / public.H)
    rounding = (size * tolerances.backup(public, view.start))[:, None, None] + 64 * EPS * (root + reward)
    asked = np.asarray(~np.isnan(view.width).any(axis=1))[:, None, None, None]

    def full(mean: Array, bonus: Array, unseen: float = H, cut: float = H) -> Array:
        found = np.full((len(view.plans), public.H, public.X), unseen)
        found[..., pairs] = np.where(visits[..., pairs] > 0, np.minimum(mean + bonus[..., pairs], cut), unseen)
        return np.where(asked, found.reshape(view.Q.shape), view.Q)

    log = flat_log(public)
    return equality(
        view.Q, full(mean, root + reward), axes=("plan", "h", "s", "a"), labels=view.labels, premise=asked,
        tolerance=np.where(asked, rounding.reshape(*rounding.shape[:2], public.S, public.A), 0.0),
        parts={
            "the bonus": Part(lambda: root + reward, lambda bonus: full(mean, bonus)),
            "the bonus of the transitions": Part(lambda: root, lambda root: full(mean, root + reward)),
            "the bonus of the rewards": Part(lambda: reward, lambda reward: full(mean, root + reward)),
        },
        explanations={
            "the formula without its cut at H": lambda: full(mean, root + reward, cut=np.inf),
            "the mean alone, and 0 where nothing was seen": lambda: full(mean, 0.0 * root, 0.0),
            "the formula with 2 times the visits in the bonus": lambda: full(mean, (root + reward) / np.sqrt(2.0)),
            "the formula with K for T in the logarithm": lambda: full(
                mean, root * np.sqrt(1.0 - np.log(public.H) / log) + reward
            ),
            "the formula with frequencies of the states that are left": lambda: full(
                _mean(view, pairs, _staying(view)[:, pairs]), root + reward
            ),
        },
    )  # fmt: skip


@phase_property()
def q_formula(view: Phases) -> Inequality:
    """Q_h against min(H, Rhat + sqrt(2 L / N) + sqrt(2 H^2 L / N) + Phat V_{h+1}), H where N = 0, of flat states and actions.

    All from the transcript but V, which is the plan's.
    """
    return _q_formula(view)


@phase_property()
def reduction(view: Phases) -> Inequality:
    """Q_h against the formula of UCBVI-CH, where the problem has one factor and one reward, which depend on everything."""
    if unstructured(view.public):
        return _q_formula(view)
    return Inequality(np.zeros(view.Q.shape), 0.0, ("plan", "h", "s", "a"), trivial=0.0, premise=False)


def unstructured(public: Public) -> bool:
    """Whether n = m = 1 with full scopes."""
    return public.n == public.m == 1 and all(
        public.cell_count(scope) == public.X for scope in (*public.transition_scopes, *public.reward_scopes)
    )


# The flat agent, run by the harness ---------------------------------------------------------------------------------------


def is_product(public: Public) -> bool:
    """Whether there are three or more factors and no two of them depend on a common coordinate."""
    coordinates = [i for scope in public.transition_scopes for i in scope]
    return public.n >= 3 and len(coordinates) == len(set(coordinates))


def flat_policy(public: Public, moves: Array, earned: Array, width: float) -> IntArray:
    """(H, S) the greedy policy of UCBVI-CH after these transitions (X, S) and rewards (X,), its logarithms times the width."""
    H, visits = public.H, moves.sum(axis=1)
    seen = np.flatnonzero(visits)
    n, laws = visits[seen], moves[seen] / visits[seen, None]
    fixed = earned[seen] / n + flat_bonus(public, n, np.array(width), np.array(width))
    V, policy, Q = np.zeros(public.S), np.zeros((H, public.S), dtype=np.int64), np.full(public.X, float(H))
    by_state = Q.reshape(public.S, public.A)
    for h in reversed(range(H)):
        Q[seen] = np.minimum(fixed + laws @ V, H)
        policy[h], V = by_state.argmax(axis=1), by_state.max(axis=1)
    return policy


def flat_regret(instance: Instance, width: float, seed: int) -> float:
    """The regret of UCBVI-CH over the K episodes of an instance, exact values, in a run of the harness's own."""
    public, truth, rng = instance.public, instance.truth, np.random.Generator(np.random.PCG64(seed))
    moves, earned = np.zeros((public.X, public.S)), np.zeros(public.X)
    policies, first = np.empty((public.K, public.H, public.S), dtype=np.int64), np.empty(public.K, dtype=np.int64)
    parts = [
        (part.support.tolist(), np.cumsum(part.law, axis=1).tolist(), public.cells(scope))
        for part, scope in zip(truth.parts, public.reward_scopes, strict=True)
    ]
    kernel, start = np.cumsum(truth.P, axis=1), np.cumsum(instance.start, axis=1)
    for k in range(public.K):
        # Plans see data of finished episodes: the counts below grow after the policy of the episode is fixed.
        policies[k] = flat_policy(public, moves, earned, width)
        s = first[k] = _drawn(start[k], rng)
        for h in range(public.H):
            x = s * public.A + policies[k, h, s]
            s = _drawn(kernel[x], rng)
            moves[x, s] += 1.0
            earned[x] += sum(support[_drawn(law[cells[x]], rng)] for support, law, cells in parts) / public.m
    # Policies are evaluated all at once, one column each: axes (h, pair, policy, 1), so that one backward pass is enough.
    reward = np.broadcast_to(truth.reward[:, None, None], (public.H, public.X, public.K, 1))
    values = mdp.policy_values(truth.kernel, reward, policies[..., None])
    return float((truth.V[0, first] - values[np.arange(public.K), 0, first, 0]).sum())


def _drawn(law: Sequence[float] | Array, rng: np.random.Generator) -> int:
    """Index drawn from a cumulative law."""
    # A cumulative law may end a few units below 1 by rounding: a larger number belongs to its last entry.
    return min(bisect_right(law, rng.random()), len(law) - 1)


def below_flat(width: float) -> Property:
    """The regret of the run against that of UCBVI-CH in a run of the harness's own, its logarithms times the width.

    On products of three or more factors. The seed of that run is a checksum of the transcript, so that a trial is reproducible.
    Neither can lose more in an episode than V*_1 where it may begin.
    """

    def evaluate(view: Run) -> Inequality:
        public, truth = view.public, view.truth
        if not is_product(public):
            return Inequality(0.0, 0.0, trivial=0.0, premise=False)
        instance: Instance = view.instance  # type: ignore[assignment]  # views hold the setting's own
        most = float(np.where(instance.start > 0, truth.V[0], 0.0).max(axis=1).sum())
        bound = flat_regret(instance, width, zlib.crc32(np.ascontiguousarray(view.states).tobytes()))
        value, rounding = float(view.series.regret.sum()), 1e-9 * public.T
        return Inequality(value, bound, trivial=most, ceiling=most, tolerance=rounding)

    description = "Exact regret against that of the flat algorithm, which the harness runs itself on the same instance."
    return Property("below-flat", "run", evaluate, frozenset(), description)
