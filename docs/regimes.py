"""The picture that explains regimes: `python docs/regimes.py` draws it anew, from runs of UCBVI-CH and of a planted bug."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np

from verifier.base.arrays import Array
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.trial import played
from verifier_reports.paper.style import BLACK, BLUE, VERMILLION, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURE = Path(__file__).parent / "regimes.svg"
ALGORITHM, BUG, INSTANCE = "ucbvi-ch", "ucbvi-ch~off-by-one", "random"
PANELS = {"published": "published: the width of the paper", "oracle": "oracle: the width is the error of this run"}


def margins(name: str, regime: str) -> Array:
    """Smallest Q_k - Q* over all steps, states and actions, by plan: optimism says that it is at least 0."""
    known = registry(name)
    guarantees = known.guarantees_of(name)
    setting = known.setting(guarantees.algorithm.setting)
    scenario = setting.scenario(INSTANCE)
    assert scenario is not None
    spec = TrialSpec(ALGORITHM, INSTANCE, regime, index=0, seed=0)  # the same seed for both
    truth, found = scenario.draw(spec.seed).truth, []

    class Recorded(guarantees.algorithm):  # type: ignore[name-defined, misc]  # a class that is only known here
        def run(self, env: Any) -> Iterator[Any]:
            for plan in super().run(env):
                found.append(float(np.min(plan.Q - truth.Q)))
                yield plan

    played(spec, replace(guarantees, algorithm=Recorded), setting, scenario)
    return np.array(found)


def draw(axes: Axes, regime: str) -> None:
    """Draw one regime: the algorithm, the bug, and the line that neither may cross."""
    for name, color, style, label in (
        (ALGORITHM, BLUE, "-", "UCBVI-CH"),
        (BUG, VERMILLION, "--", "with N + 1 for N in the bonus"),
    ):
        found = margins(name, regime)[1:]  # before the first episode Q is its largest value, whatever the bonus is
        axes.plot(np.arange(2, len(found) + 2), found, color=color, linestyle=style, label=label)
    axes.axhline(0.0, color=BLACK, linewidth=0.6)
    axes.set(title=PANELS[regime], xlabel="episode")


def main() -> None:
    """Draw both regimes side by side."""
    mpl.use("agg")
    from matplotlib import pyplot as plt

    look: Any = settings("regimes")
    with mpl.rc_context(look):
        figure, panels = plt.subplots(1, len(PANELS), figsize=(6.6, 2.2), layout="constrained")
        for axes, regime in zip(panels, PANELS, strict=True):
            draw(axes, regime)
        panels[0].set_ylabel("smallest $Q_k - Q^*$")
        panels[0].legend(loc="center right")
        figure.savefig(PICTURE, metadata={"Date": None, "Description": f"{ALGORITHM}, {BUG}, {INSTANCE}"})


if __name__ == "__main__":
    main()
