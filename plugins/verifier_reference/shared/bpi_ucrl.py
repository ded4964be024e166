"""The number of episodes after which BPI-UCRL has stopped, with all constants.

As long as it has not stopped, the gap U_1 - L_1 of the action played at s_1 is above epsilon at every plan. On the event of
`verifier_properties.episodic.error_bounds` the gap of a pair is at most min(H, 3b) + P_h (gap of the next action). Along the
episodes played that adds up, over t episodes, to

    t epsilon < sum of min(H, 3b) at the pairs visited + a martingale.

The rest is as in `verifier_reference.shared.rf_ucrl`, with 3b for 2b: the sum is at most H^2 SA + 6 H^2 sqrt(2 beta(t) SAt), and
the martingale exceeds H sqrt(t(H-1) log(2/delta)/2) with probability at most delta/2. With the event that makes delta. The first
episode is always played, as s_1 is not known before.
"""

from __future__ import annotations

import math
from typing import Any

from verifier_reference.shared.rf_ucrl import beta, most


def explored(public: Any, t: float) -> float:
    """The largest sum of the gaps of t episodes."""
    S, A, H = public.S, public.A, public.H
    martingale = H * math.sqrt(t * (H - 1) * math.log(2 / public.delta) / 2)
    return H**2 * S * A + 6 * H**2 * math.sqrt(2 * beta(public, t) * S * A * t) + martingale


def enough(public: Any, t: float) -> bool:
    """Whether after t episodes the gaps cannot all have been above epsilon."""
    return bool(t * public.epsilon >= explored(public, t))


def episodes(public: Any) -> float:
    """T - 1, the most episodes, but 1 at least: `explored` grows more slowly than t, so that `enough` is true from T on."""
    return max(1.0, most(lambda t: enough(public, t)))
