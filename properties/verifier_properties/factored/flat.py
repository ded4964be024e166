"""The special case n = m = d = 1: UCBVI-CH on flat states and actions, by the harness.

Views: `verifier_settings.factored.Phases` and `Run`.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.formulas.expression import cut
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
from verifier.model.property import Property, phase_property
from verifier.model.statement import at_most, identity
from verifier_properties.factored.formulas import backup_rounding, value_sizes
from verifier_settings import mdp
from verifier_settings.factored import Instance, Phases, Public, Run

TOPIC = "Regret"


def flat_log(T: Any, S: Any, A: Any, delta: Any) -> Any:
    """L = ln(18 T S A / delta), of the transitions and, as the scope of the reward has S A cells, of the rewards."""
    return np.log(18 * T * S * A / delta)


def flat_bonus(H: Any, L: Any, N: Any, w: Any, w_R: Any) -> Any:
    """sqrt(2 L / N) + sqrt(2 H^2 L / N) with L times the widths; N is 1 at least."""
    return (np.sqrt(2 * w_R * L) + H * np.sqrt(2 * w * L)) / np.sqrt(N)


def _mean_of_moves(view: Phases) -> Array:
    """(p, H, X) Phat V_{h+1}, evaluated at the pairs that were seen before some plan of the batch: of a large problem, few."""
    visits, found = view.history.visits_of_pairs, np.zeros((len(view.plans), view.public.H, view.public.X))
    pairs = np.flatnonzero(visits.any(axis=0))
    laws = view.history.transitions_of(pairs) / np.maximum(visits[:, pairs], 1.0)[..., None]
    found[..., pairs] = np.matmul(view.V[:, 1:], np.swapaxes(laws, 1, 2))
    return found


@identity("Q", on=Phases, where="w >= 0", define={"L": flat_log, "b": flat_bonus}, local=(
    Quantity(lambda view: view.history.visits_of_pairs, "N", "plan pair"),
    Quantity(lambda view: view.reward_width, "w_R", "plan"),
    Quantity(lambda view: view.earned / np.maximum(view.history.visits_of_pairs, 1.0), "R_hat", "plan pair", "R̂"),
    Quantity(_mean_of_moves, "PV_hat", "plan h pair", "P̂V_{h+1}", rounding=lambda view: backup_rounding(view, value_sizes(view))),
))  # fmt: skip
def q_formula(N: Any, R_hat: Any, b: Any, PV_hat: Any, H: Any) -> Any:
    """Q_h against min(H, Rhat + sqrt(2 L / N) + sqrt(2 H^2 L / N) + Phat V_{h+1}), H where N = 0, of flat states and actions.

    All from the transcript but V, which is the plan's. No width is asked for where the bonus is the realised error.
    """
    return np.where(N > 0, cut(R_hat + b + PV_hat, H), H)


# Not a formula: it is that one where the problem has no structure; elsewhere its tables may be too large to be made.
@phase_property()
def reduction(view: Phases) -> Inequality:
    """Q_h against the formula of UCBVI-CH, where the problem has one factor and one reward, which depend on everything."""
    if unstructured(view.public):
        return q_formula(view)
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
    fixed = earned[seen] / n + flat_bonus(H, flat_log(public.T, public.S, public.A, public.delta), n, width, width)
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

    def most(view: Run) -> float:
        instance: Any = view.instance
        return float(np.where(instance.start > 0, view.truth.V[0], 0.0).max(axis=1).sum())

    def flat(view: Run) -> float:
        if not is_product(view.public):
            return 0.0
        instance: Instance = view.instance  # type: ignore[assignment]  # views hold the setting's own
        return flat_regret(instance, width, zlib.crc32(np.ascontiguousarray(view.states).tobytes()))

    regret = Quantity(
        lambda view: view.series.regret.sum(), "R", "", "R_K", 0.0, most, rounding=lambda view: 1e-9 * view.public.T
    )
    made: Property = at_most(
        "R", "R_flat", on=Run, scope="run", where="product", ceiling="most", name="below-flat", topic=TOPIC, local=(
            regret, Quantity(flat, "R_flat", "", "R_K of UCBVI-CH"), Quantity(most, "most", "", "Σ_k max V*_1"),
            Quantity(lambda view: is_product(view.public), "product", "", "three factors or more, with nothing in common"),
        ),
        description="Exact regret against that of the flat algorithm, which the harness runs itself on the same instance.",
    )  # fmt: skip
    return made
