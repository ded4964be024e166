"""The whole run of an episodic algorithm, and the fields of its plans that statements about it look back at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, read_only
from verifier.formulas.quantity import quantity
from verifier_settings import phases
from verifier_settings.episodic import tolerances
from verifier_settings.episodic.instance import Public, Truth
from verifier_settings.episodic.phases import EpisodeSeries


class History(Mapping[str, Array]):
    """Fields of all N plans of a run by name, each an array (N, ...) that is made when it is first read.

    Parameters
    ----------
    plans : mapping of str to sequence of arrays
        The same plan by plan: what can be looked at so need not be in memory twice.
    """

    def __init__(self, plans: Mapping[str, Sequence[Array]]) -> None:
        self.plans, self._whole = plans, dict[str, Array]()

    def __getitem__(self, name: str) -> Array:
        if name not in self._whole:
            self._whole[name] = read_only(np.array(self.plans[name]))
        return self._whole[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.plans)

    def __len__(self) -> int:
        return len(self.plans)


@dataclass(eq=False, kw_only=True)
class Run(phases.LinearRun[Public, Truth]):
    """The whole run; further parameters as for `EpisodeRun`.

    Parameters
    ----------
    history : History
        Of all plans, the fields that statements about the whole run look back at.
    applied : (K, H) array
        The widths handed out for an update from what was seen at a step, that is, without a value function; NaN where none was.
    rewards : (K, H) array
        The rewards paid.
    stopped : bool
        Whether the algorithm ended the run. K is then the number of episodes played here; `history` has the output, too, the last
        plan. Only properties that say so (`Property.any_length`) are about such runs.
    spare : int
        Seed of random numbers that the harness needs to look at the run, and the agent knows nothing of.
    """

    series: EpisodeSeries
    history: History
    applied: Array
    rewards: Array
    stopped: bool = False
    spare: int = 0

    @quantity("w", "episode h", symbol="width", low=0.0, high=np.inf)
    def width(self) -> Array:
        """(K, H) the widths handed out for the updates; 0 where none was, and NaN where none ever was."""
        return np.where(np.isnan(self.applied) & self.asks, 0.0, self.applied)

    @property
    def asks(self) -> bool:
        """Whether a width was asked for, for a plan or for an update."""
        return super().asks or not bool(np.isnan(self.applied).all())

    def in_force(self, name: str) -> Array:
        """(K, ...) a field of the plan in force in each episode."""
        if len(self.plans) == len(self.actions):  # one in each, of large arrays no copy
            return self.history[name][: len(self.plans)]  # without the output of a run that has stopped
        return self.history[name][np.searchsorted(self.plans, np.arange(len(self.actions)), side="right") - 1]

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about the values of each episode."""
        return tolerances.chain(self.public, np.arange(len(self.actions))) + self.public.H * self.series.targeted_rounding
