"""The single-task parents that most public code implements.

UCRL2 (Jaksch et al. 2010), UCBVI (Azar et al. 2017), LSVI-UCB (Jin et al. 2020), Q-learning with UCB bonuses (Jin et al. 2018),
posterior sampling (Osband et al. 2013), randomized value functions (Russo 2019), MVP (Zhang et al. 2021), UCRL-VTR on linear
mixtures (Ayoub et al. 2020), and RF-UCRL and BPI-UCRL (Kaufmann et al. 2021), which stop by themselves.
"""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(
        __name__,
        *("ucrl2", "ucbvi_ch", "ucbvi_bf", "lsvi_ucb", "ucb_hoeffding", "ucb_bernstein", "psrl", "rlsvi", "mvp", "ucrl_vtr"),
        *("rf_ucrl", "bpi_ucrl"),
    )
