"""`verifier identify`: which algorithm an agent is, by its decisions alone.

The agent plays. Then every algorithm that is here, and each of its planted bugs, follows it with its data (`Setting.follow`), up
to the first decision that it would not have made. What is not refuted is the answer, with the number of decisions that could have
refuted it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base.errors import ExitCode, UsageError, VerifierError, nearest
from verifier.base.tables import WIDTH, folded, table
from verifier.commands.hold import follows_data, shown
from verifier.model.algorithm import Algorithm
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario, Setting
from verifier.plugins.guard import guarded
from verifier.plugins.registry import Registry, registry
from verifier.trials.trial import played

SIMILAR = 0.5
"""Share of the decisions that could refute the candidate that has most of them; one that is not refuted has to have so many."""

FEWEST = 100
"""Least number of such decisions: what hardly has an opinion is not refuted, whatever is played.

Of 233 planted bugs as agents, the wrong candidates that stood for one that cannot be followed had 32 at most.
"""

STEPS = 10
"""Bisections of a multiple of the width, between 1 and a factor of `FARTHEST`."""
FARTHEST = 2.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Refutation:
    """Decision that a candidate would not have made; episode and step are counted from 1."""

    instance: str
    regime: str
    episode: int
    h: int
    state: int
    action: int
    own: int
    loss: float

    def __str__(self) -> str:
        return (
            f"{self.instance}, {self.regime}, episode {self.episode}, h {self.h}, s {self.state}: yours plays {self.action}; "
            f"{self.own} is worth {self.loss:.3g} more to it"
        )


@dataclass
class Candidate:
    """Algorithm or planted bug that an agent may be.

    Attributes
    ----------
    name, what : str
        Its name, and the title of an algorithm or the bug that is planted in it.
    algorithm : type
    telling : int
        Number of decisions that could have refuted it, up to the one that did.
    other : int
        Number of decisions, up to that one, where it would have taken another action, one that is worth as much included.
    refuted : Refutation, optional
    lost : str
        Reason why it could not follow the agent.
    """

    name: str
    what: str
    algorithm: type[Algorithm]
    telling: int = 0
    other: int = 0
    refuted: Refutation | None = None
    lost: str = ""

    @property
    def stands(self) -> bool:
        """Whether no decision refutes it, though some could have, or all are its own even where it is indifferent."""
        return not self.refuted and not self.lost and (self.telling > 0 or self.other == 0)


@dataclass(frozen=True, eq=False)
class Run:
    """Run of the agent that is asked about; `public` is all that is public of its instance."""

    instance: str
    regime: Regime
    public: Any
    view: Any

    def refutation(self, setting: Setting[Any, Any], candidate: Candidate, times: float = 1.0) -> Refutation | None:
        """First decision that a candidate would not have made, at a multiple of its width; `telling` is counted on."""
        assert setting.follow is not None
        scale, known = times * self.regime.scale, dict[str, float]()

        def radius(of: str, step: int, target: Any) -> float:
            if of not in known:
                known[of] = scale * candidate.algorithm.published_width(self.public, of)
            return known[of]

        with np.errstate(all="ignore"):  # a planted bug may divide by 0
            for found in setting.follow(candidate.algorithm, self.public, radius, self.view):
                candidate.telling += found.telling
                candidate.other += found.other
                if place := found.refuted():
                    at = place[0] - found.first, place[1]
                    state, action, own = (int(each[at]) for each in (found.states, found.actions, found.own))
                    where = self.instance, self.regime.name, place[0] + 1, place[1] + 1
                    return Refutation(*where, state, action, own, float(found.loss[at]))
        return None


@dataclass(frozen=True)
class Identified:
    """Answer: what of the candidates no decision refutes.

    Attributes
    ----------
    name : str
        Of the agent.
    runs : tuple of Run
    candidates : tuple of Candidate
    wrong_widths : mapping of str to tuple of float
        Of algorithms that stand: multiples of its width at which it does not, the nearest that were tried.
    """

    name: str
    runs: tuple[Run, ...]
    candidates: tuple[Candidate, ...]
    wrong_widths: dict[str, tuple[float, ...]] = field(default_factory=dict)

    @cached_property
    def decisions(self) -> int:
        """Number of decisions of the agent."""
        return sum(run.view.actions.size for run in self.runs)

    @cached_property
    def standing(self) -> tuple[Candidate, ...]:
        """Candidates that no decision refutes, those first of which most could have."""
        return tuple(sorted((each for each in self.candidates if each.stands), key=lambda each: -each.telling))

    @cached_property
    def answer(self) -> tuple[Candidate, ...]:
        """Candidates of these that have a say in about as many decisions as any, or do the same even where they have none."""
        least = max(FEWEST, SIMILAR * self.standing[0].telling) if self.standing else 0
        return tuple(each for each in self.standing if each.telling >= least or (each.other == 0 and self.decisions >= FEWEST))

    @property
    def exit_code(self) -> ExitCode:
        """0 where something stands, 1 where all are refuted, 3 where nothing could be told."""
        if self.answer:
            return ExitCode.OK
        return ExitCode.VIOLATED if any(each.refuted for each in self.candidates) else ExitCode.INCONCLUSIVE

    def text(self, verbose: bool = False) -> str:
        """The answer as lines of at most `WIDTH` columns."""
        places = len({run.instance for run in self.runs})
        scales = ", ".join(dict.fromkeys(f"{run.regime.scale:g}" for run in self.runs))
        head = f"{self.name}  {self.decisions} decisions on {places} problems, at {scales} times its own width"
        parts = [head, self._answer(), self._rest(), self._refuted(verbose), self._lost(verbose)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _answer(self) -> str:
        if not self.answer:
            told = any(each.refuted for each in self.candidates)
            return f"  {'None of these: each is refuted.' if told else 'Not told: no decision could have refuted anything.'}"
        rows = [(each.name, f"{each.telling} of {self.decisions}", each.what + self._width(each)) for each in self.answer]
        together = "\n  These cannot be told apart by what the agent does here." if len(rows) > 1 else ""
        return f"Not refuted\n{_indented(table(('', 'could have', ''), rows))}{together}"

    def _width(self, candidate: Candidate) -> str:
        wrong = [f"{times:.4f}" for times in self.wrong_widths.get(candidate.name, ())]
        return f"; not with {' or '.join(wrong)} times its width" if wrong else ""

    def _rest(self) -> str:
        rest = [f"{each.name} ({each.telling})" for each in self.standing if each not in self.answer]
        said = f"Hardly asked: {', '.join(rest)}: so few decisions could have refuted them, and none did."
        return folded(said, WIDTH) if rest else ""

    def _refuted(self, verbose: bool) -> str:
        refuted = [each for each in self.candidates if each.refuted]
        shown = refuted if verbose else [each for each in refuted if SEPARATOR not in each.name]
        rows = [(each.name, str(each.refuted)) for each in shown]
        more = len(refuted) - len(shown)
        rest = f"  {'and ' if shown else ''}{more} planted bugs; --verbose lists them" if more else ""
        return "\n".join(filter(None, ["Refuted", _indented(table(("", ""), rows)) if rows else "", rest])) if refuted else ""

    def _lost(self, verbose: bool) -> str:
        lost = [each for each in self.candidates if each.lost]
        if verbose:
            return f"Cannot follow\n{_indented(table(('', ''), [(each.name, each.lost) for each in lost]))}" if lost else ""
        return f"{len(lost)} planted bugs and algorithms cannot follow; --verbose says why" if lost else ""


def _indented(text: str) -> str:
    return "\n".join(f"  {line.rstrip()}" for line in text.splitlines() if line.strip())


def candidates(known: Registry, among: Sequence[str]) -> tuple[tuple[Candidate, ...], Setting[Any, Any]]:
    """Algorithms that can follow an agent, each with its planted bugs, and their setting.

    Raises
    ------
    UsageError
        If a name is none of these, or they are not of one setting.
    """
    able = {name: each for name, each in known.guarantees.items() if follows_data(each, known.setting(each.algorithm.setting))}
    for name in among:
        if name not in able:
            why = "cannot follow an agent: it draws, or its setting has no way" if name in known.guarantees else "is not here"
            raise UsageError(f"--among {name!r} {why}. {nearest(name, able)}")
    chosen = [able[name] for name in among] if among else [each for each in able.values() if each.mutants]
    settings = {each.algorithm.setting for each in chosen}
    if len(settings) != 1:
        raise UsageError(f"--among names algorithms of several settings ({', '.join(sorted(settings))}); name those of one")
    found = []
    for each in chosen:
        found.append(Candidate(each.name, each.algorithm.title, each.algorithm))
        bugs = (bug for bug in each.mutants if not bug.garbage)
        found += [Candidate(f"{each.name}{SEPARATOR}{bug.name}", bug.description, bug.algorithm) for bug in bugs]
    return tuple(found), known.setting(settings.pop())


def identify(
    agent: str | Guarantees | Callable[..., Any],
    among: Sequence[str] = (),
    *,
    instances: Sequence[str] = (),
    seed: int = 0,
    timeout: float = 60.0,
    say: Say = lambda text: None,
    **calls: Any,
) -> Identified:
    """Say which algorithm an agent is, or which planted bug it has, by its decisions.

    Parameters
    ----------
    agent : class, callable, str or Guarantees
        Your class or function; or the name of an algorithm or a planted bug that is here, ``"ucbvi-ch~off-by-one"``.
    among : sequence of str
        Names of algorithms, whose planted bugs are looked at, too; by default all that can follow an agent.
    instances : sequence of str
        Names of instances; by default some that tell algorithms apart.
    seed : int
        Master seed.
    timeout : float
        Seconds that a run of the agent may take.
    say : callable
        Told what is done next.
    **calls
        How your agent is made and called, as of `hold`: `new`, `knob`, `act`, `update`, `before`, `fit`. With a knob it also
        plays with a tenth and a hundredth of its width, where more decisions depend on it.

    Returns
    -------
    Identified
        Its `answer` are the candidates that no decision refutes; printed, it says what is known.

    Raises
    ------
    UsageError
        If a name is not known, the agent is of another setting, or something cannot be guessed.
    GuardedError
        If the agent fails.
    """
    options, setting = candidates(registry(*among) if among else registry("all"), tuple(among))
    mine = _agent(agent, setting, calls)
    runs = []
    for scenario, regime in _places(mine.algorithm, setting, instances or setting.telling):
        say(f"{scenario.name}, {regime.name}: {mine.name} plays")
        spec = TrialSpec(mine.name, scenario.name, regime.name, 0, seed)
        with guarded(spec.label, timeout):
            run = Run(scenario.name, regime, *played(spec, mine, setting, scenario))
        runs.append(run)
        alive = [each for each in options if not each.refuted and not each.lost]
        say(f"{scenario.name}, {regime.name}: {len(alive)} candidates follow")
        for each in alive:
            try:
                each.refuted = run.refutation(setting, each)
            except Exception as error:  # a planted bug may do anything
                each.lost = str(error) if isinstance(error, VerifierError) else f"{type(error).__name__}: {error}"
    found = Identified(mine.name, tuple(runs), options)
    whole = [each for each in found.answer if SEPARATOR not in each.name]
    return replace(found, wrong_widths={each.name: _wrong_widths(found, setting, each) for each in whole})


def _agent(agent: str | Guarantees | Callable[..., Any], setting: Setting[Any, Any], calls: dict[str, Any]) -> Guarantees:
    """Guarantees of the agent that is asked about.

    Raises
    ------
    UsageError
        If it is of another setting.
    """
    if isinstance(agent, str):
        agent = registry(agent).guarantees_of(agent)
    if not isinstance(agent, Guarantees):
        return shown(agent, to=setting.name, **calls)
    if agent.algorithm.setting != setting.name:
        raise UsageError(f"{agent.name} is of the setting {agent.algorithm.setting}, what it is compared with of {setting.name}")
    return agent


def _places(
    algorithm: type[Algorithm], setting: Setting[Any, Any], names: Sequence[str]
) -> Iterator[tuple[Scenario[Any], Regime]]:
    """Instances and regimes in which an agent is looked at, the widths being those that it publishes or parts of them."""
    regimes = [each for each in map(Regime.parse, algorithm.regimes) if each.source in ("published", "scaled")]
    for name in names:
        scenario = setting.scenario(name)
        if scenario is None:
            raise UsageError(
                f"setting {setting.name} has no instance {name!r}. {nearest(name, [s.name for s in setting.catalogue])}"
            )
        if scenario.extends <= algorithm.handles:
            allowed = set(scenario.regimes)
            yield from ((scenario, each) for each in regimes if allowed & {"*", each.source, each.name})


def _wrong_widths(found: Identified, setting: Setting[Any, Any], candidate: Candidate) -> tuple[float, ...]:
    """Multiples of its width, below 1 and above, at which an algorithm does not stand, as near to 1 as bisection gets."""

    def stands(times: float) -> bool:
        other = replace(candidate, telling=0)
        agrees = all(run.refutation(setting, other, times) is None for run in found.runs)
        return agrees and other.telling >= SIMILAR * candidate.telling  # with a wide bonus Q is at its cap, and nothing is said

    def end(outside: float) -> float:
        inside = 1.0
        for _ in range(STEPS):
            middle = (inside * outside) ** 0.5
            inside, outside = (middle, outside) if stands(middle) else (inside, middle)
        return outside

    return tuple(end(farthest) for farthest in (1 / FARTHEST, FARTHEST) if not stands(farthest))
