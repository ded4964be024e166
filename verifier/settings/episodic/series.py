"""Per-episode and per-step series, looked up at the states and actions of the transcript."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array, BoolArray
from verifier.settings import phases


@dataclass(frozen=True)
class EpisodeSeries(phases.EpisodeSeries):
    """What every setting with episodes has, and what its algorithms estimate here; shapes (e, H).

    Attributes
    ----------
    model_error : (Phat - P) V_{h+1} at the visited pairs, of the harness's own Phat; 0 where nothing was seen
    seen : whether N > 0 when the plan was made
    reported_visits : N of the plan at the visited pairs; 0 where it reports none
    added : the bonus the plan reports at the visited pairs; 0 where it reports none
    """

    model_error: Array
    seen: BoolArray
    reported_visits: Array
    added: Array
