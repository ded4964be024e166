"""The base class of every algorithm under test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from verifier.base.errors import ContractError
from verifier.model.width import Width

if TYPE_CHECKING:
    from verifier.model.script import Script


class Algorithm(ABC):
    """An algorithm as its paper writes it; what the paper promises of it is declared beside it, in a `Guarantees`.

    Subclasses set the class attributes and write `run`, a generator that reads like the paper's pseudo-code and yields the
    setting's Plan each time it plans. While it is paused the harness looks; the algorithm is never asked to judge itself.

    Parameters
    ----------
    public : object
        What the agent may know of the instance (the setting's ``Public``).
    width : Width
        The confidence width to use wherever the pseudo-code says beta.
    **options : str
        Choices named by a regime, e.g. ``minimiser="farthest"``.

    Examples
    --------
    >>> from verifier import Algorithm
    >>> class Idle(Algorithm):
    ...     name, title, paper, setting = "idle", "Agent that does nothing", "", "episodic"
    ...     def run(self, env):
    ...         yield from ()
    >>> Idle.regimes
    ('published', 'oracle')
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    setting: ClassVar[str]
    groups: ClassVar[tuple[str, ...]] = ()
    regimes: ClassVar[tuple[str, ...]] = ("published", "oracle")
    instances: ClassVar[tuple[str, ...]] = ("*",)
    handles: ClassVar[frozenset[str]] = frozenset()
    """Features that it handles beyond the plain problems of its setting, e.g. ``{"step-dependent"}``: see `Scenario.extends`."""
    yields: ClassVar[frozenset[str]] = frozenset()
    extra: ClassVar[Mapping[str, tuple[int | str, ...]]] = MappingProxyType({})
    """Arrays of its own that every plan holds in `plan.extra`, beside the setting's fields: by name, with their shapes. An entry
    of a shape is a number or a size of the problem, as in ``{"alpha": ("H", "S*A"), "values": ("H+1", "S")}``."""
    draws: ClassVar[str] = ""
    """Law of what it draws for its choices, if agents that are held against it can be seen to draw from it: ``"beta"``."""
    hidden: ClassVar[frozenset[str]] = frozenset()
    width_names: ClassVar[tuple[str, ...]] = ("transition",)
    """Names of the widths it asks for (`of`); in blind mode the published ones are computed before the run, and no others. That a
    class names some and never asks is an error of the trial; ``()`` says that it has constants of its own."""
    precision: ClassVar[str] = "double"
    """Precision of its arithmetic, ``"double"`` or ``"single"``, whose rounding is allowed (`verifier.model.precision`)."""
    libraries: ClassVar[tuple[str, ...]] = ()
    """Import names of packages whose code is what is checked, for adapters: stored results are of their present source."""
    script: ClassVar[Script | None] = None
    """Templates of a program in the words of an adapter's library, with which reports show failures of its agent."""

    def __init__(self, public: Any, width: Width, **options: str) -> None:
        if options:
            raise ContractError(f"{self.name} knows no option {', '.join(options)}; remove it from `regimes` or accept it")
        self.public = public
        self.width = width

    @abstractmethod
    def run(self, env: Any) -> Iterator[Any]:
        """Play the whole run in the metered environment, yielding a Plan each time the algorithm plans."""

    @classmethod
    @abstractmethod
    def published_width(cls, public: Any, of: str) -> float:
        """The paper's confidence width for these public quantities, constants included."""

    @classmethod
    def promises_to_ask(cls, public: Any) -> bool:
        """Whether the class declares that it asks for a width in a run: it names some, or is run in the oracle regime.

        The names that every class inherits from this one declare nothing. A class that has no use for a width on some problems,
        as on those of one step, overrides this.
        """
        if not cls.width_names:
            return False
        return cls.width_names is not Algorithm.width_names or any(regime.partition("(")[0] == "oracle" for regime in cls.regimes)
