"""Properties: reusable pure functions from what the harness saw to an inequality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from verifier.model.measurement import Inequality

Scope = Literal["instance", "phase", "run", "fork"]


@dataclass(frozen=True)
class Property:
    """A statement the harness can evaluate.

    Parameters
    ----------
    name : str
        Readable name, for messages.
    scope : {"instance", "phase", "run", "fork"}
        What the function receives: the instance; a batch of phases (plans with what was played under each); the
        whole run; or `verifier.model.fork.Forks`, pairs of runs with the same past. The other classes are the setting's
        (`verifier.settings.lifelong.Phases`, ...).
    function : callable
        Maps that view to an `Inequality`. It must not change its argument.
    needs : frozenset of str
        Fields of the setting's Plan that it reads.
    description : str
        How the harness checks it; shown by `verifier explain`.
    """

    name: str
    scope: Scope
    function: Callable[[Any], Inequality]
    needs: frozenset[str]
    description: str

    def __call__(self, view: Any) -> Inequality:
        """Evaluate the property on a view of its scope."""
        return self.function(view)


def _decorator(scope: Scope, needs: tuple[str, ...]) -> Callable[[Callable[[Any], Inequality]], Property]:
    def decorate(function: Callable[[Any], Inequality]) -> Property:
        name = getattr(function, "__name__", "property").strip("_").replace("_", "-")
        return Property(name, scope, function, frozenset(needs), (function.__doc__ or "").strip())

    return decorate


def instance_property() -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of the instance alone: an assumption."""
    return _decorator("instance", ())


def phase_property(*needs: str) -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of a batch of phases; `needs` names the plan fields it reads."""
    return _decorator("phase", needs)


def run_property(*needs: str) -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of the whole run; `needs` names the plan fields it reads."""
    return _decorator("run", needs)


def fork_property(*needs: str) -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of pairs of runs with the same past; `needs` names the plan fields it reads."""
    return _decorator("fork", needs)
