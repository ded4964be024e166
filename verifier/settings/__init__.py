"""The built-in settings, found through the same entry point as anybody else's."""

from __future__ import annotations

from typing import Any

from verifier.model.hooks import hookimpl
from verifier.model.setting import Setting


@hookimpl
def verifier_settings() -> list[Setting[Any, Any]]:
    """The settings shipped with the suite."""
    from verifier.settings.cvar import CVAR
    from verifier.settings.cvar.planning import PLANNING
    from verifier.settings.discounted import DISCOUNTED
    from verifier.settings.episodic import EPISODIC
    from verifier.settings.factored import FACTORED
    from verifier.settings.knapsack import KNAPSACK
    from verifier.settings.lifelong import LIFELONG
    from verifier.settings.reward_free import REWARD_FREE

    return [LIFELONG, DISCOUNTED, CVAR, PLANNING, EPISODIC, FACTORED, KNAPSACK, REWARD_FREE]
