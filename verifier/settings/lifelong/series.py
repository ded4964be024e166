"""Per-episode and per-step series, looked up at the states and actions of the transcript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.settings.elliptical import bonus_under

if TYPE_CHECKING:
    from verifier.settings.lifelong.phases import Phases


@dataclass(frozen=True)
class EpisodeSeries:
    """Per-episode and per-step series, shapes (e,) and (e, H).

    Attributes
    ----------
    regret : (e,) V*_1(s_1,w) - V^pi_1(s_1,w)
    optimal : (e,) V*_1(s_1,w)
    gap : (e, H+1) delta_h = V_h - V^pi_h at the visited states, zero at H+1
    expected_gap : (e, H) E[delta_{h+1} | s_h, a_h]
    bonus : (e, H) ||phi_h|| in the norm of the inverse Gram matrix at the time of the plan in force
    reported_bonus : (e, H) the same under the Gram matrix the algorithm reported in that plan (of psi for Algorithm 5)
    psi_bonus : (e, H) ||psi_h|| in the norm of the inverse Gram matrix of psi at the time of the plan (0 if none is kept)
    reward_width : (e, H) the width of the reward estimate in force (0 if there is none)
    width : (e, H) the width in force
    event : (e, H) whether the estimates in force are within the width
    complete : (e, H) whether Assumption 2 holds for the value functions in force (True where it does not matter)
    zeta : (e, H) realised completeness error of the value functions in force (0 where plans do not serve all contexts)
    agrees : (e, H) whether the action played is the policy's
    """

    regret: Array
    optimal: Array
    gap: Array
    expected_gap: Array
    bonus: Array
    reported_bonus: Array
    psi_bonus: Array
    reward_width: Array
    width: Array
    event: BoolArray
    complete: BoolArray
    zeta: Array
    agrees: BoolArray

    @classmethod
    def of(cls, phases: Phases) -> EpisodeSeries:
        """Look up every series at the states and actions of the transcript."""
        A, H = phases.public.A, phases.public.H
        p, c, w = phases.phase[:, None], phases.episode_column[:, None], phases.episode_contexts
        s, a, h = phases.states[:, :-1], phases.actions, np.arange(H)[None, :]
        row = s * A + a
        difference = phases.V - phases.V_policy
        gap = np.zeros((len(w), H + 1))
        gap[:, :-1] = difference[p, h, s, c]
        following = difference[p, h + 1, :, c]
        optimal = phases.truth.V[0, s[:, 0], w]
        full = phases.contexts.shape[1] == phases.public.W
        none = np.zeros((len(w), H))
        return cls(
            regret=optimal - phases.V_policy[phases.phase, 0, s[:, 0], c[:, 0]],
            optimal=optimal,
            gap=gap,
            expected_gap=np.einsum("ehs,ehs->eh", phases.truth.P[h, row], following),
            bonus=phases.bonus[p, h, row],
            reported_bonus=_reported(phases, p, h, row, w),
            psi_bonus=phases.psi_bonus[p, h, row, w[:, None]] if phases.extra.counts is not None else none,
            reward_width=none if phases.extra.reward_width is None else phases.extra.reward_width[phases.phase],
            width=phases.width[phases.phase],
            event=phases.event[phases.phase],
            complete=phases.complete[phases.phase] if full else np.ones((len(w), H), dtype=bool),
            zeta=phases.completeness_residual[phases.phase] if full else none,
            agrees=phases.policy[p, h, s, c] == a,
        )

    @classmethod
    def join(cls, parts: list[EpisodeSeries]) -> EpisodeSeries:
        """Put batches one after the other."""
        names = cls.__dataclass_fields__
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _reported(phases: Phases, p: IntArray, h: IntArray, row: IntArray, w: IntArray) -> Array:
    """Bonus norms at the visited pairs under the Gram matrices the algorithm reported; infinite where one is singular."""
    if not phases.regresses_on_psi:
        return phases.reported_bonus[p, h, row]
    flat = bonus_under(phases.instance.psi_rows, phases.psi_gram)
    return flat[p, h, row * phases.public.W + w[:, None]]
