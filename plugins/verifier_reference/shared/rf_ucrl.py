"""The number of episodes after which RF-UCRL has stopped, with all constants.

As long as it has not stopped, E_1(s_1) > epsilon/2 at every plan. On the event of `verifier_properties.episodic.error_bounds`
E_h(s,a) is at most min(H, 2b) + P_h max_a E_{h+1}. Along the episodes played that adds up, over t episodes, to

    t epsilon / 2 < sum of min(H, 2b) at the pairs visited + a martingale.

The first visit of each of SA pairs at each step adds H, the others 2b = 2H sqrt(2 beta(n)/n), and the sum of 1/sqrt(n) over
n < N is at most 2 sqrt(N). By Cauchy and Schwarz all that is at most H^2 SA + 4 H^2 sqrt(2 beta(t) SAt). The martingale has
t(H-1) increments, each in an interval of length H given what was before: after the last step nothing follows. So it exceeds
H sqrt(t(H-1) log(2/delta)/2) with probability at most delta/2 (Azuma and Hoeffding). Let T be the least t that makes the
inequality fail. T episodes are played with probability at most delta: delta/2 is that of the event. No union over t is needed, as
T is fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

LARGEST = 2**62
"""Above it no number of episodes is looked for."""


def beta(public: Any, n: float) -> float:
    """beta(n) = log(2SAH/delta) + (S-1) log(e (1 + n/(S-1)))."""
    others = public.S - 1
    return math.log(2 * public.S * public.A * public.H / public.delta) + others * (1 + math.log(1 + n / max(others, 1)))


def explored(public: Any, t: float) -> float:
    """The largest sum of the error bounds of t episodes."""
    S, A, H = public.S, public.A, public.H
    martingale = H * math.sqrt(t * (H - 1) * math.log(2 / public.delta) / 2)
    return H**2 * S * A + 4 * H**2 * math.sqrt(2 * beta(public, t) * S * A * t) + martingale


def enough(public: Any, t: float) -> bool:
    """Whether after t episodes the error bounds cannot all have been above epsilon / 2."""
    return bool(t * public.epsilon / 2 >= explored(public, t))


def episodes(public: Any) -> float:
    """T - 1, the most episodes: `explored` grows more slowly than t, so that `enough` is true from T on."""
    return most(lambda t: enough(public, t))


def most(enough: Callable[[float], bool]) -> float:
    """The largest number of episodes that is not enough, by bisection; infinite above `LARGEST`."""
    low, high = 0, 1
    while high < LARGEST and not enough(high):
        low, high = high, 2 * high
    if high >= LARGEST:
        return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return float(high - 1)
