"""The explicit bound on the regret of UCRL2 in episodes of H steps (Jaksch, Ortner and Auer 2010), with its derivation.

The theorem of the paper is about one stream of a communicating MDP, whose diameter D takes the place of H. In episodes, while the
true kernel is in the ball at every plan, a chance of at least 1 - delta/60 (see `verifier_properties.episodic.balls.confidence`):

1. Optimism. p = P is among the kernels over which Q_h is largest, so that V_h >= V*_h, from the last step on.
2. One step. With delta_h = V_h - V^pi_h at the state of step h, and r known, delta_h = P delta_{h+1} + (p_h - P) V_{h+1} at the
   pair played. The last term is at most min(1, d) (H - h), since ||p_h - P||_1 <= min(2, 2d) and V_{h+1} lies in [0, H - h].
3. The run. R_K <= sum_k delta_1 <= sum xi + sum min(1, d) (H - h), where xi = P delta_{h+1} - delta_{h+1}(s_{h+1}).
4. The radii. d <= sqrt(14 S log(2AT/delta)) / sqrt(max(1, N)), and the counts of plans kept until some pair has doubled have
   sum 1/sqrt(max(1, N)) <= 3HSA + 2 sqrt(3 SAT) (see `verifier_properties.episodic.tabular_model.visit_sum_bound`).
5. The noise. Whether the ball of the plan in force holds the truth is known when the episode begins; where it does,
   delta_{h+1} is in [0, H - h]. So the xi of such episodes are martingale differences in intervals of length H - h, and by
   Azuma and Hoeffding their sum exceeds sqrt(K sum_h (H - h)^2 log(2/delta) / 2) with probability at most delta/2.

With sum_h (H - h)^2 = H (H - 1) (2H - 1) / 6 the bound below fails with probability at most delta/60 + delta/2.
"""

from __future__ import annotations

import math

from verifier_settings.episodic import Public


def regret(public: Public, K: float, scale: float = 1.0) -> float:
    """(H-1) sqrt(14 S log(2AT/delta)) (3HSA + 2 sqrt(3 SAT)) + sqrt(K H(H-1)(2H-1) log(2/delta) / 12); `scale` multiplies d."""
    S, A, H = public.S, public.A, public.H
    T, pairs = K * H, S * A
    radius = scale * math.sqrt(14 * S * math.log(2 * A * T / public.delta))
    noise = math.sqrt(K * H * (H - 1) * (2 * H - 1) * math.log(2 / public.delta) / 12)
    return (H - 1) * radius * (3 * H * pairs + 2 * math.sqrt(3 * pairs * T)) + noise
