"""Per-episode and per-step series, looked up at the states and actions of the transcript."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from verifier.base.arrays import Array, BoolArray

if TYPE_CHECKING:
    from verifier.settings.episodic.phases import Phases


@dataclass(frozen=True)
class EpisodeSeries:
    """Per-episode and per-step series, shapes (e,) and (e, H).

    Attributes
    ----------
    regret : (e,) V*_1(s_1) - V^pi_1(s_1)
    optimal : (e,) V*_1(s_1)
    gap : (e, H+1) delta_h = V_h - V^pi_h at the visited states
    expected_gap : (e, H) E[delta_{h+1} | s_h, a_h]
    model_error : (e, H) (Phat - P) V_{h+1} at the visited pairs, of the harness's own Phat; 0 where nothing was seen
    seen : (e, H) whether N > 0 when the plan was made
    reported_visits : (e, H) N of the plan at the visited pairs; 0 where it reports none
    added : (e, H) the bonus the plan reports at the visited pairs; 0 where it reports none
    bonus : (e, H) ||phi_h|| in the norm of the inverse Gram matrix at the time of the plan
    reported_bonus : (e, H) the same under the Gram matrix the plan reports; infinite where one is singular
    width : (e, H) the width in force
    event : (e, H) whether the estimates in force are within the width
    complete : (e, H) True: nothing else is assumed of plans here
    agrees : (e, H) whether the action played is the policy's
    """

    regret: Array
    optimal: Array
    gap: Array
    expected_gap: Array
    model_error: Array
    seen: BoolArray
    reported_visits: Array
    added: Array
    bonus: Array
    reported_bonus: Array
    width: Array
    event: BoolArray
    complete: BoolArray
    agrees: BoolArray

    @classmethod
    def of(cls, phases: Phases) -> EpisodeSeries:
        """Look up every series at the states and actions of the transcript."""
        public, truth = phases.public, phases.truth
        first, p, h = phases.phase, phases.phase[:, None], np.arange(public.H)[None, :]
        s, a = phases.states[:, :-1], phases.actions
        row = s * public.A + a
        difference = phases.V - phases.V_policy
        following = phases.V[p, h + 1]
        seen = phases.seen[p, row]
        error = ((phases.kernel[p, row] - truth.P[row]) * following).sum(axis=2)
        plan, none = phases.plans[0], np.zeros(row.shape)
        return cls(
            regret=truth.V[0, s[:, 0]] - phases.V_policy[first, 0, s[:, 0]],
            optimal=truth.V[0, s[:, 0]],
            gap=np.take_along_axis(difference[first], phases.states[:, :, None], axis=2)[..., 0],
            expected_gap=(truth.P[row] * difference[p, h + 1]).sum(axis=2),
            model_error=np.where(seen, error, 0.0),
            seen=seen,
            reported_visits=none if plan.visits is None else phases.reported("visits")[p, row],
            added=none if plan.bonus is None else phases.reported("bonus")[p, h, row],
            bonus=none if plan.gram is None else phases.bonus[p, h, row],
            reported_bonus=none if plan.gram is None else phases.reported_bonus[p, h, row],
            width=phases.width[first],
            event=phases.event[first],
            complete=np.ones(row.shape, dtype=bool),
            agrees=phases.policy[p, h, s] == a,
        )

    @classmethod
    def join(cls, parts: list[EpisodeSeries]) -> EpisodeSeries:
        """Put batches one after the other."""
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.__dataclass_fields__})
