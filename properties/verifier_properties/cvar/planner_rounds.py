"""The rounds of a planner inside another algorithm, replayed from what it simulated and the widths it asked for.

Views: `verifier_settings.cvar`; what is said of one call, in terms of `verifier_settings.cvar.planning`, is said of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.model.measurement import Inequality, equality
from verifier.model.property import Property, phase_property
from verifier_properties.cvar import round_suspects
from verifier_properties.cvar.simulated_planning import VALUES, solved
from verifier_settings.cvar import Iterations
from verifier_settings.cvar.planner_rounds import HeardRounds, of_calls
from verifier_settings.cvar.tolerances import TIES

TOPIC = "Planning"


@phase_property("estimates")
def asked_widths(view: Iterations) -> Inequality:
    """Number of steps at which no width was asked for, of those of T1 rounds, in every call.

    The harness hears of every width that is handed out between two episodes of a simulator.
    """
    due = view.public.T1 * view.public.H
    missing = np.array([sum(max(due - int(call.asked.sum()), 0) for call in calls) for calls in view.seen.calls], dtype=float)
    return Inequality(missing, 0.0, ("iteration",), trivial=1.0, tolerance=0.5, labels=view.labels, identity=True)


def _values(view: HeardRounds) -> Inequality:
    last = np.broadcast_to(view.public.grid.levels, view.V[:, -1:].shape)
    own = np.concatenate([view.Q_clipped.min(axis=3)[:, 1:], last], axis=1)
    labels = {**view.labels, "h": np.arange(2, view.public.H + 2)}
    last_step = np.full((len(own), 1, view.public.S), 8 * EPS * view.public.H)
    tolerance = np.concatenate([solved(view).max(axis=3)[:, 1:], last_step], axis=1)
    return equality(
        view.handed, own, axes=VALUES, tolerance=tolerance[..., None] + TIES, labels=labels,
        explanations={
            said: partial(_from_step_two, last, make)
            for said, make in round_suspects.of_planned(view, view.public.lowest).items()
        },
    )  # fmt: skip


def _from_step_two(last: Array, values: Callable[[], Array]) -> Array:
    return np.concatenate([values()[:, 1:], last], axis=1)


def _greedy(view: HeardRounds) -> Inequality:
    Q = view.Q_clipped
    chosen = np.take_along_axis(Q, view.policy[:, :, :, None], axis=3)[:, :, :, 0]
    least, most = Q.min(axis=3), Q.max(axis=3)
    tolerance = 2 * solved(view).max(axis=3)[..., None] + TIES
    return Inequality(
        chosen - least, 0.0, VALUES, trivial=most - least, tolerance=tolerance, labels=view.labels, premise=view.reached,
        identity=True,
    )  # fmt: skip


_ABOUT = "From what every call simulated, and the value functions its widths were asked with."
values = Property("planned-values", "phase", _values, frozenset(), _ABOUT)
"""V_{h+1} that the width of round t was asked with is min_a Clip[-b + phibar'w(i) - beta ||phibar||], replayed by the harness."""
greedy = Property("planned-policy", "phase", _greedy, frozenset(), _ABOUT)
"""The policy simulated in a round takes an action of least replayed value, wherever it can come to."""


def _stacked(
    parts: Sequence[Sequence[tuple[HeardRounds, Inequality]]], shape: tuple[int, ...], of: Callable[[Inequality], Array]
) -> Array:
    """Quantity of each call, (p, calls, T1, ...), 0 where there is none."""
    found = np.zeros(shape)
    for p, row in enumerate(parts):
        for rounds, part in row:
            found[p, rounds.calls] = rounds.by_call(np.broadcast_to(of(part), (len(rounds.t), *shape[3:])))
    return found


def _left(part: Inequality) -> Array:
    assert part.sides is not None
    return part.sides[0]


def _right(part: Inequality) -> Array:
    assert part.sides is not None
    return part.sides[1]


def _explained(said: str, part: Inequality) -> Array:
    return part.explanations[said]()


def each_call(said: Property) -> Property:
    """Property of the rounds of a planner, for every call in every iteration.

    Calls that cannot be replayed, because widths or rounds are missing, are left out: `asked_widths` and the numbers of simulated
    episodes see them.

    Parameters
    ----------
    said : Property
        Of a batch of rounds of the planning setting, that reads no more of them than was heard.
    """

    def evaluate(view: Iterations) -> Inequality:
        parts = [[(rounds, said(rounds)) for rounds in calls] for calls in of_calls(view)]
        known = [part for row in parts for _, part in row]
        calls = (len(parts), max(map(len, view.seen.calls), default=0))
        if not known:
            return Inequality(np.zeros(calls), 0.0, ("iteration", "call"), trivial=0.0, labels=view.labels, premise=False)
        first = known[0]
        inner = np.broadcast_shapes(*(np.shape(getattr(first, side)) for side in ("value", "bound")))
        shape = (*calls, view.public.T1, *inner[1:])
        sides = {name: _stacked(parts, shape, attrgetter(name)) for name in ("value", "bound", "trivial", "tolerance", "cut")}
        premise = _stacked(parts, shape, attrgetter("premise")).astype(bool)
        return Inequality(
            sides["value"], sides["bound"], ("iteration", "call", *first.axes), sides["tolerance"],
            {**view.labels, **first.labels}, premise, first.identity, trivial=sides["trivial"], cut=sides["cut"],
            sides=None if first.sides is None else (_stacked(parts, shape, _left), _stacked(parts, shape, _right)),
            explanations={said: partial(_stacked, parts, shape, partial(_explained, said)) for said in first.explanations},
        )  # fmt: skip

    return Property(said.name, "phase", evaluate, frozenset({"estimates"}), said.description, topic=said.topic)
