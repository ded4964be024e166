"""Interface of a kind of decision problems.

A setting owns instance, environment, transcript and truth. The harness drives it through the classes below and knows nothing
else about it, so a new setting needs no change elsewhere.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.base.instance_name import is_file
from verifier.base.seeds import stream
from verifier.model.instance_file import builder
from verifier.model.mutant import Mutant
from verifier.model.recipe import InstanceT, Recipe
from verifier.model.scenario import DELTAS, DeltaFamily, Family, Scenario
from verifier.model.simulation import Simulation

if TYPE_CHECKING:
    from verifier.model.algorithm import Algorithm
    from verifier.model.decisions import Decisions
    from verifier.model.drawn import Drawn
    from verifier.model.holding import Holding
    from verifier.model.property import Property
    from verifier.model.width import Radius

__all__ = ["DELTAS", "DeltaFamily", "Family", "InstanceT", "Recipe", "Scenario", "Seeds", "Session", "Setting", "concealed"]

PlanT = TypeVar("PlanT")


@dataclass(frozen=True)
class Seeds:
    """Generators of one trial, independent of one another."""

    environment: np.random.Generator
    adversary: np.random.Generator
    agent: np.random.Generator


class Session(ABC, Generic[PlanT]):
    """The harness's side of one run: environment, transcript, observer.

    Attributes
    ----------
    environment : object
        What the algorithm's `run` receives. Its class says in `offers` which of its names an algorithm may use; in blind mode
        it has no others, see `verifier.trials.blind`. Its `public` and `rng` are what the agent may know and its own generator.
    """

    environment: Any

    @abstractmethod
    def oracle(self, of: str, step: int, target: Array) -> float:
        """The realised estimation error as a width, recomputed from the transcript, never from the algorithm's estimate."""

    @abstractmethod
    def realised_error(self, of: str, step: int, target: Array) -> Array:
        """The realised estimation error itself, from the same recomputation."""

    def calibrated(self, of: str, step: int, target: Array) -> float:
        """The width in the regime ``calibrated``: from a reference run of the setting's own.

        Raises
        ------
        ContractError
            If the setting has none, as by default.
        """
        raise ContractError("this setting has no calibrated widths; leave the regime 'calibrated' out of `regimes`")

    def asked(self, of: str, step: int, target: Array) -> None:
        """Told of every width and realised error that the algorithm asks for, when it does; by default it takes no note."""

    def answered(self, of: str, step: int, target: Array, width: float) -> None:
        """Told of every width that is handed out; by default it takes no note."""

    @property
    def transcript(self) -> Any:
        """Transcript up to now, for the oracles of plugins.

        Raises
        ------
        ContractError
            If the setting keeps none that they may read, as by default.
        """
        raise ContractError("this setting hands out no transcript; leave `oracles` out of the guarantees")

    def declare(self, extra: Mapping[str, tuple[int | str, ...]]) -> None:
        """Told before the run which arrays of its own every plan holds (`Algorithm.extra`).

        Raises
        ------
        ContractError
            If the plans of this setting hold no others than its own, as by default.
        """
        if extra:
            raise ContractError(
                f"plans of this setting have no arrays of the algorithm's own; remove {', '.join(extra)} from `extra`"
            )

    def remember(self, fields: frozenset[str]) -> None:
        """Told before the run which fields of the plans statements about the whole run look back at; by default it keeps none."""

    @abstractmethod
    def observe(self, plan: PlanT, widths: Mapping[tuple[str, int], tuple[float, Array]]) -> Any | None:
        """Validate and keep a plan; return a view on a batch of completed phases when one is full, else None."""

    @abstractmethod
    def finish(self) -> tuple[Any | None, Any]:
        """Close the run: the view on the remaining phases (or None) and the view on the whole run."""

    @abstractmethod
    def digest(self) -> str:
        """A hash of the transcript, to tell whether two runs were the same."""


def concealed(public: Any, hidden: frozenset[str]) -> Any:
    """Public part of a problem without the arrays that an algorithm has to learn."""
    return replace(public, **{name: np.full_like(getattr(public, name), np.nan) for name in hidden})


@dataclass(frozen=True, eq=False, kw_only=True)
class Setting(Generic[InstanceT, PlanT]):
    """A kind of decision problems.

    Parameters
    ----------
    name, description : str
        What users call it, and one line about it.
    catalogue : tuple of Scenario
        The named instances, in the order they are run.
    session : callable
        Opens a run on an instance, given the seeds of the trial and the optional plan fields that the algorithm declares.
    parameters : callable
        The sizes and constants of an instance, for reports and for the store's key.
    families : tuple of Family
        Instances whose size varies, for scaling claims.
    recipes : type of Recipe, optional
        How small instances are drawn when counterexamples are searched for; without it they are not.
    sources : mapping of str to callable
        Instances outside the catalogue: how their names begin (``gym:``), and the function that makes the scenario of a name.
    simulation : callable, optional
        An instance as tables, for environments of other libraries.
    make : callable, optional
        Builds an instance from arrays by name, for those in files ``.npz``; without it there are none.
    beyond : callable, optional
        What such an instance has beyond the plain problem (`Scenario.extends`); nothing, without it.
    unrevealed : tuple of str and callable, optional
        The method of the environment that reveals what the agent must not know before, and what maps an instance and a generator
        to the same problem that reveals something else.
    held : callable, optional
        The class of somebody's agent, held against an algorithm of the setting (`verifier.model.held`); without it none can be.
    follow : callable, optional
        Runs an algorithm on the history of another agent: maps algorithm, what is public, widths as of `Width`, and the view on
        the whole run of that agent to its `Decisions`, plan by plan; without it none can follow.
    decisions : callable, optional
        Maps an algorithm, its planted bugs, and whether the constant of its width is known, to the property that an agent decides
        as it would.
    draw : callable, optional
        The same for an algorithm that draws its policies, which is given a generator, too: what the policies that it draws would
        have done (`Drawn`), plan by plan.
    drawn_decisions : callable, optional
        Maps such an algorithm to the property that an agent's decisions are those of one more policy drawn likewise.
    by_actions : tuple of str
        Names of claims about an agent of which nothing is known but what it does.
    telling : tuple of str
        Names of instances on which what agents do tells algorithms apart, the cheapest first.
    holds : callable, optional
        Maps an array of an agent, as it was at the beginning of each episode (K, ...), and the view on its run to what it holds
        of the fields of plans; to nothing, where it holds nothing known.
    differing : tuple of str
        Names of small instances whose sizes differ, each from the others, so that shapes say which axis is which.
    task, sizes : mapping of str to tuple of str
        What such an agent is told in an episode, and made of, beside what all are (`verifier.model.calls`): names of parameters.
    usual : bool
        Whether an agent is taken to be of this setting where nobody says of which it is.
    made_here : mapping of str to tuple of str
        Names of claims about what that class makes itself, unless the agent shows the field that is the key.
    widths : mapping of str to str
        What its sessions know the realised error of, by the name of the width (`of`), and what a width of that name multiplies.
    garbage : tuple of Mutant
        Agents that learn nothing, to be planted in every algorithm of the setting: `planted` puts them before it.
    """

    name: str
    description: str
    catalogue: tuple[Scenario[InstanceT], ...]
    session: Callable[[InstanceT, Seeds, frozenset[str]], Session[PlanT]]
    parameters: Callable[[InstanceT], Mapping[str, float | int | str]]
    families: tuple[Family[InstanceT], ...] = ()
    recipes: type[Recipe[InstanceT]] | None = None
    sources: Mapping[str, Callable[[str], Scenario[InstanceT]]] = field(default_factory=dict)
    simulation: Callable[[InstanceT], Simulation] | None = None
    make: Callable[..., InstanceT] | None = None
    beyond: Callable[[InstanceT], frozenset[str]] | None = None
    held: Callable[..., type[Any]] | None = None
    made_here: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    task: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    usual: bool = False
    follow: Callable[[type[Algorithm], Any, Radius, Any], Iterator[Decisions]] | None = None
    decisions: Callable[[type[Algorithm], Sequence[Mutant], bool], Property] | None = None
    draw: Callable[[type[Algorithm], Any, Radius, Any, np.random.Generator], Iterator[Drawn]] | None = None
    drawn_decisions: Callable[[type[Algorithm]], Property] | None = None
    by_actions: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()
    holds: Callable[[Array, Any], tuple[Holding, ...]] | None = None
    differing: tuple[str, ...] = ()
    widths: Mapping[str, str] = field(default_factory=dict)
    garbage: tuple[Mutant, ...] = ()
    unrevealed: tuple[str, Callable[[InstanceT, np.random.Generator], InstanceT]] | None = None

    @property
    def packages(self) -> frozenset[str]:
        """The packages that have the classes its instances are made of: its own, and the harness."""
        return frozenset({"verifier", self.session.__module__.partition(".")[0]})

    def public(self, instance: InstanceT, hidden: frozenset[str] = frozenset()) -> Any:
        """Public part of an instance; the arrays in `hidden`, which this algorithm has to learn, are made unusable.

        The instance has an attribute `public`, a dataclass. Hidden arrays are filled with NaN, so that using one is found out.
        """
        return concealed(getattr(instance, "public"), hidden)  # noqa: B009  # the type of an instance is the setting's own

    def scenario(self, name: str) -> Scenario[InstanceT] | None:
        """The instance of this name; None if there is none.

        It is from the catalogue, a family (``lock[K=400]``), one of the catalogue at another delta (``random[1/delta=4]``), a
        source or a file.

        Raises
        ------
        UsageError
            If a source or a file has no such instance.
        """
        for prefix, scenario_of in self.sources.items():
            if name.startswith(prefix):
                return scenario_of(name)
        if is_file(name):
            return self._in_file(name)
        member = re.fullmatch(r"(.+)\[(\w+)=([1-9][0-9]{0,17})\]", name)
        if member is not None:
            families = [family for family in self.families if (family.name, family.symbol) == (member[1], member[2])]
            return families[0].member(int(member[3])) if families else None
        at_delta = re.fullmatch(r"(.+)\[1/delta=([1-9][0-9]{0,17})\]", name)
        if at_delta is not None and int(at_delta[2]) > 1:
            known = [scenario for scenario in self.catalogue if scenario.name == at_delta[1]]
            return DeltaFamily.of(known[0]).member(int(at_delta[2])) if known else None
        return next((scenario for scenario in self.catalogue if scenario.name == name), None)

    def _in_file(self, name: str) -> Scenario[InstanceT]:
        recipes = self.recipes
        build = builder(name, self.name, self.make, None if recipes is None else lambda data: recipes.from_json(data).build())
        beyond = self.beyond(build(stream(0, "instance", name))) if self.beyond is not None else frozenset[str]()
        return Scenario(name, "from a file", build, extends=beyond)
