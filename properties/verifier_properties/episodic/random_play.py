"""Play of policies that draw their actions. Views: `verifier_settings.episodic.Run`."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.model.inequality import Inequality
from verifier.model.property import run_property
from verifier.statistics.evidence import evidence
from verifier_settings.episodic import Run

SHARE = 0.5
"""Share by which, more or less often, the favourite is taken under the other laws: this share of its probability is moved."""


def _log_ratios(view: Run, favourite: Array) -> Array:
    """(2, K, H) log of how much likelier a step is where the favourite is taken more often than said, and less often."""
    p = view.series.likeliest
    others = np.where(p < 1, 1.0 - p, 1.0)
    more = np.where(favourite, 1.0 - SHARE + SHARE / p, 1.0 - SHARE)
    less = np.where(favourite, 1.0 - SHARE, 1.0 + SHARE * p / others)
    return np.where(p < 1, np.log([more, less]), 0.0)


# Not a formula: evidence of a law, a product over draws.
@run_property()
def drawn_actions(view: Run) -> Inequality:
    """Every action is drawn anew from the probabilities of the plan in force: evidence from how often it is the favourite.

    The favourite of a state is the first action of largest probability p. Two other laws take it with probability p + (1 - p)/2
    and p/2, and the others in proportion; the likelihood ratio of each has mean 1 under the right law, since the plan is known
    before the action, and so has their mean. Expected where the favourite is always taken, on the states of the run.
    """
    seen = _log_ratios(view, view.series.favourite).sum(axis=(1, 2))
    always = _log_ratios(view, np.ones_like(view.series.favourite)).sum(axis=(1, 2))
    log_e, expected = (float(np.logaddexp.reduce(logs) - np.log(2.0)) for logs in (seen, always))
    return evidence(log_e, expected)
