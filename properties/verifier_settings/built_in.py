"""The settings shipped with the suite, in one list; importing it imports them all."""

from __future__ import annotations

from typing import Any

from verifier.model.setting import Setting
from verifier_settings.cvar import CVAR
from verifier_settings.cvar.planning import PLANNING
from verifier_settings.discounted import DISCOUNTED
from verifier_settings.episodic import EPISODIC
from verifier_settings.factored import FACTORED
from verifier_settings.knapsack import KNAPSACK
from verifier_settings.lifelong import LIFELONG
from verifier_settings.reward_free import REWARD_FREE

SETTINGS: list[Setting[Any, Any]] = [LIFELONG, DISCOUNTED, CVAR, PLANNING, EPISODIC, FACTORED, KNAPSACK, REWARD_FREE]
