"""What the tests of failure rates share: states, levels, and how many errors a simulation may show."""

from __future__ import annotations

from hypothesis import strategies as st
from scipy.stats import binom

CAMPAIGNS = 10_000
ALARM = 1e-6  # false-alarm probability of one simulated comparison

deltas = st.floats(0.001, 0.999)
levels = st.sampled_from([0.05, 0.01, 1e-3, 1e-5])


@st.composite
def states(draw, most=2000):
    """Failures and trials."""
    trials = draw(st.integers(0, most))
    return draw(st.integers(0, trials)), trials


def tolerated(level):
    """With crossing probability <= level, more than this share is seen with probability at most ALARM."""
    return binom.isf(ALARM, CAMPAIGNS, level) / CAMPAIGNS
