"""The settings shipped with the suite, in one list; importing it imports them all."""

from __future__ import annotations

from typing import Any

from verifier.model.setting import Setting
from verifier.settings.cvar import CVAR
from verifier.settings.cvar.planning import PLANNING
from verifier.settings.discounted import DISCOUNTED
from verifier.settings.episodic import EPISODIC
from verifier.settings.factored import FACTORED
from verifier.settings.knapsack import KNAPSACK
from verifier.settings.lifelong import LIFELONG
from verifier.settings.reward_free import REWARD_FREE

SETTINGS: list[Setting[Any, Any]] = [LIFELONG, DISCOUNTED, CVAR, PLANNING, EPISODIC, FACTORED, KNAPSACK, REWARD_FREE]
