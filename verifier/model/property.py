"""Properties: reusable pure functions from what the harness saw to an inequality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from verifier.base.errors import ContractError
from verifier.model.inequality import Inequality

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
        (`verifier_settings.lifelong.Phases`, ...).
    function : callable
        Maps that view to an `Inequality`. It must not change its argument.
    needs : frozenset of str
        Fields of the setting's Plan that it reads.
    description : str
        How the harness checks it; shown by `verifier explain`.
    topic : str
        What it is about, e.g. one of `verifier.model.topic.Topic`: reports count claims by it. Where none is given, it is the
        constant ``TOPIC`` of the module that the function is written in, if there is one.
    recomputed : frozenset of str
        Those of `needs` that the statement itself does not rest on, as where they only serve to say how it fails: it computes
        again what they hold, so that a mistake in the line that they come from shows here, too.
    replaceable : frozenset of str
        Those of `needs` in whose place it takes what the view makes of the rest, where no plan reports them: frequencies from the
        transcript, the bonus that action values imply. It is a statement about the implementation without them, too.
    looks_back : bool
        Of the scope "run": whether it reads `needs` of all plans from the history of the run, which is kept in memory for it; or
        only what the setting derives from these fields, plan by plan.
    any_length : bool
        Of the scope "run": whether it is about runs of any number of episodes, also those that the algorithm has ended by itself.
        A statement about the number that the problem plans would pass too easily with fewer.
    seldom : bool
        Whether little in a run depends on what is compared: where such a claim is refuted, long runs are drawn by the search.

    Examples
    --------
    >>> from verifier import Inequality, run_property
    >>> @run_property()
    ... def few_plans(view):
    ...     return Inequality(len(view.plans), 10.0, trivial=100.0)
    >>> few_plans.name, few_plans.scope
    ('few-plans', 'run')
    """

    name: str
    scope: Scope
    function: Callable[[Any], Inequality]
    needs: frozenset[str]
    description: str
    topic: str = field(default="", kw_only=True)
    looks_back: bool = field(default=True, kw_only=True)
    recomputed: frozenset[str] = field(default=frozenset(), kw_only=True)
    replaceable: frozenset[str] = field(default=frozenset(), kw_only=True)
    any_length: bool = field(default=False, kw_only=True)
    seldom: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        if not self.topic:
            object.__setattr__(self, "topic", topic_of(self.function))

    def __call__(self, view: Any) -> Inequality:
        """Evaluate the property on a view of its scope.

        Raises
        ------
        ContractError
            If it is about runs of a planned number of episodes, and the algorithm has ended this one by itself.
        """
        if self.scope == "run" and not self.any_length and getattr(view, "stopped", False):
            raise ContractError(
                f"{self.name} is about runs of a planned number of episodes, and the algorithm has ended this run by itself; let "
                "it be a statement about any number of episodes (`any_length`), or claim it where runs do not stop"
            )
        return self.function(view)


def topic_of(function: Any) -> str:
    """Constant ``TOPIC`` of the module of a function, or of the function a partial one is made of."""
    while isinstance(function, partial):
        function = function.func
    topic = getattr(function, "__globals__", {}).get("TOPIC", "")
    return topic if isinstance(topic, str) else ""


def _decorator(
    scope: Scope, needs: tuple[str, ...], topic: str = "", recomputed: tuple[str, ...] = (), any_length: bool = False
) -> Callable[[Callable[[Any], Inequality]], Property]:
    def decorate(function: Callable[[Any], Inequality]) -> Property:
        name = getattr(function, "__name__", "property").strip("_").replace("_", "-")
        description = (function.__doc__ or "").strip()
        return Property(
            name, scope, function, frozenset(needs), description, topic=topic, recomputed=frozenset(recomputed),
            any_length=any_length,
        )  # fmt: skip

    return decorate


def instance_property() -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of the instance alone: an assumption.

    Examples
    --------
    >>> import numpy as np
    >>> from verifier import Inequality, instance_property
    >>> @instance_property()
    ... def rewards_are_bounded(instance):
    ...     return Inequality(np.max(instance.reward), 1.0, trivial=np.inf)
    >>> rewards_are_bounded.scope
    'instance'
    """
    return _decorator("instance", ())


def phase_property(
    *needs: str, topic: str = "", recomputed: tuple[str, ...] = ()
) -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of a batch of phases; `needs` are the plan fields it reads, the others are as in `Property`.

    Examples
    --------
    >>> import numpy as np
    >>> from verifier import Inequality, phase_property
    >>> @phase_property("Q")
    ... def values_in_range(view):
    ...     return Inequality(view.Q, view.public.H, axes=("plan", "h", "s", "a"), trivial=np.inf)
    >>> values_in_range.scope, sorted(values_in_range.needs)
    ('phase', ['Q'])
    """
    return _decorator("phase", needs, topic, recomputed)


def run_property(*needs: str, topic: str = "", any_length: bool = False) -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of the whole run; `needs` are the plan fields it reads, the others are as in `Property`.

    Examples
    --------
    >>> from verifier import Inequality, run_property
    >>> @run_property()
    ... def planning_calls(view):
    ...     return Inequality(len(view.plans), 10.0, trivial=view.public.K)
    >>> planning_calls.name
    'planning-calls'
    """
    return _decorator("run", needs, topic, any_length=any_length)


def fork_property(*needs: str, topic: str = "") -> Callable[[Callable[[Any], Inequality]], Property]:
    """Decorator for a property of pairs of runs with the same past; arguments as of `run_property`.

    Examples
    --------
    >>> from verifier import Inequality, fork_property
    >>> @fork_property()
    ... def same_play(pair):
    ...     return Inequality(float(pair.first != pair.second), 0.0, trivial=1.0)
    >>> same_play.scope
    'fork'
    """
    return _decorator("fork", needs, topic)
