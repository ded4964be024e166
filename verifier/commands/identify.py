"""`verifier identify`: which algorithm an agent is, by its decisions alone.

The agent plays. Then every algorithm that is here, and each of its planted bugs, follows it with its data (`Setting.follow`), up
to the first decision that it would not have made. What is not refuted is the answer, with the number of decisions that could have
refuted it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.errors import UsageError, VerifierError, nearest
from verifier.base.seeds import stream
from verifier.campaign.selection import scenarios_of
from verifier.commands.comparable import draws_from_data, follows_data
from verifier.commands.hold import shown
from verifier.commands.identified import FEWEST, SIMILAR, Candidate, Identified, Run
from verifier.model.algorithm import Algorithm
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import SEPARATOR
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario, Setting
from verifier.plugins.guard import guarded
from verifier.plugins.registry import Registry, registry
from verifier.trials.trial import played

STEPS = 10
"""Bisections of a multiple of the width, between 1 and a factor of `FARTHEST`."""
FARTHEST = 2.0
GRID = 9
"""Multiples from which the search for one begins, from 1 / `FARTHEST` to `FARTHEST`; then steps are halved `STEPS` times."""

DRAWS = "it draws: what it would do does not follow from data"
"""Reason why an algorithm is neither named nor refuted if what it draws is no policy."""
BUDGET = 1e-3
"""Probability that any of the candidates that draw is refuted though the agent is that one; each of them has the same share."""

Say = Callable[[str], None]


def candidates(known: Registry, among: Sequence[str], where: str = "") -> tuple[tuple[Candidate, ...], Setting[Any, Any]]:
    """Algorithms that can follow an agent, each with its planted bugs, and their setting.

    Parameters
    ----------
    known : Registry
    among : sequence of str
        Their names; all of a setting, without them.
    where : str
        Name of that setting; the usual one by default.

    Raises
    ------
    UsageError
        If a name is none of these, or they are not of one setting.

    Notes
    -----
    An algorithm that draws is looked at only where it is named. If it draws policies, evidence against their law may refute it,
    and its planted bugs likewise. Of others no decision could, so that they are listed without their planted bugs.
    """
    able = {name: each for name, each in known.guarantees.items() if follows_data(each, known.setting(each.algorithm.setting))}
    offered = [name for name, each in known.guarantees.items() if known.setting(each.algorithm.setting).follow is not None]
    for name in among:
        if name not in known.guarantees:
            raise UsageError(f"--among {name!r} is not here. {nearest(name, offered)}")
        if (setting := known.setting(known.guarantees[name].algorithm.setting)).follow is None:
            why = f"cannot follow an agent: the setting {setting.name} has no way to"
            raise UsageError(f"--among {name!r} {why}. {nearest(name, offered)}")

    def meant(name: str) -> bool:
        return name == where if where else known.setting(name).usual

    chosen = [known.guarantees[name] for name in among]
    if not among:
        usual = (each for each in able.values() if each.mutants and meant(each.algorithm.setting))
        # bandits, which run on none of the instances that tell others apart, are looked at where they are named
        chosen = [each for each in usual if _runs_on_telling(each.algorithm, known)]
    if not chosen:
        raise UsageError(f"no algorithm of the setting {where} can follow an agent")
    settings = {each.algorithm.setting for each in chosen}
    if len(settings) != 1:
        raise UsageError(f"--among names algorithms of several settings ({', '.join(sorted(settings))}); name those of one")
    found = []
    for each in chosen:
        draws = draws_from_data(each, known.setting(each.algorithm.setting))
        lost = "" if draws or each.name in able else DRAWS
        found.append(Candidate(each.name, each.algorithm.title, each.algorithm, lost=lost, draws=draws))
        bugs = (bug for bug in each.mutants if not bug.garbage and not lost)
        found += [Candidate(f"{each.name}{SEPARATOR}{bug.name}", bug.description, bug.algorithm, draws=draws) for bug in bugs]
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
        Names of algorithms, whose planted bugs are looked at, too; by default all that can follow an agent and draw nothing, in
        its setting, or among the episodic ones where the agent is a class.
    instances : sequence of str
        Names of instances; by default some that tell algorithms apart.
    seed : int
        Master seed.
    timeout : float
        Seconds that a run of the agent may take.
    say : callable
        Told what is done next.
    **calls
        How your agent is made and called, as of `hold`: `new`, `knob`, `act`, `update`, `before`, `after`, `fit`. With a knob it
        also plays with a tenth and a hundredth of its width, where more decisions depend on it.

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

    Examples
    --------
    >>> import verifier
    >>> found = verifier.identify("ucbvi-ch", ["ucbvi-ch"], instances=["one-step"])
    >>> found.decisions, found.exit_code  # 60 decisions are too few to tell the bugs of UCBVI-CH from it
    (60, <ExitCode.INCONCLUSIVE: 3>)
    """
    found, setting = followed(agent, among, instances=instances, seed=seed, timeout=timeout, say=say, **calls)
    whole = [each for each in found.answer if SEPARATOR not in each.name and not each.draws]
    found = replace(found, wrong_widths={each.name: _wrong_widths(found, setting, each) for each in whole})
    if found.answer:
        return found
    refuted = [each for each in found.candidates if each.refuted and SEPARATOR not in each.name and not each.draws]
    if refuted:
        say("other multiples of widths are tried")
    multiples = {each.name: _multiples(found, setting, each) for each in refuted}
    return replace(found, multiples={name: wrong for name, wrong in multiples.items() if len(wrong) == 2})


def followed(
    agent: str | Guarantees | Callable[..., Any],
    among: Sequence[str] = (),
    *,
    instances: Sequence[str] = (),
    seed: int = 0,
    timeout: float = 60.0,
    say: Say = lambda text: None,
    **calls: Any,
) -> tuple[Identified, Setting[Any, Any]]:
    """Answer of `identify` at the algorithms' own widths, without the search for other multiples; and the setting.

    Parameters
    ----------
    agent, among, instances, seed, timeout, say, **calls
        As of `identify`.

    Raises
    ------
    UsageError, GuardedError
        As of `identify`.
    """
    known = registry(*among) if among else registry("all")
    if isinstance(agent, str):
        agent = registry(agent).guarantees_of(agent)
    options, setting = candidates(known, tuple(among), agent.algorithm.setting if isinstance(agent, Guarantees) else "")
    algorithms = [each.algorithm for each in options if SEPARATOR not in each.name]
    # a class of yours says nothing of what it can be played on: it is compared where the algorithms are
    theirs = frozenset[str]() if isinstance(agent, Guarantees) else frozenset.intersection(*(each.handles for each in algorithms))
    mine = _agent(agent, setting, theirs, calls)
    handles = mine.algorithm.handles | theirs
    level = BUDGET / max(sum(each.draws for each in options), 1)
    runs = []
    places = list(_places(mine.algorithm, handles, setting, instances or _common(algorithms, known, setting)))
    # where Q leaves its cap most candidates are refuted; they need not follow where it does not
    places.sort(key=lambda place: place[1].scale)
    for scenario, regime in places:
        say(f"{scenario.name}, {regime.name}: {mine.name} plays")
        spec = TrialSpec(mine.name, scenario.name, regime.name, 0, seed)
        with guarded(spec.label, timeout):
            run = Run(scenario.name, regime, *played(spec, mine, setting, scenario))
        runs.append(run)
        alive = [each for each in options if not each.refuted and not each.lost]
        say(f"{scenario.name}, {regime.name}: {len(alive)} candidates follow")
        for each in alive:
            try:
                draws = stream(seed, "draws", scenario.name, regime.name, each.name)
                each.refuted = run.unlikely(setting, each, draws, level) if each.draws else run.refutation(setting, each)
            except Exception as error:  # a planted bug may do anything
                each.lost = str(error) if isinstance(error, VerifierError) else f"{type(error).__name__}: {error}"
    return Identified(mine.name, tuple(runs), options), setting


def _agent(
    agent: Guarantees | Callable[..., Any], setting: Setting[Any, Any], handles: frozenset[str], calls: dict[str, Any]
) -> Guarantees:
    """Guarantees of the agent that is asked about.

    Raises
    ------
    UsageError
        If it is of another setting.
    """
    if not isinstance(agent, Guarantees):
        return shown(agent, to=setting.name, handles=handles, **calls)
    if agent.algorithm.setting != setting.name:
        raise UsageError(f"{agent.name} is of the setting {agent.algorithm.setting}, what it is compared with of {setting.name}")
    return agent


def _common(algorithms: Sequence[type[Algorithm]], known: Registry, setting: Setting[Any, Any]) -> Sequence[str]:
    """Instances that tell algorithms apart, as far as all of these run on them; else as many on which they do, as bandits.

    Raises
    ------
    UsageError
        If there is none.
    """
    common = set.intersection(*({scenario.name for scenario in scenarios_of(each, known)} for each in algorithms))
    if not common:
        names = ", ".join(each.name for each in algorithms)
        raise UsageError(f"there is no instance on which all of {names} run; name algorithms of one kind with --among")
    others = [scenario.name for scenario in setting.catalogue if scenario.name in common]
    return [name for name in setting.telling if name in common] or others[: len(setting.telling)]


def _runs_on_telling(algorithm: type[Algorithm], known: Registry) -> bool:
    telling = known.setting(algorithm.setting).telling
    return not telling or any(scenario.name in telling for scenario in scenarios_of(algorithm, known))


def _places(
    algorithm: type[Algorithm], handles: frozenset[str], setting: Setting[Any, Any], names: Sequence[str]
) -> Iterator[tuple[Scenario[Any], Regime]]:
    """Instances and regimes in which an agent is looked at, the widths being those that it publishes or parts of them."""
    regimes = [each for each in map(Regime.parse, algorithm.regimes) if each.source in ("published", "scaled")]
    for name in names:
        scenario = setting.scenario(name)
        if scenario is None:
            raise UsageError(
                f"setting {setting.name} has no instance {name!r}. {nearest(name, [s.name for s in setting.catalogue])}"
            )
        if scenario.extends <= handles:
            allowed = set(scenario.regimes)
            yield from ((scenario, each) for each in regimes if allowed & {"*", each.source, each.name})


def _followed(found: Identified, setting: Setting[Any, Any], candidate: Candidate, times: float) -> tuple[int, bool]:
    """Number of decisions that could refute an algorithm with a multiple of its width, up to one that does; whether none does."""
    other = replace(candidate, telling=0)
    agrees = all(run.refutation(setting, other, times) is None for run in found.runs)
    return other.telling, agrees


def _wrong_widths(found: Identified, setting: Setting[Any, Any], candidate: Candidate, at: float = 1.0) -> tuple[float, ...]:
    """Multiples of its width, below one with which an algorithm stands and above, with which it does not.

    They are as near to that one as bisection gets.
    """
    enough = SIMILAR * _followed(found, setting, candidate, at)[0]

    def stands(times: float) -> bool:
        telling, agrees = _followed(found, setting, candidate, times)
        return agrees and telling >= enough  # with a wide bonus Q is at its cap, and nothing is said

    def end(outside: float) -> float:
        inside = at
        for _ in range(STEPS):
            middle = (inside * outside) ** 0.5
            inside, outside = (middle, outside) if stands(middle) else (inside, middle)
        return outside

    return tuple(end(farthest) for farthest in (at / FARTHEST, at * FARTHEST) if not stands(farthest))


def _multiples(found: Identified, setting: Setting[Any, Any], candidate: Candidate) -> tuple[float, ...]:
    """Multiples of its width between which one is that refutes an algorithm nowhere; none where the search finds no such one.

    The search climbs: the nearer a multiple is to that of the agent, the later it is refuted, and the more decisions could have.
    With a wide bonus hardly any could, so that it does not climb there.
    """
    tried: dict[float, tuple[int, bool]] = {}
    step, fresh = FARTHEST ** (2 / (GRID - 1)), np.geomspace(1 / FARTHEST, FARTHEST, GRID).tolist()
    for _ in range(STEPS):
        tried |= {times: _followed(found, setting, candidate, times) for times in fresh}
        best = max(tried, key=lambda times: tried[times])
        if tried[best][1] and tried[best][0] >= FEWEST:
            return _wrong_widths(found, setting, candidate, best)
        step = step**0.5
        fresh = [best / step, best * step]
    return ()
