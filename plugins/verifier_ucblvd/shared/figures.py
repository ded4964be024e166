"""Figures 1a and 1b: per-episode reward of two algorithms, with their numbers of planning calls.

Figures 2a and 2b of Appendix H have the same captions and settings, and the appendix repeats the sentence of §4.5 about them.
"""

from __future__ import annotations

from verifier.model.figure import Figure, FigureStatement, Reading

BASELINE = "lifelong-lsvi"
EPISODES = 1000
SIMULATIONS = "δ = 0.01, λ = 1, d = 5, H = 5; φ(s,a) in the d-simplex, e_i'μ_h any probability measures, η_h ∼ N(0, I)"
"""Parameters and laws that Appendix H prints of all simulations."""
NOT_PRINTED = "not printed: S, A, the laws of φ and μ, the tasks w_k, c in β, numbers at the vertical axis"
K_IS_INFERRED = "K = 1000 is inferred: Lifelong-LSVI plans once an episode, and the text has it plan 1000 times"

_SOURCE = "§4.5, Appendix H"
_ALMOST_THE_SAME = "The plots verify that Lifelong-LSVI and UCBlvd statistically perform almost the same"
_SMALLER = "while UCBlvd uses much smaller numbers of planning calls (1000 vs ∼ 20)"


def rewards_and_calls(key: str, caption: str, *, printed: str, missing: str) -> Figure:
    """Figure 1a or 1b, of the algorithm that declares it beside Lifelong-LSVI.

    Parameters
    ----------
    key, caption, printed, missing : str
        Of `verifier.model.figure.Figure`.
    """
    reward = Reading(f"figure-{key}-return", along=True)
    reward_of_baseline = Reading(f"figure-{key}-return", BASELINE, along=True)
    calls, calls_of_baseline = Reading(f"figure-{key}-calls"), Reading(f"figure-{key}-calls", BASELINE)
    return Figure(
        key,
        caption,
        printed=printed,
        missing=missing,
        seeds=50,
        across="episode",
        up="per-episode reward",
        drawn=(reward, reward_of_baseline),
        beside=f"figure-{key}-calls",
        statements=(
            FigureStatement(
                _ALMOST_THE_SAME,
                _SOURCE,
                "per-episode reward / that of lifelong-lsvi, in each twentieth of the run (10% is this project's limit)",
                reward,
                reward_of_baseline,
                low=0.9,
                high=1.1,
            ),
            FigureStatement(
                _SMALLER,
                _SOURCE,
                f"planning calls / those of lifelong-lsvi at K = {EPISODES} (an order is this project's limit)",
                calls,
                calls_of_baseline,
                low=0.0,
                high=0.1,
            ),
            FigureStatement(
                "∼ 20",
                _SOURCE,
                f"planning calls at K = {EPISODES} (a factor of two is this project's limit)",
                calls,
                low=10.0,
                high=40.0,
            ),
            FigureStatement(
                "1000", _SOURCE, f"planning calls of lifelong-lsvi at K = {EPISODES}", calls_of_baseline, low=999.5, high=1000.5
            ),
        ),
    )
