"""The rounds of a planner inside another algorithm, replayed from what it simulated and the widths it asked for.

Views: `verifier_settings.cvar`; what is said of one call, in terms of `verifier_settings.cvar.planning`, is said of each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.formulas.expression import Name, cut, operation
from verifier.formulas.quantity import Limit, Quantity, limit, quantities
from verifier.model.property import Property
from verifier.model.statement import Statement, identity
from verifier_properties.cvar.simulated_planning import greedy_by
from verifier_settings.cvar import Iterations
from verifier_settings.cvar.planner_rounds import Calls, HeardRounds, of_calls
from verifier_settings.cvar.planning.views import norm_rounding, solve_rounding
from verifier_settings.cvar.tolerances import TIES

TOPIC = "Planning"


def _missing(view: Iterations) -> Any:
    """(p,) steps of T1 rounds at which no width was asked for, in all calls."""
    due = view.public.T1 * view.public.H
    return np.array([sum(max(due - int(call.asked.sum()), 0) for call in calls) for calls in view.seen.calls])


@identity("missing", on=Iterations, needs=("estimates",), local=(Quantity(_missing, "missing", "iteration"),))
def asked_widths() -> Any:
    """Number of steps at which no width was asked for, of those of T1 rounds, in every call.

    The harness hears of every width that is handed out between two episodes of a simulator.
    """
    return 0.0


def _next(name: str, symbol: str, of: Callable[[HeardRounds], Any], rounding: Callable[[HeardRounds], Any] | None) -> Quantity:
    """Quantity of pairs at the least action of the next step."""
    return Quantity(
        lambda view: view.at_next(of(view)), name, "t h s budget", symbol,
        rounding=None if rounding is None else lambda view: view.at_next(rounding(view)),
    )  # fmt: skip


@identity("V_next", on=HeardRounds, name="planned-values", local=(
    Quantity(lambda view: view.handed, "V_next", "t h s budget", "V_{h+1}"),
    Quantity(lambda view: np.arange(1, view.public.H + 1), "h_", "h", "h"),
    _next("mean_next", "φ̄ᵀŵ_{h+1}", lambda view: view.mean, lambda view: solve_rounding(view)[:, None, None, None] + TIES),
    _next("b_next", "b_{h+1}", lambda view: view.b[:, :, None], None),
    _next("norm_next", "‖φ̄_{h+1}‖", lambda view: view.norm[..., None], lambda view: norm_rounding(view)[..., None]),
    Quantity(lambda view: np.roll(view.width, -1, axis=1), "beta_next", "t h", "β_{h+1}"),
    Quantity(lambda view: view.public.grid.levels, "c", "budget"),
))  # fmt: skip
def values(h_: Any, H: Any, mean_next: Any, b_next: Any, beta_next: Any, norm_next: Any, LO: Any, c: Any) -> Any:
    """V_{h+1} that the width of round t was asked with is min_a Clip[-b + phibar'w(i) - beta ||phibar||], at the least action."""
    return np.where(h_ < H, np.maximum(cut(mean_next - b_next - beta_next * norm_next, H), LO), c)


def _of_choices(view: HeardRounds) -> Any:
    """(p, H, S, N+1) rounding of the difference of two action values: twice the largest of those of a state."""
    each = solve_rounding(view)[:, None, None] + view.width[:, :, None] * norm_rounding(view)
    return 2 * each.reshape(*each.shape[:2], view.public.S, -1).max(axis=3)[..., None] + TIES


greedy = greedy_by(lambda view: view.Q_clipped, _of_choices, "planned-policy")


def each_call(said: Property) -> Property:
    """Property of the rounds of a planner, for every call in every iteration.

    Calls that cannot be replayed, because widths or rounds are missing, are left out: `asked_widths` and the numbers of simulated
    episodes see them.

    Parameters
    ----------
    said : Property
        Statement about a batch of rounds of the planning setting, that reads no more of them than was heard.
    """
    statement = said.function
    assert isinstance(statement, Statement)
    own = {**quantities(HeardRounds), **statement.local}
    heard = Quantity(lambda view: view.stacked(lambda rounds: 1.0, ()), "heard", "iteration call")
    where = Name("heard") if statement.where is None else operation("and", Name("heard"), statement.where)
    local = {"heard": heard, **{name: _of_each(item) for name, item in own.items()}}
    function = replace(statement, on=Calls, of=of_calls, local=local, where=where)
    return replace(said, function=function, needs=frozenset({"estimates"}))


def _of_each(item: Quantity) -> Quantity:
    """The quantity of every call."""

    def over(of: Callable[[HeardRounds], Any]) -> Callable[[Calls], Any]:
        return lambda view: view.stacked(of, item.axes)

    def end(value: Limit | None) -> Limit | None:
        return None if value is None else over(lambda rounds: limit(rounds, value))

    rounding = item.rounding
    return Quantity(
        over(item.on), item.name, " ".join(("iteration", "call", *item.axes)), item.symbol, end(item.low), end(item.high),
        None if rounding is None else over(lambda rounds: rounds.once(rounding)),
    )  # fmt: skip
