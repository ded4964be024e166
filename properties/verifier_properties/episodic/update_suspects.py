"""Suspects of an update of Q-learning: other right sides, tried only where a comparison fails.

What is updated, and with which values, is of `verifier_properties.episodic.updates.Updates`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, cached_property
from verifier.model.measurement import Explanations
from verifier_properties.episodic.updates import Updates


def of_rate(found: Updates) -> Explanations:
    """Suspects of alpha_t, (K-1, H)."""
    t, H = found.t[:-1], float(found.public.H)
    return {
        "1/t": lambda: 1.0 / t,
        "2/(1 + t)": lambda: 2.0 / (1.0 + t),
        "the formula with t + 1 for t": lambda: (H + 1.0) / (H + t + 1.0),
    }


def of_root(found: Updates) -> Explanations:
    """Suspects of a bonus that falls like 1/sqrt(t), (K-1, H)."""
    t = found.t[:-1]
    return {
        "the formula with t for its root": lambda: found.bonus[:-1] / np.sqrt(t),
        "the formula with t + 1 for t": lambda: found.bonus[:-1] * np.sqrt(t / (t + 1.0)),
    }


class Tables:
    """Action values (K-1, H, S, A) after one update of those before."""

    def __init__(self, found: Updates) -> None:
        self.found, self.rows, self.alpha = found, found.rows[:-1], found.rate[:-1]
        self.episode = np.arange(len(self.rows))[:, None]

    @cached_property
    def Q(self) -> Array:
        """(K, H, S, A) of the plans in force."""
        return self.found.view.in_force("Q")

    @property
    def before(self) -> Array:
        """Tables before each update, (K-1, H, S, A)."""
        return self.Q[:-1]

    @cached_property
    def old(self) -> Array:
        """(K-1, H) the entries that are updated."""
        return self.before.reshape(*self.before.shape[:2], -1)[self.episode, self.found.at, self.rows]

    def with_entries(self, new: Array) -> Array:
        """Tables with other entries (K-1, H) at the pairs updated."""
        table = self.before.reshape(*self.before.shape[:2], -1).copy()
        table[self.episode, self.found.at, self.rows] = new
        return table.reshape(self.before.shape)

    def updated(self, target: Array) -> Array:
        """Tables with the update of a target (K, H)."""
        return self.with_entries((1 - self.alpha) * self.old + self.alpha * target[:-1])

    def as_reported(self) -> Array:
        """Tables with the update by the rate and the bonus that plans report; NaN in episodes whose count is wrong.

        A step that was missed or learned twice spoils the count and Q alike, and a wrong update is not told from that.
        """
        found = self.found
        rate, plain = found.afterwards("rate"), (found.target - found.bonus)[:-1]
        new = self.with_entries((1 - rate) * self.old + rate * (plain + found.afterwards("bonus")))
        return np.where((found.afterwards("step_visits") == found.t[:-1])[..., None, None], new, np.nan)

    def after(self, values: Array, at: Array | None = None) -> Array:
        """Tables with other values (K, H, S) of what follows, at the next state unless other ones (K, H) are given."""
        states = self.found.view.states[:, 1:] if at is None else at
        return self.updated(self.found.reward + np.take_along_axis(values, states[..., None], axis=2)[..., 0] + self.found.bonus)

    def at_all_actions(self) -> Array:
        """Every action of a state that was met has the new entry of the one played."""
        table = self.updated(self.found.target)
        n, h, A = self.episode, self.found.at, table.shape[3]
        table[n, h, self.rows // A] = table[n, h, self.rows // A, self.rows % A][..., None]
        return table


def of_update(found: Updates) -> Explanations:
    """Suspects of Q after every update, (K-1, H, S, A)."""
    tables = Tables(found)

    def later() -> Array:
        """(K, H, S, A) Q_{h+1}, 0 after the last step."""
        return np.concatenate([tables.Q[:, 1:], np.zeros_like(tables.Q[:, :1])], axis=1)

    def beside() -> Array:
        plain = (found.target - found.bonus)[:-1]
        return tables.with_entries((1 - tables.alpha) * tables.old + tables.alpha * plain + found.bonus[:-1])

    return {
        "the formula without the reward": lambda: tables.updated(found.target - found.reward),
        "the formula without the bonus": lambda: tables.updated(found.target - found.bonus),
        "the formula with V_h for V_{h+1}": lambda: tables.after(found.V[:, :-1]),
        "the formula with V_{h+1} at the state that is left": lambda: tables.after(found.V[:, 1:], found.view.states[:, :-1]),
        "the formula with V_{h+1} as it is after the episode": lambda: tables.after(
            np.append(found.V[1:], found.V[-1:], axis=0)[:, 1:]
        ),
        "the formula with the mean of Q over actions": lambda: tables.after(np.minimum(later().mean(axis=3), found.public.H)),
        "the formula with max Q, not cut at H": lambda: tables.after(later().max(axis=3)),
        "the minimum of the formula and the Q before": lambda: np.minimum(tables.before, tables.updated(found.target)),
        "the formula with the bonus not multiplied by the rate": beside,
        "the formula at all actions of the state": tables.at_all_actions,
    }


def made_of_reports(found: Updates) -> Callable[[], Array] | None:
    """Gives Q after every update, (K-1, H, S, A), from what plans report of the lines before; None if they do not."""
    told = found.view.history.keys() >= {"step_visits", "rate", "bonus"}
    return Tables(found).as_reported if told else None
