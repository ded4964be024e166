"""Planning on the empirical model of all steps together: data, and greedy play of the plan in force."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_reference.episodes import BackwardInduction, EpisodeByEpisode
from verifier_settings.episodic import Public


class EmpiricalPlanning(EpisodeByEpisode, BackwardInduction):
    """Counts of transitions at any step, rewards that are known, and one plan at the start of each episode.

    Parameters
    ----------
    public : Public
    width : Width
    """

    regimes: ClassVar[tuple[str, ...]] = ("published", "scaled(0.03)", "oracle")
    kind: ClassVar[str]
    """Name of the width, see `verifier_settings.episodic.session.WIDTHS`."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        S, A = public.S, public.A
        self.reward = public.reward.reshape(S, A)
        self.transitions: Array = np.zeros((S, A, S))

    def visits(self) -> Array:
        """N(s,a), over all steps."""
        return np.asarray(self.transitions.sum(axis=2))

    def kernel(self, visits: Array) -> Array:
        """Phat(.|s,a); zero where nothing was seen."""
        return self.transitions / np.maximum(visits, 1.0)[:, :, None]

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Count the transitions of an episode (H+1,) and (H,), or of several, over all steps."""
        np.add.at(self.transitions, (states[..., :-1], actions, states[..., 1:]), 1.0)
