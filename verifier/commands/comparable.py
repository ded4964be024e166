"""Algorithms that agents can be held against, by their tables or by their actions."""

from __future__ import annotations

from typing import Any

from verifier.base.errors import UsageError
from verifier.model.claim import Kind
from verifier.model.guarantees import Guarantees
from verifier.model.held import Held
from verifier.model.setting import Setting
from verifier.plugins.registry import registry

ALWAYS = frozenset({"Q", "V", "policy"})
"""Fields that every plan of such an agent has."""
TABLES = ("q-formula", "index-formula")
"""Names of the claim that a table of action values follows from data and width; an algorithm has one of them, if any."""
ADAPT = "write an adapter (docs/adapting.md)"
"""Remedy where an agent cannot be held."""
KNOWN = "REWARDS"
"""Key of the clause in which papers estimate rewards that are known here."""


def require_comparable(to: str, reference: Guarantees, setting: Setting[Any, Any]) -> None:
    """Check that an algorithm is one that agents can be held against, by tables or by their actions.

    Raises
    ------
    UsageError
        If it is not.
    """
    if not (needs_nothing(reference, setting) or plans_from_data(reference, setting)):
        raise UsageError(f"{drawn(to)}; {ADAPT}")


def drawn(to: str) -> str:
    """Reason why an agent cannot be compared by its actions."""
    return f"actions alone cannot be held against {to}: what it plays is drawn"


def follows_data(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether what an algorithm does follows from its data: it can follow an agent, and no law of anything drawn is claimed."""
    return setting.follow is not None and not any(claim.kind is Kind.LAW for claim in reference.claims)


def draws_from_data(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether what an algorithm draws are policies, so that draws with the data of an agent can be compared with what it does."""
    is_drawn = any(claim.kind is Kind.LAW for claim in reference.claims)
    is_law = "policy" in reference.algorithm.yields
    return setting.draw is not None and is_drawn and not is_law


def needs_nothing(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether an agent can be held against an algorithm though nothing of it is read."""
    return follows_data(reference, setting) or draws_from_data(reference, setting) or bool(reference.algorithm.draws)


def plans_from_data(reference: Guarantees, setting: Setting[Any, Any]) -> bool:
    """Whether an algorithm plans in every episode, and its Q can be recomputed from data, width and values."""
    needs = {claim.name: claim.property.needs for claim in reference.claims}
    made = ALWAYS | setting.made_here.keys()
    return "plans-every-episode" in needs and any(name in needs and needs[name] <= made for name in TABLES)


def rewards_known(mine: Guarantees, to: str) -> str:
    """Sentence of an algorithm that it knows the rewards, of an agent that is not made with them; empty of others.

    One that learns them values what it has not seen otherwise.
    """
    held: Held = mine.algorithm.held  # type: ignore[attr-defined]  # it is a held one
    call = held.new if held.is_object else held.fit
    if held.maker is not None or (call is not None and "reward" in call.names):
        return ""
    return next((clause.unchecked for clause in registry(to).guarantees_of(to).clauses if clause.key == KNOWN), "")
