"""Findings of `verifier identify`: what an agent may be, and the decisions that refute the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from verifier.base.errors import ExitCode
from verifier.base.tables import WIDTH, folded, table
from verifier.model.algorithm import Algorithm
from verifier.model.mutant import SEPARATOR
from verifier.model.regime import Regime
from verifier.model.setting import Setting
from verifier.model.width import Radius
from verifier.statistics.exchangeable import Exchangeable

SIMILAR = 0.5
"""Share of the decisions that could refute the candidate that has most of them; one that is not refuted has to have so many."""

FEWEST = 100
"""Least number of such decisions: what hardly has an opinion is not refuted, whatever is played.

Of 233 planted bugs as agents, the wrong candidates that stood for one that cannot be followed had 32 at most.
"""


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


@dataclass(frozen=True)
class Unlikely:
    """Decision at which the evidence against what a candidate draws is enough; episode and step are counted from 1."""

    instance: str
    regime: str
    episode: int
    h: int
    log_evidence: float
    decisions: int

    def __str__(self) -> str:
        return (
            f"{self.instance}, {self.regime}, episode {self.episode}, h {self.h}: after {self.decisions} decisions the evidence "
            f"against its law is {math.exp(self.log_evidence):.2g}"
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
    followed : int
        Number of decisions, up to that one, where another action is worth as much to it, and its own was taken.
    refuted : Refutation or Unlikely, optional
    lost : str
        Reason why it could not follow the agent.
    draws : bool
        Whether it draws its policies: its decisions are compared as a law, with the evidence of `bets`.
    bets : Exchangeable
    """

    name: str
    what: str
    algorithm: type[Algorithm]
    telling: int = 0
    other: int = 0
    followed: int = 0
    refuted: Refutation | Unlikely | None = None
    lost: str = ""
    draws: bool = False
    bets: Exchangeable = field(default_factory=Exchangeable)

    @property
    def stands(self) -> bool:
        """Whether no decision refutes it, though some could have, or all are its own even where it is indifferent."""
        return not self.refuted and not self.lost and (self.telling > 0 or self.other == 0)

    @property
    def only_by_ties(self) -> bool:
        """Whether no fixed order of actions that are worth as much to it, its own or another one, makes it do what was done."""
        return self.stands and min(self.other, self.followed) >= FEWEST


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
        with np.errstate(all="ignore"):  # a planted bug may divide by 0
            for found in setting.follow(candidate.algorithm, self.public, self._radius(candidate, times), self.view):
                candidate.telling += found.telling
                candidate.other += found.other
                candidate.followed += found.followed
                if place := found.refuted():
                    at = place[0] - found.first, place[1]
                    state, action, own = (int(each[at]) for each in (found.states, found.actions, found.own))
                    where = self.instance, self.regime.name, place[0] + 1, place[1] + 1
                    return Refutation(*where, state, action, own, float(found.loss[at]))
        return None

    def unlikely(
        self, setting: Setting[Any, Any], candidate: Candidate, rng: np.random.Generator, level: float
    ) -> Unlikely | None:
        """Decision at which the evidence against what a candidate draws, of all runs so far, reaches 1 / level."""
        assert setting.draw is not None
        bets = candidate.bets
        bets.next_run()
        with np.errstate(all="ignore"):
            place = bets.see(setting.draw(candidate.algorithm, self.public, self._radius(candidate), self.view, rng), level)
        candidate.telling, candidate.other = bets.telling, max(bets.telling, 1)  # nothing says that it would have done the same
        if place is None:
            return None
        return Unlikely(self.instance, self.regime.name, place[0] + 1, place[1] + 1, bets.log_evidence, bets.telling)

    def _radius(self, candidate: Candidate, times: float = 1.0) -> Radius:
        """Widths of a candidate, at a multiple of its own."""
        scale, known = times * self.regime.scale, dict[str, float]()

        def radius(of: str, step: int, target: Any) -> float:
            if of not in known:
                known[of] = scale * candidate.algorithm.published_width(self.public, of)
            return known[of]

        return radius


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
    multiples : mapping of str to tuple of float
        Of algorithms that are refuted, where another multiple of the width is not: the nearest below and above that are.
    """

    name: str
    runs: tuple[Run, ...]
    candidates: tuple[Candidate, ...]
    wrong_widths: dict[str, tuple[float, ...]] = field(default_factory=dict)
    multiples: dict[str, tuple[float, ...]] = field(default_factory=dict)

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
        """Candidates of these that have a say in about as many decisions as any, or do the same even where they have none.

        Where one of them does the same in every decision, ties included, planted bugs that stand `only_by_ties` are left out.
        """
        return tuple(each for each in self._asked if each not in self.by_ties)

    @cached_property
    def by_ties(self) -> tuple[Candidate, ...]:
        """Planted bugs that would be in the answer, did not another candidate do the same where they do so only by their ties."""
        if not any(each.other == 0 for each in self._asked):
            return ()
        return tuple(each for each in self._asked if each.only_by_ties and SEPARATOR in each.name)

    @cached_property
    def _asked(self) -> tuple[Candidate, ...]:
        least = max(FEWEST, SIMILAR * self.standing[0].telling) if self.standing else 0
        return tuple(each for each in self.standing if each.telling >= least or (each.other == 0 and self.decisions >= FEWEST))

    @property
    def exit_code(self) -> ExitCode:
        """0 where something stands, 1 where all are refuted, 3 where nothing could be told."""
        if self.answer:
            return ExitCode.OK
        return ExitCode.VIOLATED if self.none else ExitCode.INCONCLUSIVE

    @property
    def _any_refuted(self) -> bool:
        return any(each.refuted for each in self.candidates)

    @property
    def none(self) -> bool:
        """Truth of "none of the algorithms": each of them is refuted; none was hardly asked, and none could not follow."""
        whole = [each for each in self.candidates if SEPARATOR not in each.name]
        return self._any_refuted and not any(each.lost or each.stands for each in whole)

    def text(self, verbose: bool = False) -> str:
        """The answer as lines of at most `WIDTH` columns."""
        places = len({run.instance for run in self.runs})
        scales = ", ".join(f"{scale:g}" for scale in sorted({run.regime.scale for run in self.runs}, reverse=True))
        head = f"{self.name}  {self.decisions} decisions on {places} problems, at {scales} times its own width"
        parts = [head, self._answer(), self._by_ties(), self._rest(), self._refuted(verbose), self._lost(verbose)]
        return "\n\n".join(part for part in parts if part) + "\n"

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def _answer(self) -> str:
        if not self.answer:
            return "\n".join(f"  {line}" for line in (self._nothing(), *self._other_widths()))
        rows = [(each.name, f"{each.telling} of {self.decisions}", each.what + self._width(each)) for each in self.answer]
        together = "\n  These cannot be told apart by what the agent does here." if len(rows) > 1 else ""
        return f"Not refuted\n{_indented(table(('', 'could have', ''), rows))}{together}"

    def _nothing(self) -> str:
        if self.none:
            return "None of these: each is refuted" + (", but for what was hardly asked." if self.standing else ".")
        if not all(each.lost or each.refuted for each in self.candidates):
            return "Not told: too few decisions could have refuted what is not refuted."
        return f"Not told: {'each is refuted, but for what cannot follow' if self._any_refuted else 'none of these can follow'}."

    def _other_widths(self) -> Iterator[str]:
        for name, wrong in self.multiples.items():
            yield f"{name} with another width is not: one between {' and '.join(f'{each:.4f}' for each in wrong)} times its own."

    def _width(self, candidate: Candidate) -> str:
        wrong = [f"{times:.4f}" for times in self.wrong_widths.get(candidate.name, ())]
        return f"; not with {' or '.join(wrong)} times its width" if wrong else ""

    def _by_ties(self) -> str:
        rest = [f"{each.name} ({each.other})" for each in self.by_ties]
        why = "so many decisions are not its own, and only as good to it; what is listed above makes all of them itself."
        return folded(f"Only by its ties: {', '.join(rest)}: {why}", WIDTH) if rest else ""

    def _rest(self) -> str:
        rest = [f"{each.name} ({each.telling})" for each in self.standing if each not in self._asked]
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
        shown = lost if verbose else [each for each in lost if SEPARATOR not in each.name]
        more = len(lost) - len(shown)
        rows = [(each.name, each.lost) for each in shown]
        rest = f"{more} planted bugs cannot follow; --verbose says why" if more else ""
        return "\n".join(filter(None, [f"Not told\n{_indented(table(('', ''), rows))}" if rows else "", rest]))


def _indented(text: str) -> str:
    return "\n".join(f"  {line.rstrip()}" for line in text.splitlines() if line.strip())
